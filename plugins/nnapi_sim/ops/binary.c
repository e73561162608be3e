/* SPDX-License-Identifier: MIT */
/* binary.c - operators of two operands that are broadcast: Add to Pow, Min, Max, PRelu. */

#include "families.h"

static int64_t count_of(const bp_graph *graph, const struct bp_nn_arg *arg)
{
    int64_t n = 1;

    for (uint32_t i = 0; i < bp_nn_rank(graph, arg); i++)
        n *= bp_nn_dim(graph, arg, i);
    return n;
}

static bool claim_two(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    (void)op;
    return bp_nn_needs_rank(query, 0, 0, 4) && bp_nn_needs_rank(query, 1, 0, 4);
}

/* Min and Max take any number of inputs in ONNX. */
static bool claim_pair(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    if (query->node->n_in != 2)
        return bp_nn_refuse(query, BP_R_OTHER, NULL, "%u inputs, NNAPI's %s has 2",
                            query->node->n_in, op->name);
    return claim_two(op, query);
}

/* NNAPI's element type is one for both. */
static bool claim_floats(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    const bp_value *second = BP_VALUE(query->graph, query->unit->in[1].value);

    if (second->dtype != BP_DTYPE_F32)
        return bp_nn_refuse(query, BP_R_DTYPE, second->name,
                            "the second operand is not float32 as the first");
    return claim_two(op, query);
}

/* Before version 7 a slope of one size is one a channel, which is no broadcast of NNAPI's. */
static bool claim_slope(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    if (query->node->since < 7 && count_of(query->graph, &query->unit->in[1]) != 1)
        return bp_nn_refuse(query, BP_R_OPSET, "slope",
                            "version %u with a slope a channel, provider takes that from 7 on",
                            query->node->since);
    return claim_two(op, query);
}

/* In channels-last order it needs rank 4, or it is a constant, or looks the same in both. */
static bool fits_nhwc(const struct bp_nn_build *b, const struct bp_nn_arg *arg)
{
    return bp_nn_rank(b->graph, arg) == 4 || bp_nn_is_constant(b, arg->value) ||
           count_of(b->graph, arg) == 1;
}

/* Channels last where one operand is there only so, and the other can be. */
static int choose_layout(const struct bp_nn_build *b, const struct bp_nn_unit *unit)
{
    bool wants = false;

    for (uint32_t i = 0; i < 2; i++) {
        if (!fits_nhwc(b, &unit->in[i]))
            return BP_NN_NCHW;
        wants |= bp_nn_rank(b->graph, &unit->in[i]) == 4 &&
                 b->places[unit->in[i].value].at[BP_NN_NHWC] != BP_NONE;
    }
    return wants && bp_nn_wanted(b) == BP_NN_NHWC ? BP_NN_NHWC : BP_NN_NCHW;
}

/* A constant of a lower rank, broadcast to channels-last data: ones in front, then in that order. */
static uint32_t small_constant(struct bp_nn_build *b, const struct bp_nn_arg *arg)
{
    uint32_t rank = bp_nn_rank(b->graph, arg), at = bp_nn_in(b, arg, BP_NN_NCHW);
    struct bp_nn_operand operand = *bp_nn_at(b, at);
    uint32_t dims[4] = {1, 1, 1, 1};
    const unsigned char *from = operand.data;
    unsigned char *to;

    for (uint32_t i = 0; i < rank; i++)
        dims[4 - rank + i] = operand.dims[i];
    operand.rank = 4;
    operand.dims[0] = dims[0];
    operand.dims[1] = dims[2];
    operand.dims[2] = dims[3];
    operand.dims[3] = dims[1];
    if (from) {
        uint32_t size = bp_nn_element_bytes(operand.type);
        uint32_t channels = dims[1], pixels = dims[2] * dims[3];

        to = bp_nn_get(b, operand.bytes);
        for (uint32_t i = 0; to && i < pixels * channels; i++)
            memcpy(to + (size_t)(i % pixels * channels + i / pixels) * size,
                   from + (size_t)i * size, size);
        operand.data = to;
    }
    return bp_nn_constant(b, &operand);
}

static uint32_t operand_in(struct bp_nn_build *b, const struct bp_nn_arg *arg, int layout)
{
    uint32_t rank = bp_nn_rank(b->graph, arg);

    if (layout == BP_NN_NHWC && rank > 0 && rank < 4 && bp_nn_is_constant(b, arg->value) &&
        count_of(b->graph, arg) > 1)
        return small_constant(b, arg);
    return bp_nn_in(b, arg, layout);
}

static void lower_two(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    int layout = choose_layout(b, unit);
    uint32_t in[2] = {operand_in(b, &unit->in[0], layout), operand_in(b, &unit->in[1], layout)};

    bp_nn_emit(b, op->code, 2, in, bp_nn_out(b, unit, layout));
}

/* The same, with a code of an activation. */
static void lower_fused(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    int layout = choose_layout(b, unit);
    uint32_t in[3] = {operand_in(b, &unit->in[0], layout), operand_in(b, &unit->in[1], layout)};

    in[2] = bp_nn_i32(b, bp_nn_take_activation(b, unit));
    bp_nn_emit(b, op->code, 3, in, bp_nn_out(b, unit, layout));
}

#define TWO(op, opset, least, nnapi, condition, how, qdq)                                          \
    {                                                                                              \
        .name = op, .first = opset, .n_needed = 2, .types = BP_NN_F32, .level = least,             \
        .takes_qdq = qdq, .code = ANEURALNETWORKS_##nnapi, .claim = condition, .lower = how        \
    }
#define QLINEAR(op, nnapi)                                                                         \
    {                                                                                              \
        .name = op, .domain = "com.microsoft", .n_needed = 8, .first = 1, .types = BP_NN_U8,       \
        .level = BP_NN_FL1, .code = ANEURALNETWORKS_##nnapi, .claim = claim_two,                   \
        .lower = lower_fused                                                                       \
    }

static const struct bp_nn_op rows[] = {
    TWO("Add", 7, BP_NN_FL1, ADD, claim_two, lower_fused, true),
    TWO("Mul", 7, BP_NN_FL1, MUL, claim_two, lower_fused, true),
    TWO("Sub", 7, BP_NN_FL2, SUB, claim_two, lower_fused, false),
    TWO("Div", 7, BP_NN_FL2, DIV, claim_two, lower_fused, false),
    TWO("Pow", 7, BP_NN_FL3, POW, claim_floats, lower_two, false),
    TWO("Min", 6, BP_NN_FL3, MINIMUM, claim_pair, lower_two, false),
    TWO("Max", 6, BP_NN_FL3, MAXIMUM, claim_pair, lower_two, false),
    TWO("PRelu", 1, BP_NN_FL3, PRELU, claim_slope, lower_two, false),
    QLINEAR("QLinearAdd", ADD),
    QLINEAR("QLinearMul", MUL),
};

const struct bp_nn_family bp_nn_binary = BP_NN_FAMILY(rows);
