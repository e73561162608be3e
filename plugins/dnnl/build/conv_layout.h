/* SPDX-License-Identifier: MIT */
/*
 * conv_layout.h - which of two layouts the convolutions of a graph work on, and which algorithm
 * each of them uses, by rates that were measured once. Option autotune measures instead.
 */
#ifndef BP_DNNL_CONV_LAYOUT_H
#define BP_DNNL_CONV_LAYOUT_H

#include <bp/sdk.h>
#include <stdbool.h>

struct bp_dnnl_builder;
struct bp_dnnl_value;

/* Can convolutions work on blocks of channels at all? AVX-512 in float32 only. */
bool bp_dnnl_has_blocks(const bp_instance *instance);
/* Are blocks of 16 channels the faster layout for all of the graph, by estimate? */
bool bp_dnnl_prefers_blocks(const struct bp_dnnl_builder *b);
/* Is Winograd's algorithm the faster one for this convolution on blocks, by what was measured? */
bool bp_dnnl_prefers_winograd(const bp_node *node, const bp_graph *graph,
                              const struct bp_dnnl_value *w, const struct bp_dnnl_value *y);

#endif
