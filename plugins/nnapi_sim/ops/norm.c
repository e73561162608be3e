/* SPDX-License-Identifier: MIT */
/* norm.c - BatchNormalization, LRN, Softmax, ReduceMean. */

#include "families.h"

#include <math.h>

/* ---- BatchNormalization ---------------------------------------------------------------------- */

static bool claim_batch_norm(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    static const char *const names[] = {"X", "scale", "B", "mean", "var"};

    (void)op;
    if (!bp_nn_needs_rank(query, 0, 2, 4))
        return false;
    for (uint32_t i = 1; i < query->node->n_out; i++) {
        if (query->node->out[i] != BP_NONE)
            return bp_nn_refuse(query, BP_R_OTHER, NULL, "only its first output is computed");
    }
    if (bp_node_int(query->graph, query->node, "spatial", 1) != 1)
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "spatial", "spatial is 0, provider takes 1");
    if (bp_node_int(query->graph, query->node, "training_mode", 0) != 0)
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "training_mode", "it trains");
    for (uint32_t i = 1; i < 5; i++) {
        if (!bp_nn_needs_constant(query, i, names[i]))
            return false;
        if (BP_VALUE(query->graph, query->node->in[i])->dtype != BP_DTYPE_F32)
            return bp_nn_refuse(query, BP_R_DTYPE, names[i], "%s is not float32", names[i]);
    }
    return true;
}

/* One number a channel, in the shape that is broadcast to the data. */
static uint32_t channel_constant(struct bp_nn_build *b, const struct bp_nn_unit *unit, int layout,
                                 const float *data)
{
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]);
    struct bp_nn_operand operand = {
        .type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 1, .data = data};

    operand.dims[0] = (uint32_t)bp_nn_dim(b->graph, &unit->in[0], 1);
    if (layout != BP_NN_NHWC || rank != 4) {
        operand.rank = rank - 1;
        for (uint32_t i = 1; i < rank - 1; i++)
            operand.dims[i] = 1;
    }
    return bp_nn_constant(b, &operand);
}

/* y = x * (scale / sqrt(var + epsilon)) + (B - mean * that). */
static bool fold(struct bp_nn_build *b, const bp_node *node, uint32_t n, float *factor,
                 float *offset)
{
    float *rows[4], epsilon = bp_node_float(b->graph, node, "epsilon", 1e-5f);
    uint32_t count;

    for (uint32_t i = 0; i < 4; i++) {
        rows[i] = bp_nn_get(b, n * sizeof(float));
        if (!rows[i])
            return false;
        if (!bp_nn_floats(b->instance, b->graph, node->in[1 + i], rows[i], n, &count) ||
            count != n) {
            bp_nn_give_up(b, "its constants have other sizes");
            return false;
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        factor[i] = rows[0][i] / sqrtf(rows[3][i] + epsilon);
        offset[i] = rows[1][i] - rows[2][i] * factor[i];
    }
    return true;
}

static void lower_batch_norm(const struct bp_nn_op *op, struct bp_nn_build *b,
                             struct bp_nn_unit *unit)
{
    int layout = bp_nn_layout_of(b, &unit->in[0]);
    uint32_t n = (uint32_t)bp_nn_dim(b->graph, &unit->in[0], 1), x, scaled, dims[BP_NN_MAX_RANK];
    float *factor = bp_nn_get(b, n * sizeof *factor), *offset = bp_nn_get(b, n * sizeof *offset);
    uint32_t rank = bp_nn_dims(b, unit->in[0].value, layout, dims);

    (void)op;
    if (!factor || !offset || !fold(b, unit->node, n, factor, offset))
        return;
    x = bp_nn_in(b, &unit->in[0], layout);
    scaled = bp_nn_like(b, x, rank, dims);
    bp_nn_emit(b, ANEURALNETWORKS_MUL, 3,
               (uint32_t[]){x, channel_constant(b, unit, layout, factor),
                            bp_nn_i32(b, ANEURALNETWORKS_FUSED_NONE)},
               scaled);
    uint32_t in[3] = {scaled, channel_constant(b, unit, layout, offset), 0};

    in[2] = bp_nn_i32(b, bp_nn_take_activation(b, unit));
    bp_nn_emit(b, ANEURALNETWORKS_ADD, 3, in, bp_nn_out(b, unit, layout));
}

/* ---- LRN ------------------------------------------------------------------------------------- */

static bool claim_lrn(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    int64_t size = bp_node_int(query->graph, query->node, "size", 0);

    (void)op;
    if (size % 2 == 0 || size < 1 || size > UINT16_MAX)
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "size",
                            "size %lld is not an odd one: NNAPI's window is symmetric",
                            (long long)size);
    return bp_nn_needs_rank(query, 0, 4, 4);
}

