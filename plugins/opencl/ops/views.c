/* SPDX-License-Identifier: MIT */
/*
 * views.c - operators that move nothing: their output is their input's bytes, or its sizes. Shapes are the host's,
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

/* ---- Shape, Size ----------------------------------------------------------------------------- */

static bool claim_shape(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 0, BP_OPENCL_MAX_RANK);
}

static int64_t clamp(int64_t value, int64_t rank)
{
    value += value < 0 ? rank : 0;
    return value < 0 ? 0 : value > rank ? rank : value;
}

/* Sizes are known when a frame is made, so that they are a table of it. */
static void build_shape(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                        const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t start = clamp(bp_node_int(b->graph, node, "start", 0), x->rank);
    struct bp_opencl_tensor table;

    (void)op;
    table = bp_opencl_table(b, BP_DTYPE_I64, x->dims + start, y->count);
    bp_opencl_view(b, node, 0, &table);
}

static void build_size(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                       const bp_node *node)
{
    struct bp_opencl_tensor table =
        bp_opencl_table(b, BP_DTYPE_I64, &bp_opencl_in(b, node, 0)->count, 1);

    (void)op;
    bp_opencl_view(b, node, 0, &table);
}

#define SIZES(onnx, builds)                                                                        \
    {                                                                                              \
        .name = onnx, .since = 1, .until = BP_OPENCL_LATEST, .claim = claim_shape,                 \
        .build = builds, .types = BP_OPENCL_MOVABLE, .kind = BP_OPENCL_VIEW, .host_inputs = ~0u,   \
        .takes_empty = true                                                                        \
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
    SIZES("Shape", build_shape),
    SIZES("Size", build_size),
    ROW("Squeeze", 1, claim, ~1u),
    ROW("Unsqueeze", 1, claim, ~1u),
    {.name = NULL},
};
