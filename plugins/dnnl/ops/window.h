/* SPDX-License-Identifier: MIT */
/* window.h - kernels that slide over spatial dimensions: convolutions and pools. */
#ifndef BP_DNNL_WINDOW_H
#define BP_DNNL_WINDOW_H

#include <bp/sdk.h>
#include <dnnl.h>
#include <stdbool.h>

struct bp_dnnl_builder;
struct bp_dnnl_query;

struct bp_dnnl_window {
    dnnl_dims_t kernel, strides, dilates; /* dilates counts from 0, as oneDNN does */
    dnnl_dims_t before, after;            /* padding; negative after: the input's end is not read */
};

/* Attributes of a window over n dimensions; a kernel's size is checked for pools alone. Refuses. */
bool bp_dnnl_claims_window(const struct bp_dnnl_query *query, uint32_t n);
/* Entry i of an attribute that is a list of integers; def: it is shorter or absent. */
int64_t bp_dnnl_entry(const bp_graph *graph, const bp_node *node, const char *name, uint32_t i,
                      int64_t def);
/*
 * The window that makes `small` sizes of `large` ones, n of each; kernel is set by the caller. For
 * a transposed convolution the output is the large one.
 */
void bp_dnnl_window_make(const struct bp_dnnl_builder *b, const bp_node *node, uint32_t n,
                         const dnnl_dim_t *large, const dnnl_dim_t *small,
                         struct bp_dnnl_window *window);

#endif