/* Channels are the axis; the last one is the default, so NHWC needs no operand. */
static void lower_lrn(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    int layout =
        bp_nn_is_nchw(b->instance) && b->instance->level < BP_NN_FL3 ? BP_NN_NHWC : bp_nn_wanted(b);
    int32_t size = (int32_t)bp_node_int(b->graph, unit->node, "size", 1);
    uint32_t in[6], n = 5;

    in[0] = bp_nn_in(b, &unit->in[0], layout);
    in[1] = bp_nn_i32(b, (size - 1) / 2);
    in[2] = bp_nn_f32(b, bp_node_float(b->graph, unit->node, "bias", 1));
    in[3] = bp_nn_f32(b, bp_node_float(b->graph, unit->node, "alpha", 1e-4f) / (float)size);
    in[4] = bp_nn_f32(b, bp_node_float(b->graph, unit->node, "beta", 0.75f));
    if (b->instance->level >= BP_NN_FL3)
        in[n++] = bp_nn_i32(b, layout == BP_NN_NHWC ? 3 : 1);
    bp_nn_emit(b, op->code, n, in, bp_nn_out(b, unit, layout));
}

/* ---- Softmax --------------------------------------------------------------------------------- */

static bool takes_scale(const struct bp_nn_query *query)
{
    struct bp_nn_quant quant;

    if (!query->unit->out.is_quantized ||
        (bp_nn_quant_of(query->facts, &query->unit->out, &quant) && quant.scale == 1.0f / 256 &&
         quant.zero == 0))
        return true;
    return bp_nn_refuse(query, BP_R_OTHER, NULL,
                        "NNAPI's SOFTMAX has an output of scale 1/256 and zero point 0");
}

static bool claim_softmax(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    uint32_t rank = bp_nn_rank(query->graph, &query->unit->in[0]);
    int64_t axis = bp_node_int(query->graph, query->node, "axis", -1);

    (void)op;
    if (!takes_scale(query) || !bp_nn_needs_rank(query, 0, 1, 4) ||
        !bp_nn_needs_axis(query, "axis", query->node->since < 13 && rank > 1 ? 1 : -1))
        return false;
    if (query->node->since < 13)
        return true;
    if (query->instance->level >= BP_NN_FL3 ||
        ((rank == 2 || rank == 4) && (axis == -1 || axis == (int64_t)rank - 1)))
        return true;
    return bp_nn_needs_level(query, BP_NN_FL3, "an axis that is not the last of 2 or 4");
}

/* Before version 13: rows of all that comes after the axis. */
static void lower_flat(struct bp_nn_build *b, const struct bp_nn_unit *unit)
{
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]), dims[2] = {1, 1}, x, y, out;
    int64_t axis = bp_node_int(b->graph, unit->node, "axis", 1);

    axis += axis < 0 ? rank : 0;
    for (uint32_t i = 0; i < rank; i++)
        dims[i >= (uint32_t)axis] *= (uint32_t)bp_nn_dim(b->graph, &unit->in[0], i);
    x = bp_nn_like(b, bp_nn_in(b, &unit->in[0], BP_NN_NCHW), 2, dims);
    bp_nn_reshape(b, bp_nn_in(b, &unit->in[0], BP_NN_NCHW), x);
    out = bp_nn_out(b, unit, BP_NN_NCHW);
    y = bp_nn_like(b, out, 2, dims);
    bp_nn_emit(b, ANEURALNETWORKS_SOFTMAX, 2, (uint32_t[]){x, bp_nn_f32(b, 1)}, y);
    bp_nn_reshape(b, y, out);
}

static void lower_softmax(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]), in[3], n = 2;
    int64_t axis = bp_node_int(b->graph, unit->node, "axis", -1);
    int layout = bp_nn_layout_of(b, &unit->in[0]);
    uint32_t at = bp_nn_axis(axis, rank, layout);

    if (unit->node->since < 13) {
        lower_flat(b, unit);
        return;
    }
    if (b->instance->level < BP_NN_FL3)
        layout = BP_NN_NCHW; /* the last axis of ONNX's order */
    in[0] = bp_nn_in(b, &unit->in[0], layout);
    in[1] = bp_nn_f32(b, 1);
    if (b->instance->level >= BP_NN_FL3)
        in[n++] = bp_nn_i32(b, (int32_t)at);
    bp_nn_emit(b, op->code, n, in, bp_nn_out(b, unit, layout));
}

