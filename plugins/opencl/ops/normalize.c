/* SPDX-License-Identifier: MIT */
/*
 * normalize.c - BatchNormalization, InstanceNormalization, GroupNormalization, LayerNormalization and
 * its kin, LRN.
 */

#include "ops/elementwise.h"

enum { ANY = BP_OPENCL_MAX_RANK };

/* ---- rows ------------------------------------------------------------------------------------ */

/* How elements of a row find their scale: (row * by_row + i / run) % n. */
struct scaling {
    int64_t by_row, run, n;
};

/* bias may be NULL. */
struct rows {
    const struct bp_opencl_tensor *x, *y, *scale, *bias;
    float epsilon;
};

static void add_rows(struct bp_opencl_builder *b, const struct rows *rows, int64_t n,
                     const struct scaling *scaling, bool is_rms)
{
    struct bp_opencl_prefix prefix = {.n = 0};

    bp_opencl_define_type(&prefix, "T", rows->y->dtype);
    if (is_rms)
        bp_opencl_define(&prefix, "#define IS_RMS");
    bp_opencl_begin(b, "normalize", prefix.text, "normalize_rows");
    bp_opencl_operand(b, rows->y);
    bp_opencl_operand(b, rows->x);
    bp_opencl_operand(b, rows->scale);
    bp_opencl_operand(b, rows->bias ? rows->bias : rows->scale);
    bp_opencl_int(b, n);
    bp_opencl_int(b, scaling->by_row);
    bp_opencl_int(b, scaling->run);
    bp_opencl_int(b, scaling->n);
    bp_opencl_int(b, rows->bias != NULL);
    bp_opencl_float(b, rows->epsilon);
    bp_opencl_run_groups(b, rows->x->count / n * 64, 1, 1, 64, 1);
}

static void build_rows(struct bp_opencl_builder *b, const bp_node *node, int64_t n,
                       const struct scaling *scaling, bool is_rms)
{
    add_rows(b,
             &(struct rows){bp_opencl_in(b, node, 0), bp_opencl_out(b, node, 0),
                            bp_opencl_in(b, node, 1), bp_opencl_in(b, node, 2),
                            bp_node_float(b->graph, node, "epsilon", 1e-5f)},
             n, scaling, is_rms);
}

static bool takes_vectors(const struct bp_opencl_op *op, const struct bp_opencl_query *query,
                          uint32_t n)
{
    for (uint32_t i = 1; i <= n; i++) {
        if (!bp_opencl_takes(query, i, op->types, 1, 1) || !bp_opencl_same_type(query, i))
            return false;
    }
    return true;
}

static bool claim_instance(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 3, ANY) && takes_vectors(op, query, 2);
}

static void build_instance(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                           const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0);
    int64_t n = x->count / (x->dims[0] * x->dims[1]);
    struct scaling scaling = {.by_row = 1, .run = n, .n = x->dims[1]};

    (void)op;
    build_rows(b, node, n, &scaling, false);
}

/* Since version 21 scale and bias are those of channels, as here; before, of groups. */
static bool claim_group(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return claim_instance(op, query) &&
           (bp_node_int(query->graph, query->node, "num_groups", 0) >= 1 ||
            bp_opencl_refuse(query, BP_R_ATTRIBUTE, "num_groups", "it is below 1"));
}

static void build_group(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                        const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0);
    int64_t groups = bp_node_int(b->graph, node, "num_groups", 1);
    int64_t n = x->count / (x->dims[0] * groups), channels = x->dims[1];
    struct scaling scaling = {
        .by_row = channels / groups, .run = n / (channels / groups), .n = channels};

    (void)op;
    build_rows(b, node, n, &scaling, false);
}

