/* SPDX-License-Identifier: MIT */
/*
 * capability.c - which nodes the provider takes, and why it refuses the others: what holds for all
 * operators here, then the operator's own claim().
 */

#include "capability.h"

#include "base/claim.h"
#include "base/instance.h"
#include "operators.h"

/* Outputs that are wanted are made, have a rank, and sizes that do not come with the data. */
static bool takes_outputs(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    uint32_t made = op->n_out > 0 ? op->n_out : 1;
    bool has_any = false;

    for (uint32_t i = 0; i < query->node->n_out; i++) {
        const bp_value *y = bp_node_out(query->graph, query->node, i);

        if (!y)
            continue;
        has_any = true;
        if (i >= made)
            return bp_opencl_refuse(query, BP_R_OTHER, y->name, "output %u is not computed", i);
        if (y->rank == BP_RANK_UNKNOWN)
            return bp_opencl_refuse(query, BP_R_DYNAMIC_SHAPE, y->name, "its rank is not known");
        if (y->rank > BP_OPENCL_MAX_RANK)
            return bp_opencl_refuse(query, BP_R_RANK, y->name, "rank %u, the provider takes 0..%d",
                                    y->rank, BP_OPENCL_MAX_RANK);
        for (uint32_t k = 0; k < y->rank; k++) {
            if (y->dims[k].flags & BP_DIM_FROM_DATA)
                return bp_opencl_refuse(query, BP_R_DYNAMIC_SHAPE, y->name,
                                        "its sizes are known only after it was computed");
        }
    }
    return has_any || bp_opencl_refuse(query, BP_R_OTHER, NULL, "none of its outputs is used");
}

/* Inputs that are surely empty; sizes that are not known yet are looked at again in the frame. */
static bool takes_sizes(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    for (uint32_t i = 0; i < query->node->n_in && !op->takes_empty; i++) {
        const bp_value *x = bp_node_in(query->graph, query->node, i);

        for (uint32_t k = 0;
             x && !(op->host_inputs >> i & 1) && x->rank != BP_RANK_UNKNOWN && k < x->rank; k++) {
            if (x->dims[k].value == 0)
                return bp_opencl_refuse(query, BP_R_OTHER, x->name, "it has no elements");
        }
    }
    return true;
}

/* A node without an input that is computed is better computed once, by the host. */
static bool reads_computed(const struct bp_opencl_query *query)
{
    for (uint32_t i = 0; i < query->node->n_in; i++) {
        const bp_value *x = bp_node_in(query->graph, query->node, i);

        if (x && !(x->flags & BP_VALUE_CONSTANT))
            return true;
    }
    return bp_opencl_refuse(query, BP_R_OTHER, NULL, "every input is constant");
}

/* From the general to the particular, so that the refusal names the first thing to change. */
static bool takes_node(const struct bp_opencl_query *query)
{
    uint32_t known_to;
    const struct bp_opencl_op *op = bp_opencl_find_operator(query->node, &known_to);

    if (!op && known_to == 0)
        return bp_opencl_refuse(query, BP_R_OP, NULL, "the operator is not implemented");
    if (!op)
        return bp_opencl_refuse(query, BP_R_OPSET, NULL,
                                "version %u is not implemented, version %u is", query->node->since,
                                known_to);
    return reads_computed(query) && takes_outputs(op, query) && takes_sizes(op, query) &&
           op->claim(op, query);
}

bp_rc bp_opencl_capability(bp_instance *instance, const bp_graph *graph, const bp_claims *claims,
                           bp_err *err)
{
    bp_claim yes = {
        .struct_size = sizeof yes, .verdict = BP_YES, .device = instance->claimed_device};

    (void)err;
    for (uint32_t i = 0; i < graph->n_nodes; i++) {
        struct bp_opencl_query query = {.instance = instance,
                                        .graph = graph,
                                        .node = BP_NODE(graph, i),
                                        .claims = claims,
                                        .index = i};

        if (takes_node(&query))
            claims->node(claims->h, i, &yes);
    }
    return BP_OK;
}
