/* SPDX-License-Identifier: MIT */
/* elementwise.c - operators of one operand whose elements do not meet: activations, Cast, Identity. */

#include "families.h"

/* In the layout in which the data is. */
static void lower_one(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    int layout = bp_nn_layout_of(b, &unit->in[0]);
    uint32_t in = bp_nn_in(b, &unit->in[0], layout);

    bp_nn_emit(b, op->code, 1, &in, bp_nn_out(b, unit, layout));
}

static bool claim_to_4(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    (void)op;
    return bp_nn_needs_rank(query, 0, 1, 4);
}

/* The output's quantization is the one that NNAPI has for LOGISTIC. */
static bool claim_qlinear_sigmoid(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    struct bp_nn_quant quant;

    if (!claim_to_4(op, query))
        return false;
    if (bp_nn_quant_of(query->facts, &query->unit->out, &quant) && quant.scale == 1.0f / 256 &&
        quant.zero == 0)
        return true;
    return bp_nn_refuse(query, BP_R_OTHER, "Y_scale",
                        "NNAPI's LOGISTIC has scale 1/256 and zero point 0");
}

static void lower_elu(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    int layout = bp_nn_layout_of(b, &unit->in[0]);
    uint32_t in[] = {bp_nn_in(b, &unit->in[0], layout),
                     bp_nn_f32(b, bp_node_float(b->graph, unit->node, "alpha", 1))};

    bp_nn_emit(b, op->code, 2, in, bp_nn_out(b, unit, layout));
}

static uint32_t one_float(struct bp_nn_build *b, float value)
{
    struct bp_nn_operand operand = {.type = ANEURALNETWORKS_TENSOR_FLOAT32, .rank = 1, .dims = {1}};
    float *copy = bp_nn_get(b, sizeof value);

    if (copy)
        *copy = value;
    operand.data = copy;
    return bp_nn_constant(b, &operand);
}

/* NNAPI has no LeakyRelu: x < 0 ? alpha * x : x. */
static void lower_leaky_relu(const struct bp_nn_op *op, struct bp_nn_build *b,
                             struct bp_nn_unit *unit)
{
    int layout = bp_nn_layout_of(b, &unit->in[0]);
    uint32_t x = bp_nn_in(b, &unit->in[0], layout), scaled, mask, index = 0;
    struct bp_nn_operand below = *bp_nn_at(b, x);

    (void)op;
    scaled = bp_nn_like(b, x, below.rank, below.dims);
    below.type = ANEURALNETWORKS_TENSOR_BOOL8;
    below.kind = BP_NN_COMPUTED;
    below.data = NULL;
    if (b->rc >= 0 && !bp_nn_model_operand(b->model, &below, &index))
        bp_nn_give_up(b, "no memory");
    mask = index;
    bp_nn_emit(b, ANEURALNETWORKS_LESS, 2, (uint32_t[]){x, one_float(b, 0)}, mask);
    bp_nn_emit(b, ANEURALNETWORKS_MUL, 3,
               (uint32_t[]){x, one_float(b, bp_node_float(b->graph, unit->node, "alpha", 0.01f)),
                            bp_nn_i32(b, ANEURALNETWORKS_FUSED_NONE)},
               scaled);
    bp_nn_emit(b, ANEURALNETWORKS_SELECT, 3, (uint32_t[]){mask, scaled, x},
               bp_nn_out(b, unit, layout));
}

static bool claim_clip(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    (void)op;
    if (bp_nn_activation_of(query->instance, query->graph, query->node) >= 0)
        return true;
    return bp_nn_refuse(query, BP_R_ATTRIBUTE, "min",
                        "bounds are not constants 0 and 6, or -1 and 1, which NNAPI has");
}

static void lower_clip(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    int layout = bp_nn_layout_of(b, &unit->in[0]);
    uint32_t in = bp_nn_in(b, &unit->in[0], layout);

    (void)op;
    bp_nn_emit(b, bp_nn_activation_of(b->instance, b->graph, unit->node), 1, &in,
               bp_nn_out(b, unit, layout));
}

/* No operation: the result is another name of the operand. */
static void lower_identity(const struct bp_nn_op *op, struct bp_nn_build *b,
                           struct bp_nn_unit *unit)
{
    int layout = bp_nn_layout_of(b, &unit->in[0]);

    (void)op;
    bp_nn_set(b, unit->out.value, layout, bp_nn_in(b, &unit->in[0], layout));
}

static bool claim_cast(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    int64_t to = bp_node_int(query->graph, query->node, "to", 0);

    (void)op;
    if (to == BP_DTYPE_F32 || to == BP_DTYPE_I32)
        return true;
    return bp_nn_refuse(query, BP_R_ATTRIBUTE, "to",
                        "to is element type %lld, provider casts to float32 and int32",
                        (long long)to);
}

#define ONE(op, opset, least, nnapi)                                                               \
    {                                                                                              \
        .name = op, .first = opset, .types = BP_NN_F32, .level = least,                            \
        .code = ANEURALNETWORKS_##nnapi, .lower = lower_one                                        \
    }

static const struct bp_nn_op rows[] = {
    ONE("Abs", 6, BP_NN_FL3, ABS),
    ONE("Exp", 6, BP_NN_FL3, EXP),
    ONE("Log", 6, BP_NN_FL3, LOG),
    ONE("Neg", 6, BP_NN_FL3, NEG),
    ONE("Sin", 6, BP_NN_FL3, SIN),
    ONE("Sqrt", 6, BP_NN_FL3, SQRT),
    ONE("Floor", 6, BP_NN_FL1, FLOOR),
    ONE("Tanh", 6, BP_NN_FL1, TANH),
    ONE("Relu", 1, BP_NN_FL1, RELU),
    {.name = "Sigmoid",
     .first = 6,
     .types = BP_NN_F32,
     .level = BP_NN_FL1,
     .code = ANEURALNETWORKS_LOGISTIC,
     .claim = claim_to_4,
     .lower = lower_one},
    {.name = "QLinearSigmoid",
     .n_needed = 5,
     .domain = "com.microsoft",
     .first = 1,
     .types = BP_NN_U8,
     .level = BP_NN_FL1,
     .code = ANEURALNETWORKS_LOGISTIC,
     .claim = claim_qlinear_sigmoid,
     .lower = lower_one},
    {.name = "Elu",
     .first = 6,
     .types = BP_NN_F32,
     .level = BP_NN_FL4,
     .code = ANEURALNETWORKS_ELU,
     .lower = lower_elu},
    {.name = "LeakyRelu",
     .first = 6,
     .types = BP_NN_F32,
     .level = BP_NN_FL1,
     .claim = claim_to_4,
     .lower = lower_leaky_relu},
    {.name = "Clip",
     .first = 1,
     .types = BP_NN_F32,
     .level = BP_NN_FL1,
     .claim = claim_clip,
     .lower = lower_clip},
    {.name = "Identity",
     .first = 1,
     .types = BP_NN_F32,
     .level = BP_NN_FL1,
     .lower = lower_identity},
    {.name = "Cast",
     .first = 6,
     .types = BP_NN_F32,
     .level = BP_NN_FL3,
     .code = ANEURALNETWORKS_CAST,
     .claim = claim_cast,
     .lower = lower_one},
};

const struct bp_nn_family bp_nn_elementwise = BP_NN_FAMILY(rows);
