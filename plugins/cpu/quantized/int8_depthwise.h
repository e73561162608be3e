/* SPDX-License-Identifier: MIT */
/*
 * int8_depthwise.h - Convolutions of 8-bit integers with one input channel for each group
 * (depthwise): sums of shifted rows, because a matrix product would have too little depth.
 */
#ifndef BP_CPU_QUANTIZED_INT8_DEPTHWISE_H
#define BP_CPU_QUANTIZED_INT8_DEPTHWISE_H

#include "kernels/window.h"

/* One feature map of one image; all pointers are borrowed for the call. */
struct bp_cpu_int8_map_of {
    const struct bp_cpu_window *window;
    const uint8_t *x, *w; /* the channel; the map's kernel */
    bool x_signed, w_signed;
    int32_t x_zero, w_zero;
    int32_t *row; /* a buffer for a row of sums: window->out[2] elements */
    /* receives n sums from position j on, n <= 64 */
    void (*finish)(void *u, const int32_t *sums, size_t j, size_t n);
    void *u;
};

/* Computes the map on the calling thread. */
void bp_cpu_int8_depthwise(const struct bp_cpu_int8_map_of *map);

#endif
