/* SPDX-License-Identifier: MIT */
/*
 * window.h - the sliding window of convolutions and pools, from their attributes and shapes.
 *
 * All spatial dimensions are brought to three: missing ones come first and have size 1. Used by
 * Conv, ConvTranspose, the pools and their quantised forms.
 */
#ifndef BP_CPU_KERNELS_WINDOW_H
#define BP_CPU_KERNELS_WINDOW_H

#include "cpu.h"

enum { BP_CPU_SPATIAL = 3 };

struct bp_cpu_window {
    int64_t batch, channels;     /* of x */
    int64_t in[BP_CPU_SPATIAL];  /* sizes of x; of y for a transposed convolution */
    int64_t out[BP_CPU_SPATIAL]; /* sizes of y; of x for a transposed convolution */
    int64_t kernel[BP_CPU_SPATIAL], stride[BP_CPU_SPATIAL], dilation[BP_CPU_SPATIAL];
    int64_t pad[BP_CPU_SPATIAL]; /* before the first element; may be below 0 */
    int64_t pad_end[BP_CPU_SPATIAL];
    int64_t in_count, out_count, kernel_count; /* products of the above */
};

/* Refuses a node whose spatial rank is known and not 1..3. True: the caller may go on. */
bool bp_cpu_window_claim(const struct bp_cpu_query *query);

/*
 * Fills *out. `kernel` has the window's size in each spatial dimension; NULL: attribute
 * kernel_shape has it. `transposed` exchanges the roles of x and y. BP_E_SHAPE: shapes and
 * attributes do not fit together. All sizes are below 2^31.
 */
bp_rc bp_cpu_window_make(const struct bp_cpu_call *call, const bp_tensor *x, const bp_tensor *y,
                         const int64_t *kernel, bool transposed, struct bp_cpu_window *out,
                         bp_err *err);

/* The coordinate in x, perhaps in the padding, at which window `at` of dimension d begins. */
static inline int64_t bp_cpu_window_start(const struct bp_cpu_window *w, int d, int64_t at)
{
    return at * w->stride[d] - w->pad[d];
}

/* *first and *end: of `count` taps at start, start + step, ... those in [0, size). */
static inline void bp_cpu_window_clip(int64_t start, int64_t step, int64_t count, int64_t size,
                                      int64_t *first, int64_t *end)
{
    int64_t from = start < 0 ? -start : 0, to = start < size ? size - start : 0;

    if (step != 1) { /* divisions are slow, and mostly needless */
        from = (from + step - 1) / step;
        to = (to + step - 1) / step;
    }
    *end = to < count ? to : count;
    *first = from < *end ? from : *end;
}

#endif
