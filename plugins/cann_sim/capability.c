/* SPDX-License-Identifier: MIT */
/*
 * capability.c - which nodes the provider takes, and why it refuses the others: profiles, versions
 * and types here, then the operator's own claim().
 */

#include "cann.h"

/* ---- profiles -------------------------------------------------------------------------------- */

static bool is_within(const struct bp_cann_range *range, uint32_t since)
{
    return since >= range->first && since <= range->last;
}

static uint32_t types_within(const struct bp_cann_range *range, uint32_t since)
{
    return is_within(range, since) ? range->types : 0;
}

/*
 * Types that the profile takes in this version; 0: not this version. The table of graph mode has no
 * types of its own: it takes what either of the others takes, and its own additions.
 */
static uint32_t types_in(const struct bp_cann_op *op, uint32_t profile, uint32_t since)
{
    const struct bp_cann_range *range = op->kernels;

    if (profile == BP_CANN_DOCUMENTED)
        return types_within(&op->documented, since);
    if (profile == BP_CANN_GRAPH)
        return types_within(&op->documented, since) | types_within(&op->graph, since) |
               types_in(op, BP_CANN_KERNELS, since);
    while (range < op->kernels + 4 && range->last > 0 && !is_within(range, since))
        range++;
    return range < op->kernels + 4 && range->last > 0 ? range->types : 0;
}

/* Every row is in the table of graph mode. */
static bool is_in_profile(const struct bp_cann_op *op, uint32_t profile)
{
    switch (profile) {
    case BP_CANN_DOCUMENTED:
        return op->documented.last > 0;
    case BP_CANN_KERNELS:
        return op->kernels[0].last > 0;
    default:
        return true;
    }
}

/* ---- the answers ----------------------------------------------------------------------------- */

/*
 * An output without a reader leaves nothing to compute; its rank is held against ACL's limit too.
 */
static bool has_outputs(const struct bp_cann_query *query)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    if (!y)
        return bp_cann_refuse(query, BP_R_OTHER, NULL, "its first output is not used");
    return bp_cann_takes_shape(query, y);
}

/* What the vendor's graph mode needs as well: opset 8, and an input that is computed. */
static bool fits_graphs(const struct bp_cann_query *query)
{
    const bp_node *node = query->node;

    if (node->opset < 8)
        return bp_cann_refuse(query, BP_R_OPSET, NULL,
                              "opset %u, graph mode takes 8 and later; operators=kernels has it",
                              node->opset);
    for (uint32_t i = 0; i < node->n_in; i++) {
        const bp_value *value = bp_node_in(query->graph, node, i);

        if (value && !(value->flags & BP_VALUE_CONSTANT))
            return true;
    }
    return bp_cann_refuse(query, BP_R_OTHER, NULL, "every input is constant");
}

/* From the general to the particular, so that the refusal names the first thing to change. */
static bool takes_node(const struct bp_cann_query *query)
{
    const struct bp_cann_op *op = bp_cann_find_op(query->node);
    uint32_t profile = query->instance->profile, types;

    if (!op)
        return bp_cann_refuse(query, BP_R_OP, NULL, "the operator is not in the provider's table");
    if (!is_in_profile(op, profile))
        return bp_cann_refuse(
            query, BP_R_OP, NULL,
            "the operator is not in the provider's table of %s; operators=%s has it",
            profile == BP_CANN_DOCUMENTED ? "documented operators" : "kernels",
            is_in_profile(op, BP_CANN_KERNELS) ? "kernels" : "graph");
    types = types_in(op, profile, query->node->since);
    if (!types)
        return bp_cann_refuse(query, BP_R_OPSET, NULL, "version %u is not in the provider's table",
                              query->node->since);
    if (profile == BP_CANN_GRAPH && !fits_graphs(query))
        return false;
    return bp_cann_takes(query, 0, types) && has_outputs(query) && op->claim(op, query);
}

bp_rc bp_cann_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                         bp_err *err)
{
    (void)err;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        struct bp_cann_query query = {.instance = instance,
                                      .graph = graph,
                                      .node = BP_NODE(graph, i),
                                      .claims = claims,
                                      .index = i};

        if (takes_node(&query))
            bp_accept(claims, i);
    }
    return BP_OK;
}
