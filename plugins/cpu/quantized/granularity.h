/* SPDX-License-Identifier: MIT */
/*
 * granularity.h - which scale each element of a quantised tensor has: one for all, one for each
 * slice along an axis, or one for each block of elements along it. The elements are walked in order
 * as runs that share one scale, or have one each that lie side by side.
 */
#ifndef BP_CPU_QUANTIZED_GRANULARITY_H
#define BP_CPU_QUANTIZED_GRANULARITY_H

#include "cpu.h"

struct bp_cpu_granularity {
    enum { BP_CPU_WHOLE, BP_CPU_BY_AXIS, BP_CPU_BY_BLOCK } kind;
    int64_t count;  /* elements */
    int64_t scales; /* numbers of scales, and of zero points */
    int64_t dim, inner, block, blocks;
    int64_t rows; /* of a step of the outer dimensions */
};

/* The run that begins at element `at`. */
struct bp_cpu_scale_run {
    int64_t at, count;
    int64_t scale;      /* index of the first one */
    bool each;          /* one for each element, else one for all */
    int64_t outer, row; /* the walk's own */
};

/*
 * From the shapes of a tensor, its scale and its zero point (which may be NULL), and the attributes
 * axis and block_size. BP_E_SHAPE and BP_E_INVALID say what does not fit.
 */
bp_rc bp_cpu_granularity_make(const struct bp_cpu_call *call, const bp_tensor *x,
                              const bp_tensor *scale, const bp_tensor *zero,
                              struct bp_cpu_granularity *out, bp_err *err);

/* The run that has element `at`, from there on; and the one behind it. */
void bp_cpu_granularity_seek(const struct bp_cpu_granularity *g, int64_t at,
                             struct bp_cpu_scale_run *run);
void bp_cpu_granularity_next(const struct bp_cpu_granularity *g, struct bp_cpu_scale_run *run);
/*
 * Takes n elements, of those that it has, off the front of the run; the next one when none are
 * left.
 */
void bp_cpu_granularity_pass(const struct bp_cpu_granularity *g, struct bp_cpu_scale_run *run,
                             int64_t n);

#endif
