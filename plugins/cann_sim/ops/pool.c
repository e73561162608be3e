/* SPDX-License-Identifier: MIT */
/* pool.c - MaxPool, AveragePool and the global ones, of 2-D images, on MaxPoolV3 and AvgPoolV2. */

#include "types.h"

enum { SPATIAL = 2 };

/* [batch, channels, height, width]. */
static bool takes_image(const struct bp_cann_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);

    if (x->rank == SPATIAL + 2)
        return true;
    return bp_cann_refuse(query, BP_R_RANK, x->name, "spatial rank %d, provider takes %d",
                          (int)x->rank - 2, SPATIAL);
}

static bool claim_global(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    (void)op;
    return takes_image(query);
}

/*
 * What ACL has no attribute for is refused: dilations, indices, and the divisor that ONNX uses with
 * ceil_mode and count_include_pad.
 */
static bool claim_pool(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    const bp_value *indices = bp_node_out(query->graph, query->node, 1);
    bool counts_pads = bp_node_int(query->graph, query->node, "count_include_pad", 0) != 0;

    (void)op;
    if (!takes_image(query) || !bp_cann_takes_window(query, true) ||
        !bp_cann_all(query, "dilations", 1))
        return false;
    if (indices)
        return bp_cann_refuse(query, BP_R_OTHER, indices->name, "ACL gives no indices");
    if (counts_pads && bp_node_int(query->graph, query->node, "ceil_mode", 0) != 0)
        return bp_cann_refuse(query, BP_R_ATTRIBUTE, "ceil_mode",
                              "ceil_mode with count_include_pad divides by another count than ACL");
    return true;
}

/* What all of them have, after their own attributes. */
static void finish(struct bp_cann_build *b)
{
    bp_cann_set_string(b, "data_format", "NCHW");
    bp_cann_add_input(b, bp_cann_in(b, 0), ACL_FORMAT_NCHW);
    bp_cann_add_output(b, bp_cann_out(b, 0), ACL_FORMAT_NCHW);
}

/* ACL wants a window all the same, even if it is the whole image. */
static void build_global(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    const struct bp_cann_tensor *x = bp_cann_in(b, 0);
    const int64_t window[] = {1, 1, x->dims[2], x->dims[3]}, ones[] = {1, 1, 1, 1};

    (void)node;
    bp_cann_begin_call(b, op->acl);
    bp_cann_set_ints(b, "ksize", 4, window);
    bp_cann_set_ints(b, "strides", 4, ones);
    bp_cann_set_string(b, "padding_mode", "VALID");
    bp_cann_set_bool(b, "global_pooling", true);
    finish(b);
}

/*
 * ceil_mode is about pads that are given. ONNX's sizes of VALID come to the same with it and
 * without, and those of SAME are the input's; ACL would round up once more.
 */
static bool rounds_up(const bp_graph *graph, const bp_node *node)
{
    return bp_node_int(graph, node, "ceil_mode", 0) != 0 &&
           bp_node_string_is(graph, node, "auto_pad", "NOTSET", "NOTSET");
}

/*
 * ACL makes nothing of a window that is larger than the padded image; ONNX's ceil_mode makes one
 * output. So the padding at the end is made large enough.
 */
static void widen_pads(const struct bp_cann_build *b, const int64_t *window, int64_t *pads)
{
    const struct bp_cann_tensor *x = bp_cann_in(b, 0);

    for (uint32_t i = 0; i < SPATIAL; i++) {
        int64_t lacking = window[i] - (x->dims[2 + i] + pads[2 * i] + pads[2 * i + 1]);

        pads[2 * i + 1] += lacking > 0 ? lacking : 0;
    }
}

/*
 * ONNX's count_include_pad is the opposite of ACL's "exclusive". The vendor's provider hands it on
 * as it is.
 */
static void build_pool(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    int64_t window[] = {1, 1, 1, 1}, steps[] = {1, 1, 1, 1}, pads[2 * SPATIAL];
    uint32_t n_kernel, n_strides;
    const int64_t *kernel = bp_node_ints(b->graph, node, "kernel_shape", &n_kernel);
    const int64_t *strides = bp_node_ints(b->graph, node, "strides", &n_strides);

    for (uint32_t i = 0; i < SPATIAL; i++) {
        window[2 + i] = n_kernel ? kernel[i] : 1;
        steps[2 + i] = n_strides ? strides[i] : 1;
    }
    bp_cann_window_pads(b, &window[2], SPATIAL, pads);
    if (rounds_up(b->graph, node))
        widen_pads(b, &window[2], pads);
    bp_cann_begin_call(b, op->acl);
    bp_cann_set_ints(b, "ksize", 4, window);
    bp_cann_set_ints(b, "strides", 4, steps);
    bp_cann_set_string(b, "padding_mode", "CALCULATED");
    bp_cann_set_ints(b, "pads", 2 * SPATIAL, pads);
    bp_cann_set_bool(b, "ceil_mode", rounds_up(b->graph, node));
    bp_cann_set_bool(b, "exclusive", bp_node_int(b->graph, node, "count_include_pad", 0) == 0);
    bp_cann_set_bool(b, "global_pooling", false);
    finish(b);
}

/* A row: versions from which it is documented, and those that kernels are registered for. */
#define ROW(row, onnx, calls, doc_from, from, to, claims, builds)                                  \
    const struct bp_cann_op bp_cann_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .acl = calls,                                                                              \
        .documented = {doc_from, LATEST, REALS},                                                   \
        .kernels = {{from, to, REALS}},                                                            \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
    }

ROW(average_pool, "AveragePool", "AvgPoolV2", 7, 7, LATEST, claim_pool, build_pool);
ROW(global_average_pool, "GlobalAveragePool", "AvgPoolV2", 1, 1, LATEST, claim_global,
    build_global);
ROW(global_max_pool, "GlobalMaxPool", "MaxPoolV3", 1, 1, LATEST, claim_global, build_global);
ROW(max_pool, "MaxPool", "MaxPoolV3", 1, 1, 7, claim_pool, build_pool);
