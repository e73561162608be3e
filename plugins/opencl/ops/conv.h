/* SPDX-License-Identifier: MIT */
/* conv.h - algorithms of convolutions beside columns of windows, each for those that it fits. */
#ifndef BP_OPENCL_CONV_H
#define BP_OPENCL_CONV_H

#include "ops/gemm.h"
#include "ops/window.h"

/* A convolution of one group; bias and z, which is added in y's shape, may be NULL. */
struct bp_opencl_conv {
    const struct bp_opencl_tensor *x, *w, *y, *bias, *z;
    const struct bp_opencl_window *window;
    int64_t images, channels, outputs, taps, points;
    const char *activation; /* as bp_opencl_activation() gives it */
};

/* Does Winograd's F(2x2, 3x3) fit: a window of 3 x 3, which moves by one? */
bool bp_opencl_fits_winograd(const struct bp_opencl_conv *conv);
/* Adds the steps; weights that are constant are transformed in the first run. */
void bp_opencl_winograd(struct bp_opencl_builder *b, const struct bp_opencl_conv *conv);

/* Adds the step: a product whose second matrix are windows that work-items put into local memory. */
void bp_opencl_implicit(struct bp_opencl_builder *b, const struct bp_opencl_conv *conv);

#endif
