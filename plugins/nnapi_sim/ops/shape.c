/* SPDX-License-Identifier: MIT */
/*
 * shape.c - operators that move or regroup elements: Concat, Split, Reshape, Flatten, Squeeze,
 * Unsqueeze, Transpose, DepthToSpace.
 */

#include "families.h"

static bool claim_to_4(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    (void)op;
    return bp_nn_needs_rank(query, 0, 1, 4);
}

/* ---- Concat and Split ------------------------------------------------------------------------ */

static bool same_scales(const struct bp_nn_query *query)
{
    struct bp_nn_quant want, have;

    if (!query->unit->out.is_quantized || !bp_nn_quant_of(query->facts, &query->unit->out, &want))
        return true;
    for (uint32_t i = 0; i < query->unit->n_in; i++) {
        if (bp_nn_quant_of(query->facts, &query->unit->in[i], &have) &&
            (have.scale != want.scale || have.zero != want.zero))
            return bp_nn_needs_level(query, BP_NN_FL3, "operands of different scales");
    }
    return true;
}

static bool claim_concat(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    const bp_value *first = BP_VALUE(query->graph, query->unit->in[0].value);

    for (uint32_t i = 1; i < query->unit->n_in; i++) {
        if (query->unit->in[i].value == BP_NONE)
            return bp_nn_refuse(query, BP_R_OTHER, NULL, "input %u is absent", i);
        if (BP_VALUE(query->graph, query->unit->in[i].value)->dtype != first->dtype)
            return bp_nn_refuse(query, BP_R_DTYPE, NULL, "its inputs have different types");
    }
    return claim_to_4(op, query) && bp_nn_needs_axis(query, "axis", 1) && same_scales(query);
}

/* In channels-last order if an operand is there only so. */
static int layout_of_any(const struct bp_nn_build *b, const struct bp_nn_unit *unit)
{
    for (uint32_t i = 0; i < unit->n_in; i++) {
        if (bp_nn_layout_of(b, &unit->in[i]) == BP_NN_NHWC)
            return BP_NN_NHWC;
    }
    return BP_NN_NCHW;
}

static void lower_concat(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    int layout = layout_of_any(b, unit);
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]);
    uint32_t *in = bp_nn_get(b, (unit->n_in + 1u) * sizeof *in);

    if (!in)
        return;
    for (uint32_t i = 0; i < unit->n_in; i++)
        in[i] = bp_nn_in(b, &unit->in[i], layout);
    in[unit->n_in] = bp_nn_i32(
        b, (int32_t)bp_nn_axis(bp_node_int(b->graph, unit->node, "axis", 1), rank, layout));
    bp_nn_emit(b, op->code, unit->n_in + 1, in, bp_nn_out(b, unit, layout));
}

static bool claim_split(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    const bp_node *node = query->node;
    int64_t axis = bp_node_int(query->graph, node, "axis", 0), parts[64];
    uint32_t rank = bp_nn_rank(query->graph, &query->unit->in[0]), n;
    int64_t size;

    (void)op;
    if (!bp_nn_needs_axis(query, "axis", 0))
        return false;
    axis += axis < 0 ? rank : 0;
    size = bp_nn_dim(query->graph, &query->unit->in[0], (uint32_t)axis);
    if (!bp_nn_needs_ints(query, 1, "split", parts, 64, &n))
        return false;
    for (uint32_t i = 0; i < node->n_out; i++) {
        if (node->out[i] == BP_NONE)
            return bp_nn_refuse(query, BP_R_OTHER, NULL, "output %u is not used", i);
        if ((n > 0 && parts[i < n ? i : 0] != parts[0]) || size % node->n_out != 0)
            return bp_nn_refuse(query, BP_R_OTHER, "split", "its parts are not equal");
    }
    if (n == 0 && node->since >= 18 &&
        bp_node_int(query->graph, node, "num_outputs", 0) != node->n_out)
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "num_outputs",
                            "num_outputs is not the number of outputs");
    return true;
}