/* The last dimensions, from the axis on, are a row, and scale and bias have their shape. */
static bool claim_layer(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    int64_t axis = bp_node_int(query->graph, query->node, "axis", -1);

    if (!bp_opencl_takes(query, 0, op->types, 1, ANY) ||
        !bp_opencl_takes(query, 1, op->types, 1, ANY) ||
        !bp_opencl_takes_optional(query, 2, op->types, 1, ANY) || !bp_opencl_same_type(query, 1) ||
        !bp_opencl_same_type(query, 2))
        return false;
    axis += axis < 0 ? (int64_t)x->rank : 0;
    if (axis < 0 || axis >= (int64_t)x->rank)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "axis", "it is out of range");
    for (uint32_t i = 1; i <= 2; i++) {
        const bp_value *scale = bp_node_in(query->graph, query->node, i);

        if (scale && (int64_t)scale->rank != (int64_t)x->rank - axis)
            return bp_opencl_refuse(query, BP_R_RANK, scale->name,
                                    "it has not the shape of the last dimensions");
        for (uint32_t d = 0; scale && d < scale->rank; d++) {
            const bp_dim *size = &scale->dims[d], *of_x = &x->dims[axis + d];

            if (size->value < 0 || size->value != of_x->value)
                return bp_opencl_refuse(query, BP_R_OTHER, scale->name,
                                        "it has not the shape of the last dimensions");
        }
    }
    return true;
}

static void build_layer(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                        const bp_node *node)
{
    struct scaling scaling = {.by_row = 0, .run = 1, .n = bp_opencl_in(b, node, 1)->count};

    build_rows(b, node, scaling.n, &scaling, op->kind == 1);
}

/* ---- SkipLayerNormalization ------------------------------------------------------------------ */

/* Inputs are x, skip, scale, beta (not of the simplified one) and a bias; output 3 is their sum. */
static bool claim_skip(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    const bp_value *x, *scale;
    uint32_t last = op->kind == 1 ? 3 : 4;

    for (uint32_t i = 0; i <= last; i++) {
        if (!(i < 3 ? bp_opencl_takes(query, i, op->types, 1, i < 2 ? ANY : 1)
                    : bp_opencl_takes_optional(query, i, op->types, 1, 1)) ||
            !bp_opencl_same_type(query, i))
            return false;
    }
    for (uint32_t i = 1; i < 3; i++) {
        if (bp_node_out(query->graph, query->node, i))
            return bp_opencl_refuse(query, BP_R_OTHER, NULL, "output %u is not computed", i);
    }
    x = bp_node_in(query->graph, query->node, 0);
    scale = bp_node_in(query->graph, query->node, 2);
    return (scale->dims[0].value > 0 && scale->dims[0].value == x->dims[x->rank - 1].value) ||
           bp_opencl_refuse(query, BP_R_OTHER, scale->name,
                            "it has not the size of the last dimension");
}

static void build_skip(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                       const bp_node *node)
{
    uint32_t at = op->kind == 1 ? 3 : 4;
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *bias = bp_opencl_in(b, node, at);
    const struct bp_opencl_tensor *in[] = {x, bp_opencl_in(b, node, 1), bias};
    const struct bp_opencl_tensor *wanted = bp_opencl_out(b, node, 3);
    struct scaling scaling = {.by_row = 0, .run = 1, .n = bp_opencl_in(b, node, 2)->count};
    struct bp_opencl_prefix prefix = {.n = 0};
    struct bp_opencl_tensor sum;

    if (wanted) {
        sum = *wanted;
    } else {
        sum = *x;
        sum.place = bp_opencl_scratch(b, x->dtype, x->count).place;
    }
    bp_opencl_elementwise(b, &sum, in, bias ? 3 : 2, &prefix, bias ? "a + b + c" : "a + b");
    if (bp_opencl_out(b, node, 0))
        add_rows(b,
                 &(struct rows){&sum, bp_opencl_out(b, node, 0), bp_opencl_in(b, node, 2),
                                op->kind == 1 ? NULL : bp_opencl_in(b, node, 3),
                                bp_node_float(b->graph, node, "epsilon", 1e-12f)},
                 scaling.n, &scaling, op->kind == 1);
}

/* ---- BatchNormalization ---------------------------------------------------------------------- */

