/* SPDX-License-Identifier: MIT */
/*
 * views.c - operators that move nothing: their output is their input's bytes. Shapes are the host's,
 * so that inputs which tell them are not read.
 */

#include "build/builder.h"

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 0, BP_OPENCL_MAX_RANK);
}

/* Input 2 could switch training on at run time; the mask is not computed. */
static bool claim_dropout(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    if (bp_node_in(query->graph, query->node, 2))
        return bp_opencl_refuse(query, BP_R_OTHER, "training_mode",
                                "only inference is implemented");
    return claim(op, query);
}

static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    (void)op;
    bp_opencl_view(b, node, 0, bp_opencl_in(b, node, 0));
}

#define ROW(onnx, from, claims, host)                                                              \
    {                                                                                              \
        .name = onnx, .since = from, .until = BP_OPENCL_LATEST, .claim = claims, .build = build,   \
        .types = BP_OPENCL_MOVABLE, .kind = BP_OPENCL_VIEW, .host_inputs = host                    \
    }

const struct bp_opencl_op bp_opencl_views_ops[] = {
    ROW("Dropout", 7, claim_dropout, ~1u),
    ROW("Flatten", 1, claim, 0),
    ROW("Identity", 1, claim, 0),
    ROW("Reshape", 5, claim, ~1u),
    ROW("Squeeze", 1, claim, ~1u),
    ROW("Unsqueeze", 1, claim, ~1u),
    {.name = NULL},
};
