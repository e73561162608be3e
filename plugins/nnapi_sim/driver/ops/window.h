/* SPDX-License-Identifier: MIT */
/* window.h - padding, strides and dilations, which convolutions and pools share. */
#ifndef NN_WINDOW_H
#define NN_WINDOW_H

#include "ops/op.h"

struct nn_window {
    int64_t top, bottom, left, right;
    int64_t stride_w, stride_h, kernel_w, kernel_h, dilation_w, dilation_h;
    uint32_t out_h, out_w;
};

/*
 * Reads operands from `at` on: four paddings, or a padding code when `implicit`, and the strides;
 * returns the place behind them. Kernel and dilations are set by the caller, before
 * nn_window_finish().
 */
uint32_t nn_window_read(const struct nn_call *call, uint32_t at, bool implicit,
                        struct nn_window *window);
/*
 * Computes paddings of the code (left = -code until then) and the output's height and width of an
 * image h by w. OP_FAILED: a stride, a padding or the kernel is nonsense.
 */
int nn_window_finish(const struct nn_call *call, uint32_t h, uint32_t w, struct nn_window *window);

#endif