static bool claim_batch(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    if (bp_node_int(query->graph, query->node, "training_mode", 0))
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "training_mode",
                                "only inference is implemented");
    if (bp_node_int(query->graph, query->node, "spatial", 1) != 1)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "spatial", "it is not 1");
    return bp_opencl_takes(query, 0, op->types, 2, ANY) && takes_vectors(op, query, 4);
}

static void build_batch(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                        const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t planes = x->dims[0] * x->dims[1], n = x->count / planes;
    struct bp_opencl_prefix prefix = {.n = 0};

    (void)op;
    bp_opencl_define_type(&prefix, "T", y->dtype);
    bp_opencl_begin(b, "normalize", prefix.text, "batch_norm");
    bp_opencl_operand(b, y);
    for (uint32_t i = 0; i < 5; i++)
        bp_opencl_operand(b, bp_opencl_in(b, node, i));
    bp_opencl_int(b, n);
    bp_opencl_int(b, planes);
    bp_opencl_int(b, x->dims[1]);
    bp_opencl_float(b, bp_node_float(b->graph, node, "epsilon", 1e-5f));
    bp_opencl_run(b, n, planes, 1);
}

/* ---- LRN ------------------------------------------------------------------------------------- */

static bool claim_lrn(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    int64_t size = bp_node_int(query->graph, query->node, "size", 0);

    return bp_opencl_takes(query, 0, op->types, 3, ANY) &&
           ((size >= 1 && size <= INT32_MAX) ||
            bp_opencl_refuse(query, BP_R_ATTRIBUTE, "size", "it is below 1"));
}

static void build_lrn(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                      const bp_node *node)
{
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *y = bp_opencl_out(b, node, 0);
    int64_t planes = x->dims[0] * x->dims[1], n = x->count / planes;
    struct bp_opencl_prefix prefix = {.n = 0};

    (void)op;
    bp_opencl_define_type(&prefix, "T", y->dtype);
    bp_opencl_begin(b, "normalize", prefix.text, "lrn");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    bp_opencl_int(b, n);
    bp_opencl_int(b, planes);
    bp_opencl_int(b, x->dims[1]);
    bp_opencl_int(b, bp_node_int(b->graph, node, "size", 1));
    bp_opencl_float(b, bp_node_float(b->graph, node, "alpha", 1e-4f));
    bp_opencl_float(b, bp_node_float(b->graph, node, "beta", 0.75f));
    bp_opencl_float(b, bp_node_float(b->graph, node, "bias", 1));
    bp_opencl_run(b, n, planes, 1);
}

#define ROW(onnx, from, claims, builds, which)                                                     \
    {                                                                                              \
        .name = onnx, .since = from, .until = BP_OPENCL_LATEST, .claim = claims, .build = builds,  \
        .types = BP_OPENCL_FLOATS, .kind = which                                                   \
    }

#define SKIP(onnx, which)                                                                          \
    {                                                                                              \
        .name = onnx, .domain = "com.microsoft", .since = 1, .until = BP_OPENCL_LATEST,            \
        .claim = claim_skip, .build = build_skip, .types = BP_OPENCL_FLOATS, .kind = which,        \
        .n_out = 4                                                                                 \
    }

const struct bp_opencl_op bp_opencl_normalize_ops[] = {
    ROW("BatchNormalization", 7, claim_batch, build_batch, 0),
    ROW("GroupNormalization", 21, claim_group, build_group, 0),
    ROW("InstanceNormalization", 6, claim_instance, build_instance, 0),
    ROW("LRN", 1, claim_lrn, build_lrn, 0),
    ROW("LayerNormalization", 17, claim_layer, build_layer, 0),
    ROW("RMSNormalization", 23, claim_layer, build_layer, 1),
    ROW("SimplifiedLayerNormalization", 1, claim_layer, build_layer, 1),
    SKIP("SkipLayerNormalization", 0),
    SKIP("SkipSimplifiedLayerNormalization", 1),
    {.name = NULL},
};
