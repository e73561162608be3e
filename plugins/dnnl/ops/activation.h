/* SPDX-License-Identifier: MIT */
/* activation.h - activations, alone or behind a convolution or product. */
#ifndef BP_DNNL_ACTIVATION_H
#define BP_DNNL_ACTIVATION_H

#include "onednn.h"

/*
 * Adds the activation of that name with its numbers to attr; false: it is not known. NaN for
 * a number reads as its default.
 */
bool bp_dnnl_add_activation(const char *name, size_t name_size, const float params[2],
                            struct bp_dnnl_attr *attr);
/* Of com.microsoft's fused nodes: attribute `activation` and its numbers; absent adds nothing. */
bool bp_dnnl_add_node_activation(const bp_graph *graph, const bp_node *node,
                                 struct bp_dnnl_attr *attr);
/* Adds what ends the chain, if anything does. */
void bp_dnnl_add_chain_activation(struct bp_dnnl_attr *attr, const struct bp_dnnl_chain *chain);
/* Adds a sum or a binary. */
void bp_dnnl_add_post_op(struct bp_dnnl_attr *attr, dnnl_alg_kind_t kind,
                         const struct bp_dnnl_tensor *other);

#endif
