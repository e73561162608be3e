/* SPDX-License-Identifier: MIT */
/* gather.c - Gather and GatherElements. */

#include "ops/move.h"

enum { ANY = BP_OPENCL_MAX_RANK };

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    int64_t axis = bp_node_int(query->graph, query->node, "axis", 0), rank;

    if (!bp_opencl_takes(query, 0, op->types, 1, ANY) ||
        !bp_opencl_takes(query, 1, BP_OPENCL_INDICES, 0, ANY))
        return false;
    rank = bp_node_in(query->graph, query->node, 0)->rank;
    return (axis >= -rank && axis < rank) ||
           bp_opencl_refuse(query, BP_R_ATTRIBUTE, "axis", "it is out of range");
}

static int64_t axis_of(const struct bp_opencl_builder *b, const bp_node *node, uint32_t rank)
{
    int64_t axis = bp_node_int(b->graph, node, "axis", 0);

    return axis + (axis < 0 ? (int64_t)rank : 0);
}

static void begin(struct bp_opencl_builder *b, const bp_node *node, const char *name)
{
    struct bp_opencl_prefix prefix = {.n = 0};

    bp_opencl_define_bytes(&prefix, "T", bp_opencl_out(b, node, 0)->dtype);
    bp_opencl_define_type(&prefix, "TI", bp_opencl_in(b, node, 1)->dtype);
    bp_opencl_begin(b, "gather", prefix.text, name);
    bp_opencl_operand(b, bp_opencl_out(b, node, 0));
    bp_opencl_operand(b, bp_opencl_in(b, node, 0));
    bp_opencl_operand(b, bp_opencl_in(b, node, 1));
}

static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t axis = axis_of(b, node, x->rank), n = bp_opencl_in(b, node, 1)->count, inner = 1;

    (void)op;
    for (int64_t d = axis + 1; d < (int64_t)x->rank; d++)
        inner *= x->dims[d];
    begin(b, node, "gather");
    bp_opencl_int(b, inner);
    bp_opencl_int(b, n);
    bp_opencl_int(b, x->dims[axis]);
    bp_opencl_run(b, inner, n, y->count / (inner * n));
}

static void build_elements(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                           const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t axis = axis_of(b, node, x->rank), strides[ANY];
    struct bp_opencl_walk walk = {.rank = (int32_t)y->rank};

    (void)op;
    bp_opencl_dense(x->rank, x->dims, strides);
    for (uint32_t d = 0; d < y->rank; d++) {
        walk.dims[d] = (int32_t)y->dims[d];
        walk.strides[0][d] = (int32_t)strides[d];
    }
    begin(b, node, "gather_elements");
    bp_opencl_struct(b, &walk, sizeof walk);
    bp_opencl_int(b, y->count);
    bp_opencl_int(b, axis);
    bp_opencl_int(b, x->dims[axis]);
    bp_opencl_int(b, strides[axis]);
    bp_opencl_run(b, y->count, 1, 1);
}

#define ROW(onnx, from, builds)                                                                    \
    {                                                                                              \
        .name = onnx, .since = from, .until = BP_OPENCL_LATEST, .claim = claim, .build = builds,   \
        .types = BP_OPENCL_MOVABLE                                                                 \
    }

const struct bp_opencl_op bp_opencl_gather_ops[] = {
    ROW("Gather", 1, build),
    ROW("GatherElements", 11, build_elements),
    {.name = NULL},
};
