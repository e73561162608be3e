/* SPDX-License-Identifier: MIT */
/* resize_axes.h - what Resize and Upsample run on: a tensor whose axes each get a new size. */
#ifndef BP_CPU_IMAGE_RESIZE_AXES_H
#define BP_CPU_IMAGE_RESIZE_AXES_H

#include "cpu.h"
#include "kernels/unary.h"
#include <common/resize_axis.h>

struct bp_cpu_resize {
    struct bp_resize_rule rule;
    float extrapolation;
    uint32_t dtype;

    /* the rest is the .c file's own */
    uint32_t n; /* axes; those before are planes, those behind the unit, and all keep their size */
    struct bp_resize_axis axis[BP_CPU_MAX_RANK];
    void *weight[BP_CPU_MAX_RANK]; /* in the type computed in */
    int64_t planes, unit;          /* unit in numbers: a complex one has two */
    size_t width;                  /* bytes of a number */
    int64_t in_plane, out_plane;   /* numbers */
    bool mixes, is_double, is_empty;
    bool rounds; /* sums to integers; without, as ONNX Runtime has it, they are cut off */
    bp_cpu_unary_loop load, store; /* NULL: computed in the type that it is stored in */
    int64_t bands, band, span; /* of axis 0: their number, rows of one, and those it is made of */
    size_t parts[4];           /* bytes of a worker's buffers */
    uint32_t slices;
};

/*
 * Solves the work for axes with in, out, scale, start and end set. The memory of its tables comes
 * from bp_cpu_run_memory() when in_run, else from bp_cpu_call_memory(). *scratch_bytes is what run
 * needs.
 */
bp_rc bp_cpu_resize_make(struct bp_cpu_call *call, struct bp_cpu_resize *resize, uint32_t rank,
                         const struct bp_resize_axis *axes, bool in_run, size_t *scratch_bytes,
                         bp_err *err);
void bp_cpu_resize_run(const struct bp_cpu_call *call, const struct bp_cpu_resize *resize,
                       const void *from, void *to, void *scratch);

#endif
