/* SPDX-License-Identifier: MIT */
/* depthwise.h - convolution of one input channel: sums of rows that are shifted and weighted. */
#ifndef BP_CPU_CONV_POOL_DEPTHWISE_H
#define BP_CPU_CONV_POOL_DEPTHWISE_H

#include "kernels/gemm/gemm.h"
#include "kernels/window.h"

struct bp_cpu_depthwise {
    const struct bp_cpu_window *window;
    const struct bp_cpu_simd *simd; /* NULL: not planned */
    size_t maps;                    /* output channels of the input channel */
    size_t size;                    /* of an element */
    int64_t first, end;             /* columns of y whose windows lie within a row of x */
    int64_t strip_rows;             /* rows of y that are done from one padded copy; 0: no copy */
    int64_t width;                  /* columns that are copied, padding included */
    int64_t plane, pitch;           /* elements of a plane of the copy, of a row of it */
    int64_t whole[2], rest[2];      /* dilations of rows and columns, in steps of the stride */
    size_t taps_bytes, strip_bytes; /* parts of the scratch: list of taps, copy, flat results */
    size_t scratch_bytes;           /* of each worker */
};

/* The window stays the caller's and must stay where it is. */
void bp_cpu_depthwise_plan(struct bp_cpu_depthwise *depthwise, const struct bp_cpu_window *window,
                           uint32_t dtype, size_t maps);
/* a: weights, b: the channel, c: `maps` channels of output, bias: one each or NULL. */
void bp_cpu_depthwise_run(const struct bp_cpu_depthwise *depthwise,
                          const struct bp_cpu_operands *operands, void *scratch);

#endif
