/* SPDX-License-Identifier: MIT */
/* chain.c - see chain.h. */

#include "base/chain.h"

#include "base/program.h"

/* Nodes are in topological order, so that a consumer comes after `from`. */
uint32_t bp_dnnl_only_consumer(const bp_program *program, uint32_t value, uint32_t from)
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

/*
 * Nodes before the last are marked both as taken, for other finders, and as fused away, for the
 * builder.
 */
void bp_dnnl_add_chain(bp_program *program, const struct bp_dnnl_chain *chain)
{
    if (chain->n_nodes < 2)
        return;
    for (uint32_t i = 0; i + 1 < chain->n_nodes; i++) {
        program->chains[chain->nodes[i]].is_set = true; /* taken */
        program->is_fused_away[chain->nodes[i]] = true;
    }
    program->chains[chain->last] = *chain;
}
