/* SPDX-License-Identifier: MIT */
/* activation.c - activations as oneDNN knows them. */

#include "ops/activation.h"

#include "base/chain.h"
#include "build/attributes.h"

#include <float.h>
#include <math.h>

/* ONNX activations, how many parameters each takes, and their defaults. */
static const struct {
    const char *name;
    dnnl_alg_kind_t kind;
    int n_params;
    float params[2];
} rows[] = {
    {"Relu", dnnl_eltwise_relu, 0, {0, 0}},
    {"LeakyRelu", dnnl_eltwise_relu, 1, {0.01f, 0}},
    {"Sigmoid", dnnl_eltwise_logistic, 0, {0, 0}},
    {"Tanh", dnnl_eltwise_tanh, 0, {0, 0}},
    {"HardSigmoid", dnnl_eltwise_linear, 2, {0.2f, 0.5f}},
    {"Clip", dnnl_eltwise_clip, 2, {-FLT_MAX, FLT_MAX}},
};

/* HardSigmoid is linear, then clipped to 0..1: oneDNN 2.6 has no post-op of its own for it. */
bool bp_dnnl_add_activation(const char *name, size_t name_size, const float params[2],
                            struct bp_dnnl_attr *attr)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        float own[2] = {rows[i].params[0], rows[i].params[1]};

        if (strlen(rows[i].name) != name_size || memcmp(rows[i].name, name, name_size) != 0)
            continue;
        for (int k = 0; k < rows[i].n_params; k++)
            own[k] = isnan(params[k]) ? own[k] : params[k];
        bp_dnnl_add_eltwise(attr, rows[i].kind, own[0], own[1]);
        if (rows[i].kind == dnnl_eltwise_linear)
            bp_dnnl_add_eltwise(attr, dnnl_eltwise_clip, 0, 1);
        return true;
    }
    return false;
}

/* FusedConv has the parameters in a list, FusedGemm each in an attribute. */
bool bp_dnnl_add_node_activation(const bp_graph *graph, const bp_node *node,
                                 struct bp_dnnl_attr *attr)
{
    const bp_attr *name = bp_node_attr(graph, node, "activation");
    const bp_attr *list = bp_node_attr(graph, node, "activation_params");
    float params[2] = {bp_node_float(graph, node, "activation_alpha", NAN),
                       bp_node_float(graph, node, "activation_beta", NAN)};
    const bp_span *text;

    if (!name || name->type != BP_ATTR_STRING || name->count != 1)
        return !name;
    text = name->data;
    if (text->size == 0)
        return true;
    for (uint32_t i = 0; list && list->type == BP_ATTR_FLOAT && i < list->count && i < 2; i++)
        params[i] = ((const float *)list->data)[i];
    return bp_dnnl_add_activation(text->data, text->size, params, attr);
}

/* Of the activations that chains know only swish has a parameter. */
void bp_dnnl_add_chain_activation(struct bp_dnnl_attr *attr, const struct bp_dnnl_chain *chain)
{
    bool has_alpha = chain->activation == dnnl_eltwise_swish;

    if (chain->activation != dnnl_alg_kind_undef)
        bp_dnnl_add_eltwise(attr, chain->activation, has_alpha ? chain->alpha : 0, 0);
}
