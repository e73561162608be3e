/* SPDX-License-Identifier: MIT */
/*
 * post_op_chains.c - finds what oneDNN computes as one primitive: Conv, then perhaps a sum with a
 * tensor of the same shape, then perhaps an activation; MatMul by a matrix, then perhaps a bias
 * row, then perhaps an activation. The host's passes fuse most of these; what is left are
 * activations that FusedConv does not know, sums that are not Add, and sessions without passes.
 */

#include "fuse/post_op_chains.h"

#include "base/chain.h"
#include "base/claim.h"
#include "base/operator.h"
#include "base/program.h"
#include "ops/activation.h"

static bool is_of(const bp_node *node, const char *domain, const char *op)
{
    return strcmp(node->domain, domain) == 0 && strcmp(node->op, op) == 0;
}

static bool is(const bp_node *node, const char *op)
{
    return is_of(node, "", op);
}

static void add_node(struct bp_dnnl_chain *chain, uint32_t node)
{
    chain->nodes[chain->n_nodes++] = node;
    chain->last = node;
}

/*
 * Adds an elementwise sum that consumes the convolution to the chain: a residual connection.
 * oneDNN's sum post-op needs the same shape, without broadcast.
 */
static void find_sum(const bp_program *program, struct bp_dnnl_chain *chain, uint32_t consumer)
{
    const bp_graph *graph = program->graph;
    const bp_node *node = BP_NODE(graph, consumer);
    uint32_t y = BP_NODE(graph, chain->head)->out[0], other;

    if ((!is(node, "Add") && !is(node, "Sum")) || node->n_in != 2)
        return;
    other = node->in[node->in[0] == y ? 1 : 0];
    if (!bp_dnnl_same_shape(BP_VALUE(graph, y), BP_VALUE(graph, other)))
        return;
    chain->other = other;
    add_node(chain, consumer);
}

/* The operator's own build_chain makes it. */
static struct bp_dnnl_chain begin_chain(const bp_program *program, uint32_t head)
{
    return (struct bp_dnnl_chain){.is_set = true,
                                  .head = head,
                                  .last = head,
                                  .other = BP_NONE,
                                  .n_nodes = 1,
                                  .nodes = {head},
                                  .build = program->ops[head]->build_chain};
}

/* The eltwise that the node is, or dnnl_alg_kind_undef. QuickGelu is swish with alpha 1.702. */
static dnnl_alg_kind_t activation_of(const bp_graph *graph, const bp_node *node)
{
    static const struct {
        const char *domain, *op;
        dnnl_alg_kind_t kind;
    } rows[] = {
        {"", "Gelu", dnnl_eltwise_gelu_erf},
        {"", "HardSwish", dnnl_eltwise_hardswish},
        {"", "Mish", dnnl_eltwise_mish},
        {"", "Relu", dnnl_eltwise_relu},
        {"com.microsoft", "Gelu", dnnl_eltwise_gelu_erf},
        {"com.microsoft", "QuickGelu", dnnl_eltwise_swish},
    };

    if (is(node, "Gelu") && bp_node_string_is(graph, node, "approximate", "none", "tanh"))
        return dnnl_eltwise_gelu_tanh;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (is_of(node, rows[i].domain, rows[i].op))
            return rows[i].kind;
    }
    return dnnl_alg_kind_undef;
}

/* An activation ends the chain: nothing is fused after it. */
static void add_activation(const bp_program *program, struct bp_dnnl_chain *chain,
                           uint32_t consumer)
{
    const bp_node *node;

    if (consumer == BP_NONE)
        return;
    node = BP_NODE(program->graph, consumer);
    chain->activation = activation_of(program->graph, node);
    if (chain->activation == dnnl_alg_kind_undef)
        return;
    chain->alpha = bp_node_float(program->graph, node, "alpha", BP_DNNL_QUICK_GELU_ALPHA);
    add_node(chain, consumer);
}

/* Where both inputs of a sum are convolutions, only one can have it. */
static void find_conv_chain(bp_program *program, uint32_t conv)
{
    const bp_graph *graph = program->graph;
    struct bp_dnnl_chain chain = begin_chain(program, conv);
    uint32_t consumer = bp_dnnl_only_consumer(program, BP_NODE(graph, conv)->out[0], conv);

    if (consumer != BP_NONE)
        find_sum(program, &chain, consumer);
    if (chain.last != conv) {
        if (program->chains[chain.last].is_set)
            return; /* the other input is a convolution too, and has it */
        consumer = bp_dnnl_only_consumer(program, BP_NODE(graph, chain.last)->out[0], chain.last);
    }
    add_activation(program, &chain, consumer);
    bp_dnnl_add_chain(program, &chain);
}

/*
 * The row that an Add adds to each row of y, as long as the matrix has columns, which is oneDNN's
 * bias; BP_NONE: it adds something else.
 */
static uint32_t find_bias_row(const bp_graph *graph, const bp_node *node, uint32_t y,
                              const bp_value *matrix)
{
    uint32_t other;
    const bp_value *row;

    if (!is(node, "Add") || matrix->rank != 2 || matrix->dims[1].value < 0)
        return BP_NONE;
    other = node->in[node->in[0] == y ? 1 : 0];
    row = BP_VALUE(graph, other);
    return row->rank == 1 && row->dims[0].value == matrix->dims[1].value ? other : BP_NONE;
}

/* Only by a constant or computed matrix of rank 2: a stack has no bias in oneDNN. */
static void find_product_chain(bp_program *program, uint32_t product)
{
    const bp_graph *graph = program->graph;
    const bp_node *node = BP_NODE(graph, product);
    struct bp_dnnl_chain chain = begin_chain(program, product);
    uint32_t consumer = bp_dnnl_only_consumer(program, node->out[0], product);

    if (consumer != BP_NONE)
        chain.other = find_bias_row(graph, BP_NODE(graph, consumer), node->out[0],
                                    BP_VALUE(graph, node->in[1]));
    if (chain.other != BP_NONE) {
        add_node(&chain, consumer);
        consumer = bp_dnnl_only_consumer(program, BP_NODE(graph, consumer)->out[0], consumer);
    }
    add_activation(program, &chain, consumer);
    bp_dnnl_add_chain(program, &chain);
}

/*
 * Backwards, so that of two convolutions that are summed the later one does it: by then the other's
 * result exists.
 */
void bp_dnnl_find_post_op_chains(bp_program *program)
{
    /* backwards, so that of two convolutions that are summed the later one does it */
    for (uint32_t i = program->graph->n_nodes; i-- > 0;) {
        if (is(BP_NODE(program->graph, i), "Conv"))
            find_conv_chain(program, i);
        else if (is(BP_NODE(program->graph, i), "MatMul"))
            find_product_chain(program, i);
    }
}
