/* SPDX-License-Identifier: MIT */
/* activation.h - activations as post-ops of a convolution or product. */
#ifndef BP_DNNL_ACTIVATION_H
#define BP_DNNL_ACTIVATION_H

#include <bp/sdk.h>
#include <dnnl.h>
#include <stdbool.h>

struct bp_dnnl_attr;
struct bp_dnnl_chain;

#define BP_DNNL_QUICK_GELU_ALPHA 1.702f /* default of com.microsoft's QuickGelu */

/*
 * Appends the activation of that ONNX name with its parameters; false: it is not known. NaN for a
 * parameter reads as its default.
 */
bool bp_dnnl_add_activation(const char *name, size_t name_size, const float params[2],
                            struct bp_dnnl_attr *attr);
/*
 * Of com.microsoft's fused nodes: attributes `activation`, `activation_params`, `activation_alpha`
 * and `activation_beta`. Absent adds nothing and is true.
 */
bool bp_dnnl_add_node_activation(const bp_graph *graph, const bp_node *node,
                                 struct bp_dnnl_attr *attr);
/* Appends the activation that ends the chain, if there is one. */
void bp_dnnl_add_chain_activation(struct bp_dnnl_attr *attr, const struct bp_dnnl_chain *chain);

#endif
