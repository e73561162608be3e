/* SPDX-License-Identifier: MIT */
/* window.h - kernels that slide over spatial dimensions: convolutions and pools. */
#ifndef BP_DNNL_WINDOW_H
#define BP_DNNL_WINDOW_H

#include "onednn.h"

struct bp_dnnl_window {
    dnnl_dims_t kernel, strides, dilates; /* dilates counts from 0, as oneDNN does */
    dnnl_dims_t before, after;            /* padding */
};

/* Attributes of a window over n dimensions; a kernel's size is checked for pools alone. */
bool bp_dnnl_claims_window(const struct bp_dnnl_query *query, uint32_t n);
/* Entry i of a list of integers, or def. */
int64_t bp_dnnl_entry(const bp_graph *graph, const bp_node *node, const char *name, uint32_t i,
                      int64_t def);
/*
 * The window that makes `small` sizes of `large` ones, n of each; kernel is set by the caller. For
 * a transposed convolution the output is the large one.
 */
void bp_dnnl_window_make(const struct bp_dnnl_builder *b, const bp_node *node, uint32_t n,
                         const dnnl_dim_t *large, const dnnl_dim_t *small,
                         struct bp_dnnl_window *window);

/* conv_tiles.c: a ConvTranspose whose windows lie side by side, with constant weights. */
bool bp_dnnl_is_depth_to_space(const struct bp_dnnl_builder *b, const bp_node *node);
bp_rc bp_dnnl_build_depth_to_space(struct bp_dnnl_builder *b, const bp_node *node, bp_err *err);

#endif
