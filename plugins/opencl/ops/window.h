/* SPDX-License-Identifier: MIT */
/* window.h - windows that slide over up to three spatial dimensions: convolutions and pools. */
#ifndef BP_OPENCL_WINDOW_H
#define BP_OPENCL_WINDOW_H

#include "build/builder.h"

enum { BP_OPENCL_SPATIAL = 3 };

/* As kernels know it: window_t of kernels/window.cl. Dimensions that data lack come first and are 1. */
struct bp_opencl_window {
    int32_t in[3], out[3], kernel[3], strides[3], dilations[3], before[3], after[3];
};

/*
 * Are the attributes of a window over the node's input 0 as kernels take them: rank 3 to 5, lists of
 * that length, sizes of 1 and more, pads of 0 and more? Refuses otherwise.
 */
bool bp_opencl_takes_window(const struct bp_opencl_query *query);
/*
 * The node's window, of which `large` is slid over and `small` is how often; both have two dimensions
 * before the spatial ones. kernel: sizes of the window. For a transposed convolution `in` is the
 * small one, else the large one.
 */
void bp_opencl_make_window(struct bp_opencl_builder *b, const bp_node *node,
                           const struct bp_opencl_tensor *large,
                           const struct bp_opencl_tensor *small, const int64_t *kernel,
                           bool is_transposed, struct bp_opencl_window *out);
/* Positions of three sizes. */
int64_t bp_opencl_volume(const int32_t *dims);

#endif
