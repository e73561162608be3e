/* SPDX-License-Identifier: MIT */
/* pool.c - MaxPool, AveragePool, GlobalMaxPool and GlobalAveragePool. */

#include "ops/window.h"

enum { MAX, AVERAGE };

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    uint32_t n;

    if (!bp_opencl_takes(query, 0, op->types, 3, 5) || !bp_opencl_takes_window(query))
        return false;
    bp_node_ints(query->graph, query->node, "kernel_shape", &n);
    if (n == 0)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "kernel_shape", "it is absent");
    if (bp_node_out(query->graph, query->node, 1) &&
        bp_node_int(query->graph, query->node, "storage_order", 0) != 0)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "storage_order",
                                "indices in columns are not computed");
    return bp_node_out(query->graph, query->node, 0) ||
           bp_opencl_refuse(query, BP_R_OTHER, NULL, "its first output is not used");
}

static bool claim_global(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 3, BP_OPENCL_MAX_RANK);
}

static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    const struct bp_opencl_tensor *indices = bp_opencl_out(b, node, 1);
    int64_t planes = y->dims[0] * y->dims[1];
    struct bp_opencl_prefix prefix = {.n = 0};
    struct bp_opencl_window window;
    uint32_t n;

    bp_opencl_make_window(b, node, x, y, bp_node_ints(b->graph, node, "kernel_shape", &n), false,
                          &window);
    bp_opencl_define_type(&prefix, "T", y->dtype);
    bp_opencl_begin(b, "pool", prefix.text, op->kind == MAX ? "max_pool" : "average_pool");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    if (op->kind == MAX)
        bp_opencl_operand(b, indices ? indices : y);
    bp_opencl_struct(b, &window, sizeof window);
    bp_opencl_int(b, planes);
    bp_opencl_int(b, op->kind == MAX ? indices != NULL
                                     : bp_node_int(b->graph, node, "count_include_pad", 0) != 0);
    bp_opencl_run(b, bp_opencl_volume(window.out), planes, 1);
}

static void build_global(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                         const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    struct bp_opencl_prefix prefix = {.n = 0};

    bp_opencl_define_type(&prefix, "T", y->dtype);
    bp_opencl_begin(b, "pool", prefix.text, "global_pool");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    bp_opencl_int(b, x->count / y->count);
    bp_opencl_int(b, op->kind == MAX);
    bp_opencl_run_groups(b, y->count * 64, 1, 1, 64, 1);
}

#define ROW(onnx, from, claims, builds, which, outs)                                               \
    {                                                                                              \
        .name = onnx, .since = from, .until = BP_OPENCL_LATEST, .claim = claims, .build = builds,  \
        .types = BP_OPENCL_FLOATS, .kind = which, .n_out = outs                                    \
    }

const struct bp_opencl_op bp_opencl_pool_ops[] = {
    ROW("AveragePool", 7, claim, build, AVERAGE, 1),
    ROW("GlobalAveragePool", 1, claim_global, build_global, AVERAGE, 1),
    ROW("GlobalMaxPool", 1, claim_global, build_global, MAX, 1),
    ROW("MaxPool", 1, claim, build, MAX, 2),
    {.name = NULL},
};
