/* SPDX-License-Identifier: MIT */
/*
 * chain.c - finds Conv, then perhaps a sum with something of the same shape, then perhaps Relu:
 * one primitive, which runs where the last of them stands. The host's passes fuse most of these;
 * what is left are sums that are no Add, and sessions that asked for no passes.
 */

#include "onednn.h"

static bool is(const bp_node *node, const char *op)
{
    return node->domain[0] == '\0' && strcmp(node->op, op) == 0;
}

/* The node that alone reads the value, or BP_NONE; readers stand behind `from`. */
static uint32_t only_reader(const bp_program *program, uint32_t value, uint32_t from)
{
    const bp_graph *graph = program->graph;

    if (program->uses[value] != 1 || BP_VALUE(graph, value)->flags & BP_VALUE_OUTPUT)
        return BP_NONE;
    for (uint32_t i = from + 1; i < graph->n_nodes; i++) {
        const bp_node *node = BP_NODE(graph, i);

        for (uint32_t k = 0; k < node->n_in; k++) {
            if (node->in[k] == value)
                return i;
        }
    }
    return BP_NONE;
}

/* Are two shapes surely one, whatever the sizes? */
static bool same_shape(const bp_value *a, const bp_value *b)
{
    if (a->rank != b->rank || a->rank == BP_RANK_UNKNOWN)
        return false;
    for (uint32_t i = 0; i < a->rank; i++) {
        if (a->dims[i].value != b->dims[i].value ||
            (a->dims[i].value < 0 &&
             (a->dims[i].symbol == 0 || a->dims[i].symbol != b->dims[i].symbol)))
            return false;
    }
    return true;
}

/* Sets the chain's sum, if the node that reads the convolution is one. */
static void find_sum(const bp_program *program, struct bp_dnnl_chain *chain, uint32_t reader)
{
    const bp_graph *graph = program->graph;
    const bp_node *node = BP_NODE(graph, reader);
    uint32_t y = BP_NODE(graph, chain->conv)->out[0], other;

    if ((!is(node, "Add") && !is(node, "Sum")) || node->n_in != 2)
        return;
    other = node->in[node->in[0] == y ? 1 : 0];
    if (!same_shape(BP_VALUE(graph, y), BP_VALUE(graph, other)))
        return;
    chain->other = other;
    chain->last = reader;
}

static void find_chain(bp_program *program, uint32_t conv)
{
    const bp_graph *graph = program->graph;
    struct bp_dnnl_chain chain = {
        .is_one = true, .conv = conv, .last = conv, .other = BP_NONE, .sum = BP_NONE};
    uint32_t reader = only_reader(program, BP_NODE(graph, conv)->out[0], conv);

    if (reader != BP_NONE)
        find_sum(program, &chain, reader);
    if (chain.last != conv) {
        if (program->chains[chain.last].is_one)
            return; /* the other input is a convolution too, and has it */
        chain.sum = chain.last;
        reader = only_reader(program, BP_NODE(graph, chain.last)->out[0], chain.last);
    }
    if (reader != BP_NONE && is(BP_NODE(graph, reader), "Relu")) {
        chain.has_relu = true;
        chain.last = reader;
    }
    if (chain.last == conv)
        return;
    program->is_absorbed[conv] = true;
    if (chain.sum != BP_NONE) {
        program->chains[chain.sum].is_one = true; /* taken */
        program->is_absorbed[chain.sum] = chain.sum != chain.last;
    }
    program->chains[chain.last] = chain;
}

void bp_dnnl_find_chains(bp_program *program)
{
    /* backwards, so that of two convolutions that are summed the later one does it */
    for (uint32_t i = program->graph->n_nodes; i-- > 0;) {
        if (is(BP_NODE(program->graph, i), "Conv"))
            find_chain(program, i);
    }
}