/* ---- ReduceMean ------------------------------------------------------------------------------ */

/* Axes are an attribute before version 18. None: all. */
static bool read_axes(const bp_instance *instance, const bp_graph *graph, const bp_node *node,
                      int64_t *axes, uint32_t *n)
{
    const int64_t *given;

    *n = 0;
    if (node->since >= 18)
        return node->n_in < 2 || node->in[1] == BP_NONE ||
               bp_nn_ints(instance, graph, node->in[1], axes, BP_NN_MAX_RANK, n);
    given = bp_node_ints(graph, node, "axes", n);
    if (*n > BP_NN_MAX_RANK)
        return false;
    if (*n > 0)
        memcpy(axes, given, *n * sizeof *axes);
    return true;
}

static bool claim_mean(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    int64_t axes[BP_NN_MAX_RANK];
    uint32_t n;

    (void)op;
    if (!bp_nn_needs_rank(query, 0, 1, 4))
        return false;
    if (!read_axes(query->instance, query->graph, query->node, axes, &n))
        return bp_nn_refuse(query, BP_R_NOT_CONSTANT, "axes", "axes are not constant");
    if (!bp_nn_needs_axes(query, axes, n))
        return false;
    if (n == 0 && bp_node_int(query->graph, query->node, "noop_with_empty_axes", 0) != 0)
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "noop_with_empty_axes",
                            "noop_with_empty_axes is 1, provider takes 0");
    return true;
}

/* With fewer sizes than before, those that are left have to be in ONNX's order. */
static void lower_mean(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    uint32_t rank = bp_nn_rank(b->graph, &unit->in[0]), n, in[3];
    bool keeps = bp_node_int(b->graph, unit->node, "keepdims", 1) != 0;
    int layout = keeps ? bp_nn_layout_of(b, &unit->in[0]) : BP_NN_NCHW;
    int64_t axes[BP_NN_MAX_RANK];
    int32_t at[BP_NN_MAX_RANK];

    if (!read_axes(b->instance, b->graph, unit->node, axes, &n))
        n = 0;
    if (n == 0) {
        for (n = 0; n < rank; n++)
            axes[n] = n;
    }
    if (!keeps && rank == 4 && n == 2 && bp_nn_axis(axes[0], 4, 0) + bp_nn_axis(axes[1], 4, 0) == 5)
        layout = bp_nn_layout_of(b, &unit->in[0]); /* N and C are left, in both layouts */
    for (uint32_t i = 0; i < n; i++)
        at[i] = (int32_t)bp_nn_axis(axes[i], rank, layout);
    in[0] = bp_nn_in(b, &unit->in[0], layout);
    in[1] = bp_nn_i32s(b, at, n);
    in[2] = bp_nn_i32(b, keeps);
    bp_nn_emit(b, op->code, 3, in, bp_nn_out(b, unit, keeps ? layout : BP_NN_NCHW));
}

static const struct bp_nn_op rows[] = {
    {.name = "BatchNormalization",
     .n_needed = 5,
     .first = 7,
     .types = BP_NN_F32,
     .level = BP_NN_FL1,
     .claim = claim_batch_norm,
     .lower = lower_batch_norm},
    {.name = "LRN",
     .first = 1,
     .types = BP_NN_F32,
     .level = BP_NN_FL2,
     .code = ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION,
     .claim = claim_lrn,
     .lower = lower_lrn},
    {.name = "Softmax",
     .first = 1,
     .types = BP_NN_F32,
     .level = BP_NN_FL2,
     .takes_qdq = true,
     .code = ANEURALNETWORKS_SOFTMAX,
     .claim = claim_softmax,
     .lower = lower_softmax},
    {.name = "ReduceMean",
     .first = 1,
     .types = BP_NN_F32,
     .level = BP_NN_FL2,
     .code = ANEURALNETWORKS_MEAN,
     .claim = claim_mean,
     .lower = lower_mean},
};

const struct bp_nn_family bp_nn_norm = BP_NN_FAMILY(rows);
