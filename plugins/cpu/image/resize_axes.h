/* SPDX-License-Identifier: MIT */
/* resize_axes.h - The engine of Resize and Upsample: a tensor whose axes each get a new size. */
#ifndef BP_CPU_IMAGE_RESIZE_AXES_H
#define BP_CPU_IMAGE_RESIZE_AXES_H

#include "cpu.h"
#include "kernels/unary.h"
#include <common/resize_axis.h>

/* A plan: the caller fills the first three fields. */
struct bp_cpu_resize {
    struct bp_resize_rule rule;
    float extrapolation;
    uint32_t dtype;

    /* from here on: set by bp_cpu_resize_make() */
    uint32_t n; /* axes that are resized; outer ones are planes, inner ones the unit */
    struct bp_resize_axis axis[BP_CPU_MAX_RANK];
    void *weight[BP_CPU_MAX_RANK]; /* in the computation's type */
    int64_t planes, unit;          /* unit in scalars: a complex element has two */
    size_t width;                  /* bytes of a scalar */
    int64_t in_plane, out_plane;   /* scalars */
    bool interpolates, is_double, is_empty;
    bool rounds;                   /* integers are rounded; else truncated, as in ONNX Runtime */
    bp_cpu_unary_loop load, store; /* NULL: the computation has the element type */
    int64_t bands, band, span;     /* of axis 0: bands, rows of one, source rows of one */
    size_t parts[4];               /* bytes of a worker's buffers */
    uint32_t slices;
};

/*
 * Plans for axes whose in, out, scale, start and end are set. Tables are memory of the run with
 * in_run, else of the call. *scratch_bytes is what bp_cpu_resize_run() needs. BP_E_NOMEM.
 */
bp_rc bp_cpu_resize_make(struct bp_cpu_call *call, struct bp_cpu_resize *resize, uint32_t rank,
                         const struct bp_resize_axis *axes, bool in_run, size_t *scratch_bytes,
                         bp_err *err);
/* Runs the plan on the pool's threads. */
void bp_cpu_resize_run(const struct bp_cpu_call *call, const struct bp_cpu_resize *resize,
                       const void *from, void *to, void *scratch);

#endif