static void lower_split(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    int layout = bp_nn_layout_of(b, &unit->in[0]);
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]), in[3];
    uint32_t *out = bp_nn_get(b, unit->node->n_out * sizeof *out);
    int64_t axis = bp_node_int(b->graph, unit->node, "axis", 0);

    for (uint32_t i = 0; out && i < unit->node->n_out; i++) {
        struct bp_nn_unit part = *unit;

        part.out.value = unit->node->out[i];
        out[i] = bp_nn_out(b, &part, layout);
    }
    if (!out)
        return;
    in[0] = bp_nn_in(b, &unit->in[0], layout);
    in[1] = bp_nn_i32(b, (int32_t)bp_nn_axis(axis, rank, layout));
    in[2] = bp_nn_i32(b, (int32_t)unit->node->n_out);
    bp_nn_emit_many(b, op->code, 3, in, unit->node->n_out, out);
}

/* ---- Reshape and its kin --------------------------------------------------------------------- */

/* The output's sizes are known, so that they stand for 0 and -1. */
static bool claim_reshape(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    int64_t shape[BP_NN_MAX_RANK];
    uint32_t n;

    (void)op;
    return bp_nn_needs_ints(query, 1, "shape", shape, BP_NN_MAX_RANK, &n) &&
           bp_nn_needs_rank(query, 0, 1, 4);
}

/* Axes are an input from version 13 on. */
static bool claim_axes(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    int64_t axes[BP_NN_MAX_RANK];
    const int64_t *given = axes;
    bool squeezes = strcmp(op->name, "Squeeze") == 0;
    uint32_t n;

    if (query->node->since < 13)
        given = bp_node_ints(query->graph, query->node, "axes", &n);
    else if (!bp_nn_needs_ints(query, 1, "axes", axes, BP_NN_MAX_RANK, &n))
        return false;
    return bp_nn_needs_rank(query, 0, 1, 4) && (!squeezes || bp_nn_needs_axes(query, given, n));
}

static void lower_reshape(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    uint32_t in = bp_nn_in(b, &unit->in[0], BP_NN_NCHW);

    (void)op;
    bp_nn_reshape(b, in, bp_nn_out(b, unit, BP_NN_NCHW));
}

/* Sizes that go are those of one element that the output lacks. No axes: all of one element. */
static void lower_squeeze(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]), n = 0, in[2];
    int64_t axes[BP_NN_MAX_RANK];
    int32_t at[BP_NN_MAX_RANK];
    const int64_t *given = bp_node_ints(b->graph, unit->node, "axes", &n);

    if (unit->node->since >= 13) {
        given = axes;
        if (unit->node->n_in < 2 ||
            !bp_nn_ints(b->instance, b->graph, unit->node->in[1], axes, BP_NN_MAX_RANK, &n))
            n = 0;
    }
    for (uint32_t i = 0; i < n; i++)
        at[i] = (int32_t)bp_nn_axis(given[i], rank, BP_NN_NCHW);
    for (uint32_t i = 0; i < rank && (unit->node->since >= 13 ? given == axes && n == 0 : !given);
         i++) {
        if (bp_nn_dim(b->graph, &unit->in[0], i) == 1)
            at[n++] = (int32_t)i;
    }
    in[0] = bp_nn_in(b, &unit->in[0], BP_NN_NCHW);
    in[1] = bp_nn_i32s(b, at, n);
    bp_nn_emit(b, op->code, 2, in, bp_nn_out(b, unit, BP_NN_NCHW));
}

/* ---- Transpose ------------------------------------------------------------------------------- */

/* The reverse order where the node gives none. */
static void read_perm(const struct bp_nn_build *b, const struct bp_nn_unit *unit, int32_t *out)
{
    uint32_t n, rank = bp_nn_rank(b->graph, &unit->in[0]);
    const int64_t *perm = bp_node_ints(b->graph, unit->node, "perm", &n);

    for (uint32_t i = 0; i < rank; i++)
        out[i] = n == rank ? (int32_t)perm[i] : (int32_t)(rank - 1 - i);
}

