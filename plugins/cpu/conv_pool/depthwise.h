/* SPDX-License-Identifier: MIT */
/*
 * depthwise.h - Convolution of one input channel (depthwise): sums of rows that are shifted and
 * weighted. A matrix product would have a depth of the kernel's size only.
 */
#ifndef BP_CPU_CONV_POOL_DEPTHWISE_H
#define BP_CPU_CONV_POOL_DEPTHWISE_H

#include "kernels/gemm/gemm.h"
#include "kernels/window.h"

/* A plan; read-only after bp_cpu_depthwise_plan(). */
struct bp_cpu_depthwise {
    const struct bp_cpu_window *window;
    const struct bp_cpu_simd *simd; /* NULL: not planned */
    size_t maps;                    /* output channels of the input channel */
    size_t size;                    /* of an element */
    int64_t first, end;             /* columns of y whose windows lie within a row of x */
    int64_t strip_rows;             /* rows of y that are done from one padded copy; 0: no copy */
    int64_t width;                  /* columns of the copy, with padding */
    int64_t plane, pitch;           /* elements of a plane of the copy, of a row of it */
    int64_t whole[2], rest[2];      /* dilations of rows and columns, in steps of the stride */
    size_t taps_bytes, strip_bytes; /* parts of the scratch: list of taps, copy, flat results */
    size_t scratch_bytes;           /* of each worker */
};

/*
 * Plans for a window, which is borrowed and must outlive the plan; `maps` is the number of output
 * channels.
 */
void bp_cpu_depthwise_plan(struct bp_cpu_depthwise *depthwise, const struct bp_cpu_window *window,
                           uint32_t dtype, size_t maps);
/*
 * One channel of one image. a: weights [maps][kernel], b: the channel, c: [maps][positions], bias:
 * [maps] or NULL. scratch has scratch_bytes; several threads may run at once, each with its own.
 */
void bp_cpu_depthwise_run(const struct bp_cpu_depthwise *depthwise,
                          const struct bp_cpu_operands *operands, void *scratch);

#endif
