/* SPDX-License-Identifier: MIT */
/* conv_depth_to_space.h - ConvTranspose whose windows do not overlap, as a 1 x 1 convolution. */
#ifndef BP_DNNL_CONV_DEPTH_TO_SPACE_H
#define BP_DNNL_CONV_DEPTH_TO_SPACE_H

#include <bp/sdk.h>
#include <stdbool.h>

struct bp_dnnl_builder;

/* Is the node such a one: kernel equal to strides, no padding, one group, constant weights? */
bool bp_dnnl_is_depth_to_space(const struct bp_dnnl_builder *b, const bp_node *node);
/* Builds it: a convolution to kernel-size times as many channels, then depth to space. */
bp_rc bp_dnnl_build_depth_to_space(struct bp_dnnl_builder *b, const bp_node *node, bp_err *err);

#endif