static bool claim_transpose(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    uint32_t n;
    const int64_t *perm = bp_node_ints(query->graph, query->node, "perm", &n);

    return claim_to_4(op, query) &&
           (n != bp_nn_rank(query->graph, &query->unit->in[0]) || bp_nn_needs_axes(query, perm, n));
}

/* Of channels-last data the permutation of where it lies. Another scale needs another operand. */
static void lower_transpose(const struct bp_nn_op *op, struct bp_nn_build *b,
                            struct bp_nn_unit *unit)
{
    static const int32_t lies_at[] = {0, 3, 1, 2};
    int layout = bp_nn_layout_of(b, &unit->in[0]);
    int32_t perm[BP_NN_MAX_RANK];
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]), in[2];

    read_perm(b, unit, perm);
    for (uint32_t i = 0; i < rank && layout == BP_NN_NHWC && rank == 4; i++)
        perm[i] = lies_at[perm[i]];
    in[0] = bp_nn_in(b, &unit->in[0], layout);
    in[1] = bp_nn_i32s(b, perm, rank);
    bp_nn_emit(b, op->code, 2, in, bp_nn_out(b, unit, BP_NN_NCHW));
}

/* ---- DepthToSpace ---------------------------------------------------------------------------- */

/* Without TRANSPOSE, which level 28 brings, data in ONNX's order cannot be made channels-last. */
static bool claim_depth_to_space(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    (void)op;
    if (!bp_node_string_is(query->graph, query->node, "mode", "DCR", "DCR"))
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "mode", "mode is not DCR, which NNAPI has");
    return bp_nn_needs_rank(query, 0, 4, 4) &&
           bp_nn_needs_level(query, BP_NN_FL2, "a change of layout");
}

static void lower_depth_to_space(const struct bp_nn_op *op, struct bp_nn_build *b,
                                 struct bp_nn_unit *unit)
{
    uint32_t in[3], n = 2;

    in[0] = bp_nn_in(b, &unit->in[0], bp_nn_wanted(b));
    in[1] = bp_nn_i32(b, (int32_t)bp_node_int(b->graph, unit->node, "blocksize", 1));
    if (bp_nn_says_layout(b))
        in[n++] = bp_nn_bool(b, true);
    bp_nn_emit(b, op->code, n, in, bp_nn_out(b, unit, bp_nn_wanted(b)));
}

#define SHAPE(op, opset, in, least, qdq, nnapi, condition, how)                                    \
    {                                                                                              \
        .name = op, .first = opset, .types = in, .level = least, .takes_qdq = qdq,                 \
        .code = ANEURALNETWORKS_##nnapi, .claim = condition, .lower = how                          \
    }

static const struct bp_nn_op rows[] = {
    SHAPE("Concat", 1, BP_NN_F32 | BP_NN_U8, BP_NN_FL1, true, CONCATENATION, claim_concat,
          lower_concat),
    SHAPE("Split", 13, BP_NN_F32, BP_NN_FL3, false, SPLIT, claim_split, lower_split),
    SHAPE("Reshape", 5, BP_NN_F32, BP_NN_FL1, true, RESHAPE, claim_reshape, lower_reshape),
    SHAPE("Flatten", 1, BP_NN_F32, BP_NN_FL1, false, RESHAPE, claim_to_4, lower_reshape),
    SHAPE("Squeeze", 1, BP_NN_F32, BP_NN_FL2, false, SQUEEZE, claim_axes, lower_squeeze),
    SHAPE("Unsqueeze", 1, BP_NN_F32, BP_NN_FL1, false, RESHAPE, claim_axes, lower_reshape),
    SHAPE("Transpose", 1, BP_NN_F32 | BP_NN_U8, BP_NN_FL2, true, TRANSPOSE, claim_transpose,
          lower_transpose),
    {.name = "DepthToSpace",
     .first = 1,
     .types = BP_NN_F32,
     .level = BP_NN_FL1,
     .nchw_level = BP_NN_FL3,
     .code = ANEURALNETWORKS_DEPTH_TO_SPACE,
     .claim = claim_depth_to_space,
     .lower = lower_depth_to_space},
};

const struct bp_nn_family bp_nn_shape = BP_NN_FAMILY(rows);
