/* SPDX-License-Identifier: MIT */
/*
 * granularity.h - Which scale each element of a quantised tensor has: one for all (per tensor), one
 * for each slice along an axis (per axis), or one for each block of elements along it (blocked).
 * The elements are walked in order as runs that share one scale, or have contiguous scales, one for
 * each element.
 */
#ifndef BP_CPU_QUANTIZED_GRANULARITY_H
#define BP_CPU_QUANTIZED_GRANULARITY_H

#include "cpu.h"

/* Read-only once made; each thread has a run of its own. */
struct bp_cpu_granularity {
    enum { BP_CPU_WHOLE, BP_CPU_BY_AXIS, BP_CPU_BY_BLOCK } kind;
    int64_t count;  /* elements */
    int64_t scales; /* elements of the scale, and of the zero point */
    int64_t dim, inner, block, blocks;
    int64_t rows; /* of a step of the outer dimensions */
};

/* A run of elements; it starts at element `at`. */
struct bp_cpu_scale_run {
    int64_t at, count;
    int64_t scale;      /* index of the first one */
    bool each;          /* one scale for each element, else one for all */
    int64_t outer, row; /* the walk's own */
};

/*
 * From the shapes of a tensor, its scale and its zero point (may be NULL), and attributes axis and
 * block_size. BP_E_SHAPE, BP_E_INVALID: they contradict each other.
 */
bp_rc bp_cpu_granularity_make(const struct bp_cpu_call *call, const bp_tensor *x,
                              const bp_tensor *scale, const bp_tensor *zero,
                              struct bp_cpu_granularity *out, bp_err *err);

/*
 * seek gives the run that contains element `at`, from there on; next gives the following one, with
 * count 0 after the last.
 */
void bp_cpu_granularity_seek(const struct bp_cpu_granularity *g, int64_t at,
                             struct bp_cpu_scale_run *run);
void bp_cpu_granularity_next(const struct bp_cpu_granularity *g, struct bp_cpu_scale_run *run);
/*
 * Removes n elements from the front of the run, n <= run->count; advances to the next run when none
 * are left.
 */
void bp_cpu_granularity_pass(const struct bp_cpu_granularity *g, struct bp_cpu_scale_run *run,
                             int64_t n);

#endif
