/* SPDX-License-Identifier: MIT */
/* capability.c - which nodes the CPU provider takes, and why it refuses the others. */

#include "program.h"

/* Refuses the node when one of its tensors has more than BP_CPU_MAX_RANK dimensions. */
static bool has_sane_ranks(const struct bp_cpu_query *query)
{
    const bp_node *node = query->node;

    for (uint32_t i = 0; i < node->n_in + node->n_out; i++) {
        const bp_value *value = i < node->n_in ? bp_node_in(query->graph, node, i)
                                               : bp_node_out(query->graph, node, i - node->n_in);

        if (value && value->rank != BP_RANK_UNKNOWN && value->rank > BP_CPU_MAX_RANK) {
            bp_cpu_refuse(query, BP_R_RANK, value->name, "rank %u, at most %d is taken",
                          value->rank, BP_CPU_MAX_RANK);
            return false;
        }
    }
    return true;
}

/* Accepts or refuses one node: the version first, then the ranks, then what its operator says. */
static void answer(const struct bp_cpu_index *index, const struct bp_cpu_query *query)
{
    const bp_node *node = query->node;
    uint32_t known_at;
    const struct bp_cpu_op *op =
        bp_cpu_find_op(index, node->domain, node->op, node->since, &known_at);

    if (!op && known_at) {
        bp_cpu_refuse(query, BP_R_OPSET, node->op, "version %u of %s is not implemented, %u is",
                      node->since, node->op, known_at);
    } else if (!op) {
        bp_cpu_refuse(query, BP_R_OP, node->op, "the operator %s%s%s is not implemented",
                      node->domain, *node->domain ? "." : "", node->op);
    } else if (has_sane_ranks(query) && bp_cpu_has_types(query)) {
        if (op->claim)
            op->claim(op, query);
        else
            bp_cpu_claim_types(op, query);
    }
}

bp_rc bp_cpu_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                        bp_err *err)
{
    (void)err;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        struct bp_cpu_query query = {&instance->host, graph, BP_NODE(graph, i), claims, i};

        answer(&instance->index, &query);
    }
    return BP_OK;
}
