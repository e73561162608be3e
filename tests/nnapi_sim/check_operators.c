/* SPDX-License-Identifier: MIT */
/* check_operators.c - values that the simulated runtime computes, next to values made by hand. */
#include "nn_kit.h"

/* A number of whatever operands: an operation's inputs and outputs. */
struct op_case {
    int32_t operation;
    struct operand in[8], out[3];
};

#define OP(name) .operation = ANEURALNETWORKS_##name

/* Operands are there as far as they have a type, or are the first. FLOAT32 scalars have code 0. */
static uint32_t count_of(const struct operand *operands, uint32_t most)
{
    uint32_t n = most;

    while (n > 1 && operands[n - 1].type == 0 && !operands[n - 1].zero)
        n--;
    return n;
}

static void check_case(const struct op_case *c, double tolerance)
{
    check_op(c->operation, c->in, count_of(c->in, 8), c->out, count_of(c->out, 3), tolerance);
}

/* A FLOAT32 scalar as the last operand needs a mark, as its code is 0. */
#define LAST_REAL(value)                                                                           \
    {                                                                                              \
        .type = ANEURALNETWORKS_FLOAT32, .values = {value}, .zero = 0                              \
    }
#define X(...) .given = true, DIMS(__VA_ARGS__)

static const struct op_case unary[] = {
    {OP(ABS), {{F32, X(3), V(-1, 0, 2)}}, {{F32, DIMS(3), V(1, 0, 2)}}},
    {OP(ABS), {{I32, X(2), V(-7, 7)}}, {{I32, DIMS(2), V(7, 7)}}},
    {OP(EXP), {{F32, X(2), V(0, 1)}}, {{F32, DIMS(2), V(1, 2.718281828)}}},
    {OP(LOG), {{F32, X(2), V(1, 2.718281828)}}, {{F32, DIMS(2), V(0, 1)}}},
    {OP(NEG), {{I32, X(2), V(1, -2)}}, {{I32, DIMS(2), V(-1, 2)}}},
    {OP(SIN), {{F32, X(2), V(0, 1.570796327)}}, {{F32, DIMS(2), V(0, 1)}}},
    {OP(SQRT), {{F32, X(2), V(4, 2.25)}}, {{F32, DIMS(2), V(2, 1.5)}}},
    {OP(RSQRT), {{F32, X(2), V(4, 0.25)}}, {{F32, DIMS(2), V(0.5, 2)}}},
    {OP(FLOOR), {{F32, X(3), V(1.5, -1.5, 2)}}, {{F32, DIMS(3), V(1, -2, 2)}}},
    {OP(RELU), {{F32, X(2), V(-1, 9)}}, {{F32, DIMS(2), V(0, 9)}}},
    {OP(RELU1), {{F32, X(3), V(-2, 0.5, 9)}}, {{F32, DIMS(3), V(-1, 0.5, 1)}}},
    {OP(RELU6), {{F16, X(3), V(-2, 0.5, 9)}}, {{F16, DIMS(3), V(0, 0.5, 6)}}},
    {OP(RELU),
     {{Q8, 0.5f, 10, X(3), V(4, 10, 20)}},
     {{Q8, 0.5f, 10, DIMS(3), V(10, 10, 20)}}}, /* below the zero point is 0 */
    {OP(LOGISTIC), {{F32, X(2), V(0, 2)}}, {{F32, DIMS(2), V(0.5, 0.880797078)}}},
    {OP(LOGISTIC),
     {{Q8, 0.5f, 128, X(2), V(128, 132)}},
     {{Q8, 1.f / 256, 0, DIMS(2), V(128, 225)}}},
    {OP(LOGISTIC), {{Q8S, 0.5f, 0, X(1), V(0)}}, {{Q8S, 1.f / 256, -128, DIMS(1), V(0)}}},
    {OP(TANH), {{F32, X(2), V(0, 1)}}, {{F32, DIMS(2), V(0, 0.761594156)}}},
    {OP(TANH), {{Q8, 0.5f, 128, X(2), V(128, 130)}}, {{Q8, 1.f / 128, 128, DIMS(2), V(128, 225)}}},
    {OP(ELU), {{F32, X(2), V(-1, 3)}, {.zero = 0}}, {{F32, DIMS(2), V(-0.632120559, 3)}}},
    {OP(HARD_SWISH), {{F32, X(3), V(-4, 1, 4)}}, {{F32, DIMS(3), V(0, 0.666666667, 4)}}},
    {OP(LOGICAL_NOT), {{B8, X(2), V(0, 1)}}, {{B8, DIMS(2), V(1, 0)}}},
};

START_TEST(unary_operation)
{
    struct op_case c = unary[_i];

    if (c.operation == ANEURALNETWORKS_ELU) {
        struct operand in[] = {c.in[0], REAL(1)};

        CHECK_OP(ELU, in, ((struct operand[]){c.out[0]}), 1e-6);
        return;
    }
    check_case(&c, 1e-6);
}
END_TEST

#define A_B                                                                                        \
    {F32, X(2, 2), V(1, 2, 3, 4)},                                                                 \
    {                                                                                              \
        F32, X(2), V(2, 4)                                                                         \
    } /* the second is broadcast */
static const struct op_case binary[] = {
    {OP(ADD), {A_B, INT(0)}, {{F32, DIMS(2, 2), V(3, 6, 5, 8)}}},
    {OP(ADD), {A_B, INT(3)}, {{F32, DIMS(2, 2), V(3, 6, 5, 6)}}},
    {OP(SUB), {A_B, INT(2)}, {{F32, DIMS(2, 2), V(-1, -1, 1, 0)}}},
    {OP(SUB), {A_B, INT(1)}, {{F32, DIMS(2, 2), V(0, 0, 1, 0)}}},
    {OP(MUL), {A_B, INT(0)}, {{F32, DIMS(2, 2), V(2, 8, 6, 16)}}},
    {OP(DIV), {A_B, INT(0)}, {{F32, DIMS(2, 2), V(0.5, 0.5, 1.5, 1)}}},
    {OP(POW), {A_B}, {{F32, DIMS(2, 2), V(1, 16, 9, 256)}}},
    {OP(MAXIMUM), {A_B}, {{F32, DIMS(2, 2), V(2, 4, 3, 4)}}},
    {OP(MINIMUM), {A_B}, {{F32, DIMS(2, 2), V(1, 2, 2, 4)}}},
    {OP(EQUAL), {A_B}, {{B8, DIMS(2, 2), V(0, 0, 0, 1)}}},
    {OP(NOT_EQUAL), {A_B}, {{B8, DIMS(2, 2), V(1, 1, 1, 0)}}},
    {OP(LESS), {A_B}, {{B8, DIMS(2, 2), V(1, 1, 0, 0)}}},
    {OP(LESS_EQUAL), {A_B}, {{B8, DIMS(2, 2), V(1, 1, 0, 1)}}},
    {OP(GREATER), {A_B}, {{B8, DIMS(2, 2), V(0, 0, 1, 0)}}},
    {OP(GREATER_EQUAL), {A_B}, {{B8, DIMS(2, 2), V(0, 0, 1, 1)}}},
    {OP(LOGICAL_AND),
     {{B8, X(4), V(0, 0, 1, 1)}, {B8, X(4), V(0, 1, 0, 1)}},
     {{B8, DIMS(4), V(0, 0, 0, 1)}}},
    {OP(LOGICAL_OR),
     {{B8, X(4), V(0, 0, 1, 1)}, {B8, X(4), V(0, 1, 0, 1)}},
     {{B8, DIMS(4), V(0, 1, 1, 1)}}},
    {OP(PRELU),
     {{F32, X(2, 2), V(-1, 2, -3, 4)}, {F32, DIMS(2), V(0.5, 2)}},
     {{F32, DIMS(2, 2), V(-0.5, 2, -1.5, 4)}}},
    {OP(SELECT),
     {{B8, X(3), V(1, 0, 1)}, {F32, X(3), V(1, 2, 3)}, {F32, X(3), V(7, 8, 9)}},
     {{F32, DIMS(3), V(1, 8, 3)}}},
    /* (20 - 10) * 0.5 + (8 - 0) * 0.25 = 7: of scale 2 it is 3.5, which rounds away from 0 */
    {OP(ADD),
     {{Q8, 0.5f, 10, X(2), V(20, 20)}, {Q8, 0.25f, 0, X(2), V(8, 0)}, INT(0)},
     {{Q8, 2, 100, DIMS(2), V(104, 103)}}},
    /* and to the other side: -7 / 2 = -3.5 becomes -4 */
    {OP(ADD),
     {{Q8S, 0.5f, 10, X(1), V(0)}, {Q8S, 0.25f, 0, X(1), V(-8)}, INT(0)},
     {{Q8S, 2, 0, DIMS(1), V(-4)}}},
    {OP(MUL),
     {{Q8, 0.5f, 10, X(2), V(20, 250)}, {Q8, 0.5f, 0, X(2), V(4, 255)}, INT(3)},
     {{Q8, 1, 5, DIMS(2), V(11, 11)}}}, /* 10, fused to 6 */
    {OP(ADD),
     {{I32, X(2), V(2147483647, -5)}, {I32, X(2), V(1, 3)}, INT(0)},
     {{I32, DIMS(2), V(-2147483648.0, -2)}}},
    {OP(MUL),
     {{I32, X(2), V(65536, -3)}, {I32, X(2), V(65537, 4)}, INT(0)},
     {{I32, DIMS(2), V(65536, -12)}}},
    {OP(DIV),
     {{I32, X(2), V(-7, 7)}, {I32, X(2), V(2, 2)}, INT(0)},
     {{I32, DIMS(2), V(-4, 3)}}}, /* to minus infinity */
};

START_TEST(binary_operation)
{
    struct op_case c = binary[_i];
    uint32_t n = count_of(c.in, 8);

    check_op(c.operation, c.in, n, c.out, 1, 1e-6);
}
END_TEST

/* ---- convolution ---------------------------------------------------------------------------- */

#define IMAGE                                                                                      \
    {                                                                                              \
        F32, X(1, 3, 3, 1), V(1, 2, 3, 4, 5, 6, 7, 8, 9)                                           \
    }
#define BIAS(...)                                                                                  \
    {                                                                                              \
        F32, DIMS(1), V(__VA_ARGS__)                                                               \
    }

START_TEST(convolution_with_explicit_and_implicit_padding)
{
    struct operand valid[] = {
        IMAGE, {F32, DIMS(1, 2, 2, 1), V(1, 2, 3, 4)}, BIAS(10), INT(2), INT(1), INT(1), INT(0)};
    struct operand explicit_pads[] = {IMAGE,    {F32, DIMS(1, 2, 2, 1), V(1, 2, 3, 4)},
                                      BIAS(10), INT(0),
                                      INT(1),   INT(0),
                                      INT(1),   INT(2),
                                      INT(2),   INT(0)};
    struct operand same[] = {
        IMAGE, {F32, DIMS(1, 2, 2, 1), V(1, 2, 3, 4)}, BIAS(10), INT(1), INT(2), INT(2), INT(0)};
    struct operand out_valid[] = {{F32, DIMS(1, 2, 2, 1), V(47, 57, 77, 87)}};
    /* the right and lower windows hang over by one */
    struct operand out[] = {{F32, DIMS(1, 2, 2, 1), V(47, 10 + 3 + 18, 10 + 7 + 16, 10 + 9)}};

    CHECK_OP(CONV_2D, valid, out_valid, 0);
    CHECK_OP(CONV_2D, explicit_pads, out, 0);
    CHECK_OP(CONV_2D, same, out, 0);
}
END_TEST

START_TEST(convolution_of_nchw_with_dilation)
{
    struct operand in[] = {
        {F32, X(1, 2, 3, 3), V(1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 1, 1, 1, 1, 1, 1, 1, 1)},
        {F32, DIMS(1, 2, 2, 2), V(1, 10, 1, 10, 1, 10, 1, 10)},
        BIAS(0),
        INT(2),
        INT(1),
        INT(1),
        INT(0),
        FLAG(1),
        INT(2),
        INT(2)};
    struct operand out[] = {{F32, DIMS(1, 1, 1, 1), V(1 + 3 + 7 + 9 + 40)}};

    CHECK_OP(CONV_2D, in, out, 0);
}
END_TEST

START_TEST(depthwise_and_grouped_convolution)
{
    struct operand depthwise[] = {{F32, X(1, 1, 2, 2), V(1, 2, 3, 4)},
                                  {F32, DIMS(1, 1, 2, 4), V(1, 2, 3, 4, 5, 6, 7, 8)},
                                  {F32, DIMS(4), V(0, 0, 0, 100)},
                                  INT(2),
                                  INT(1),
                                  INT(1),
                                  INT(2),
                                  INT(0)};
    struct operand out_depthwise[] = {
        {F32, DIMS(1, 1, 1, 4), V(1 + 15, 2 + 18, 6 + 28, 8 + 32 + 100)}};
    struct operand grouped[] = {{F32, X(1, 1, 1, 4), V(1, 2, 3, 4)},
                                {F32, DIMS(2, 1, 1, 2), V(1, 10, 1, 10)},
                                {F32, DIMS(2), V(0, 0)},
                                INT(2),
                                INT(1),
                                INT(1),
                                INT(2),
                                INT(0),
                                FLAG(0)};
    struct operand out_grouped[] = {{F32, DIMS(1, 1, 1, 2), V(21, 43)}};

    CHECK_OP(DEPTHWISE_CONV_2D, depthwise, out_depthwise, 0);
    CHECK_OP(GROUPED_CONV_2D, grouped, out_grouped, 0);
}
END_TEST

START_TEST(quantised_convolution_sums_integers)
{
    struct operand bias = {I32, .scale = 0.5f * 0.25f, DIMS(1), V(8)};
    struct operand in[] = {{Q8, 0.5f, 100, X(1, 1, 1, 3), V(110, 90, 104)},
                           {Q8, 0.25f, 2, DIMS(1, 1, 1, 3), V(4, 3, 6)},
                           bias,
                           INT(2),
                           INT(1),
                           INT(1),
                           INT(0)};
    /* 8 + 10*2 - 10*1 + 4*4 = 34, of 1/8: 4.25, of scale 0.5: 8.5, away from 0: 9 */
    struct operand out[] = {{Q8, 0.5f, 20, DIMS(1, 1, 1, 1), V(29)}};
    struct operand channels[] = {
        {Q8S, 0.5f, 0, X(1, 1, 1, 2), V(10, -10)},
        {Q8C, DIMS(2, 1, 1, 2), V(1, 2, 3, 4), .scales = {0.5f, 2}, .channel = 0},
        {I32, DIMS(2), V(4, 4)},
        INT(2),
        INT(1),
        INT(1),
        INT(0)};
    /* (4 + 10 - 20) / 4 = -1.5; (4 + 30 - 40) * 1 = -6 */
    struct operand out_channels[] = {{Q8S, 0.25f, 1, DIMS(1, 1, 1, 2), V(-5, -23)}};

    CHECK_OP(CONV_2D, in, out, 0);
    CHECK_OP(CONV_2D, channels, out_channels, 0);
}
END_TEST

START_TEST(matrices)
{
    struct operand fc[] = {{F32, X(2, 2), V(1, 2, 3, 4)},
                           {F32, DIMS(3, 2), V(1, 0, 0, 1, 1, 1)},
                           {F32, DIMS(3), V(0, 10, -4)},
                           INT(1)};
    struct operand out_fc[] = {{F32, DIMS(2, 3), V(1, 12, 0, 3, 14, 3)}};
    struct operand q[] = {{Q8, 0.5f, 1, X(1, 2), V(3, 5)},
                          {Q8, 0.5f, 0, DIMS(1, 2), V(2, 3)},
                          {I32, .scale = 0.25f, DIMS(1), V(-6)},
                          INT(0)};
    struct operand out_q[] = {{Q8, 1, 7, DIMS(1, 1), V(10)}}; /* (4 + 12 - 6) / 4 = 2.5 */
    struct operand bm[] = {
        {F32, X(1, 2, 2), V(1, 2, 3, 4)}, {F32, X(1, 2, 2), V(1, 0, 1, 1)}, FLAG(0), FLAG(1)};
    struct operand out_bm[] = {{F32, DIMS(1, 2, 2), V(1, 3, 3, 7)}};

    CHECK_OP(FULLY_CONNECTED, fc, out_fc, 0);
    CHECK_OP(FULLY_CONNECTED, q, out_q, 0);
    CHECK_OP(BATCH_MATMUL, bm, out_bm, 0);
}
END_TEST

START_TEST(pools_do_not_count_padding)
{
    struct operand average[] = {IMAGE, INT(1), INT(2), INT(2), INT(2), INT(2), INT(0)};
    struct operand out_average[] = {{F32, DIMS(1, 2, 2, 1), V(3, 4.5, 7.5, 9)}};
    struct operand most[] = {IMAGE,  INT(0), INT(1), INT(0), INT(1),
                             INT(2), INT(2), INT(2), INT(2), INT(3)};
    struct operand out_most[] = {{F32, DIMS(1, 2, 2, 1), V(5, 6, 6, 6)}};
    struct operand nchw[] = {{Q8, 1, 3, X(1, 1, 2, 2), V(1, 2, 3, 5)},
                             INT(2),
                             INT(1),
                             INT(1),
                             INT(2),
                             INT(2),
                             INT(0),
                             FLAG(1)};
    struct operand out_nchw[] = {{Q8, 1, 3, DIMS(1, 1, 1, 1), V(3)}};
    struct operand l2[] = {IMAGE, INT(2), INT(3), INT(3), INT(1), INT(2), INT(0)};
    struct operand out_l2[] = {{F32, DIMS(1, 1, 1, 1), V(2.915475947)}};

    CHECK_OP(AVERAGE_POOL_2D, average, out_average, 1e-6);
    CHECK_OP(MAX_POOL_2D, most, out_most, 0);
    CHECK_OP(AVERAGE_POOL_2D, nchw, out_nchw, 0);
    CHECK_OP(L2_POOL_2D, l2, out_l2, 1e-6);
}
END_TEST

START_TEST(norms)
{
    struct operand soft[] = {{F32, X(1, 2), V(0, 1.0986122887)}, REAL(1)};
    struct operand out_soft[] = {{F32, DIMS(1, 2), V(0.25, 0.75)}};
    struct operand axis[] = {{Q8, 1, 0, X(2, 1), V(9, 9)}, REAL(2), INT(0)};
    struct operand out_axis[] = {{Q8, 1.f / 256, 0, DIMS(2, 1), V(128, 128)}};
    struct operand logs[] = {{F32, X(1, 2), V(5, 5)}, REAL(1), INT(-1)};
    struct operand out_logs[] = {{F32, DIMS(1, 2), V(-0.693147181, -0.693147181)}};
    struct operand lrn[] = {{F32, X(1, 1, 1, 3), V(1, 2, 3)}, INT(1), REAL(1), REAL(1), REAL(1)};
    struct operand out_lrn[] = {{F32, DIMS(1, 1, 1, 3), V(1 / 6.0, 2 / 15.0, 3 / 14.0)}};
    struct operand l2[] = {{F32, X(1, 1, 1, 2), V(3, 4)}};
    struct operand out_l2[] = {{F32, DIMS(1, 1, 1, 2), V(0.6, 0.8)}};
    struct operand inst[] = {{F32, X(1, 2, 1, 1), V(1, 3)}, REAL(2), REAL(5), REAL(0), FLAG(0)};
    struct operand out_inst[] = {{F32, DIMS(1, 2, 1, 1), V(3, 7)}};

    CHECK_OP(SOFTMAX, soft, out_soft, 1e-6);
    CHECK_OP(SOFTMAX, axis, out_axis, 0);
    CHECK_OP(LOG_SOFTMAX, logs, out_logs, 1e-6);
    CHECK_OP(LOCAL_RESPONSE_NORMALIZATION, lrn, out_lrn, 1e-6);
    CHECK_OP(L2_NORMALIZATION, l2, out_l2, 1e-6);
    CHECK_OP(INSTANCE_NORMALIZATION, inst, out_inst, 1e-6);
}
END_TEST

/* ---- reductions and moves ------------------------------------------------------------------- */

#define SIX                                                                                        \
    {                                                                                              \
        F32, X(2, 3), V(1, 2, 3, 4, 5, 6)                                                          \
    }
#define SHAPE(n, ...)                                                                              \
    {                                                                                              \
        I32, DIMS(n), V(__VA_ARGS__)                                                               \
    }

static const struct op_case moves[] = {
    {OP(MEAN), {SIX, SHAPE(1, -1), INT(0)}, {{F32, DIMS(2), V(2, 5)}}},
    {OP(MEAN), {SIX, SHAPE(2, 0, 1), INT(1)}, {{F32, DIMS(1, 1), V(3.5)}}},
    {OP(REDUCE_SUM), {SIX, SHAPE(1, 0), FLAG(0)}, {{F32, DIMS(3), V(5, 7, 9)}}},
    {OP(REDUCE_PROD), {SIX, SHAPE(1, 1), FLAG(1)}, {{F32, DIMS(2, 1), V(6, 120)}}},
    {OP(REDUCE_MAX), {SIX, SHAPE(1, 0), FLAG(0)}, {{F32, DIMS(3), V(4, 5, 6)}}},
    {OP(REDUCE_MIN), {SIX, SHAPE(1, 0), FLAG(0)}, {{F32, DIMS(3), V(1, 2, 3)}}},
    {OP(REDUCE_ANY),
     {{B8, X(2, 2), V(0, 0, 1, 0)}, SHAPE(1, 1), FLAG(0)},
     {{B8, DIMS(2), V(0, 1)}}},
    {OP(REDUCE_ALL),
     {{B8, X(2, 2), V(1, 1, 1, 0)}, SHAPE(1, 1), FLAG(0)},
     {{B8, DIMS(2), V(1, 0)}}},
    {OP(ARGMAX), {SIX, INT(1)}, {{I32, DIMS(2), V(2, 2)}}},
    {OP(ARGMIN), {SIX, INT(0)}, {{I32, DIMS(3), V(0, 0, 0)}}},
    {OP(RESHAPE), {SIX, SHAPE(2, 3, -1)}, {{F32, DIMS(3, 2), V(1, 2, 3, 4, 5, 6)}}},
    {OP(SQUEEZE), {{F32, X(1, 2, 1), V(1, 2)}}, {{F32, DIMS(2), V(1, 2)}}},
    {OP(SQUEEZE), {{F32, X(1, 2, 1), V(1, 2)}, SHAPE(1, 2)}, {{F32, DIMS(1, 2), V(1, 2)}}},
    {OP(EXPAND_DIMS), {SIX, INT(-1)}, {{F32, DIMS(2, 3, 1), V(1, 2, 3, 4, 5, 6)}}},
    {OP(TRANSPOSE), {SIX, SHAPE(2, 1, 0)}, {{F32, DIMS(3, 2), V(1, 4, 2, 5, 3, 6)}}},
    {OP(TRANSPOSE), {SIX}, {{F32, DIMS(3, 2), V(1, 4, 2, 5, 3, 6)}}},
    {OP(REVERSE), {SIX, SHAPE(1, 1)}, {{F32, DIMS(2, 3), V(3, 2, 1, 6, 5, 4)}}},
    {OP(TILE),
     {{F32, X(1, 2), V(1, 2)}, SHAPE(2, 2, 2)},
     {{F32, DIMS(2, 4), V(1, 2, 1, 2, 1, 2, 1, 2)}}},
    {OP(GATHER), {SIX, INT(1), SHAPE(2, 2, 0)}, {{F32, DIMS(2, 2), V(3, 1, 6, 4)}}},
    {OP(EMBEDDING_LOOKUP), {SHAPE(2, 1, 1), SIX}, {{F32, DIMS(2, 3), V(4, 5, 6, 4, 5, 6)}}},
    {OP(CONCATENATION),
     {SIX, {F32, X(2, 1), V(8, 9)}, INT(1)},
     {{F32, DIMS(2, 4), V(1, 2, 3, 8, 4, 5, 6, 9)}}},
    {OP(CONCATENATION),
     {{Q8, 0.5f, 0, X(1), V(9)}, {Q8, 2, 1, X(1), V(3)}, INT(0)},
     {{Q8, 1, 10, DIMS(2), V(15, 14)}}}, /* 4.5 becomes 5 */
    {OP(PACK),
     {INT(0), {F32, X(2), V(1, 2)}, {F32, X(2), V(3, 4)}},
     {{F32, DIMS(2, 2), V(1, 2, 3, 4)}}},
    {OP(SPLIT),
     {SIX, INT(-1), INT(3)},
     {{F32, DIMS(2, 1), V(1, 4)}, {F32, DIMS(2, 1), V(2, 5)}, {F32, DIMS(2, 1), V(3, 6)}}},
    {OP(SLICE), {SIX, SHAPE(2, 1, 0), SHAPE(2, 1, -1)}, {{F32, DIMS(1, 3), V(4, 5, 6)}}},
    {OP(STRIDED_SLICE),
     {SIX, SHAPE(2, 0, 2), SHAPE(2, 2, 0), SHAPE(2, 1, -1), INT(0), INT(2), INT(0)},
     {{F32, DIMS(2, 3), V(3, 2, 1, 6, 5, 4)}}},
    {OP(STRIDED_SLICE),
     {SIX, SHAPE(2, 1, 0), SHAPE(2, 2, 3), SHAPE(2, 1, 2), INT(0), INT(0), INT(1)},
     {{F32, DIMS(2), V(4, 6)}}},
    {OP(PAD),
     {{F32, X(2), V(1, 2)}, {I32, DIMS(1, 2), V(1, 2)}},
     {{F32, DIMS(5), V(0, 1, 2, 0, 0)}}},
    {OP(PAD), {{Q8, 1, 7, X(1), V(1)}, {I32, DIMS(1, 2), V(0, 1)}}, {{Q8, 1, 7, DIMS(2), V(1, 7)}}},
    {OP(PAD_V2),
     {{Q8, 1, 7, X(1), V(1)}, {I32, DIMS(1, 2), V(0, 1)}, INT(9)},
     {{Q8, 1, 7, DIMS(2), V(1, 9)}}},
    {OP(MIRROR_PAD),
     {{F32, X(3), V(1, 2, 3)}, {I32, DIMS(1, 2), V(2, 1)}, INT(0)},
     {{F32, DIMS(6), V(3, 2, 1, 2, 3, 2)}}},
    {OP(MIRROR_PAD),
     {{F32, X(3), V(1, 2, 3)}, {I32, DIMS(1, 2), V(2, 1)}, INT(1)},
     {{F32, DIMS(6), V(2, 1, 1, 2, 3, 3)}}},
    {OP(DEPTH_TO_SPACE),
     {{F32, X(1, 1, 1, 4), V(1, 2, 3, 4)}, INT(2)},
     {{F32, DIMS(1, 2, 2, 1), V(1, 2, 3, 4)}}},
    {OP(DEPTH_TO_SPACE),
     {{F32, X(1, 4, 1, 1), V(1, 2, 3, 4)}, INT(2), FLAG(1)},
     {{F32, DIMS(1, 1, 2, 2), V(1, 2, 3, 4)}}},
    {OP(SPACE_TO_DEPTH),
     {{F32, X(1, 2, 2, 1), V(1, 2, 3, 4)}, INT(2)},
     {{F32, DIMS(1, 1, 1, 4), V(1, 2, 3, 4)}}},
    {OP(BATCH_TO_SPACE_ND),
     {{F32, X(4, 1, 1, 1), V(1, 2, 3, 4)}, SHAPE(2, 2, 2)},
     {{F32, DIMS(1, 2, 2, 1), V(1, 2, 3, 4)}}},
    {OP(SPACE_TO_BATCH_ND),
     {{F32, X(1, 1, 2, 1), V(1, 2)}, SHAPE(2, 2, 2), {I32, DIMS(2, 2), V(1, 0, 0, 0)}},
     {{F32, DIMS(4, 1, 1, 1), V(0, 0, 1, 2)}}},
    {OP(CHANNEL_SHUFFLE),
     {{F32, X(1, 4), V(1, 2, 3, 4)}, INT(2), INT(1)},
     {{F32, DIMS(1, 4), V(1, 3, 2, 4)}}},
    {OP(FILL), {SHAPE(2, 2, 1), INT(4)}, {{I32, DIMS(2, 1), V(4, 4)}}},
    {OP(RANK), {SIX}, {{ANEURALNETWORKS_INT32, V(2)}}},
    {OP(CAST), {{F32, X(3), V(-1.9, 1.9, 300)}}, {{I32, DIMS(3), V(-1, 1, 300)}}},
    {OP(CAST), {{F32, X(3), V(-1.9, 1.9, 300)}}, {{Q8, 1, 0, DIMS(3), V(0, 1, 255)}}},
    {OP(CAST), {{Q8, 4, 9, X(2), V(9, 200)}}, {{F32, DIMS(2), V(9, 200)}}}, /* as stored */
    {OP(QUANTIZE),
     {{F32, X(4), V(0.25, 0.75, -0.25, 500)}},
     {{Q8, 0.5f, 10, DIMS(4), V(11, 12, 9, 255)}}},
    {OP(DEQUANTIZE), {{Q8, 0.5f, 10, X(2), V(11, 0)}}, {{F32, DIMS(2), V(0.5, -5)}}},
    {OP(DEQUANTIZE), {{Q8S, 0.5f, 1, X(2), V(-128, 1)}}, {{F16, DIMS(2), V(-64.5, 0)}}},
    {OP(RESIZE_BILINEAR),
     {{F32, X(1, 1, 2, 1), V(1, 3)}, INT(4), INT(1)},
     {{F32, DIMS(1, 1, 4, 1), V(1, 2, 3, 3)}}},
    {OP(RESIZE_BILINEAR),
     {{F32, X(1, 1, 2, 1), V(1, 3)}, INT(4), INT(1), FLAG(0), FLAG(0), FLAG(1)},
     {{F32, DIMS(1, 1, 4, 1), V(1, 1.5, 2.5, 3)}}},
    {OP(RESIZE_BILINEAR),
     {{F32, X(1, 1, 2, 1), V(1, 3)}, INT(3), INT(1), FLAG(0), FLAG(1), FLAG(0)},
     {{F32, DIMS(1, 1, 3, 1), V(1, 2, 3)}}},
    {OP(RESIZE_NEAREST_NEIGHBOR),
     {{F32, X(1, 1, 1, 2), V(1, 3)}, INT(4), INT(1), FLAG(1)},
     {{F32, DIMS(1, 1, 1, 4), V(1, 1, 3, 3)}}},
};

START_TEST(reducing_or_moving_operation)
{
    struct op_case c = moves[_i];

    check_op(c.operation, c.in, count_of(c.in, 8), c.out, count_of(c.out, 3), 1e-6);
}
END_TEST

/* Every operation that says it is computed has a test in this file or, of control, in check_runs. */
START_TEST(every_operation_is_tested)
{
    static const int32_t others[] = {ANEURALNETWORKS_CONV_2D,
                                     ANEURALNETWORKS_DEPTHWISE_CONV_2D,
                                     ANEURALNETWORKS_GROUPED_CONV_2D,
                                     ANEURALNETWORKS_FULLY_CONNECTED,
                                     ANEURALNETWORKS_BATCH_MATMUL,
                                     ANEURALNETWORKS_AVERAGE_POOL_2D,
                                     ANEURALNETWORKS_MAX_POOL_2D,
                                     ANEURALNETWORKS_L2_POOL_2D,
                                     ANEURALNETWORKS_SOFTMAX,
                                     ANEURALNETWORKS_LOG_SOFTMAX,
                                     ANEURALNETWORKS_LOCAL_RESPONSE_NORMALIZATION,
                                     ANEURALNETWORKS_L2_NORMALIZATION,
                                     ANEURALNETWORKS_INSTANCE_NORMALIZATION,
                                     ANEURALNETWORKS_IF,
                                     ANEURALNETWORKS_WHILE};
    bool tested[128] = {false};
    uint32_t n = 0;

    for (uint32_t i = 0; i < COUNT(unary); i++)
        tested[unary[i].operation] = true;
    for (uint32_t i = 0; i < COUNT(binary); i++)
        tested[binary[i].operation] = true;
    for (uint32_t i = 0; i < COUNT(moves); i++)
        tested[moves[i].operation] = true;
    for (uint32_t i = 0; i < COUNT(others); i++)
        tested[others[i]] = true;
    for (int32_t i = 0; i < 128; i++)
        if (bp_nnapi_operation_level(i)) {
            ck_assert_msg(tested[i], "%s has no test", bp_nnapi_operation_name(i));
            n++;
        }
    ck_assert_uint_eq(n, 85);
}
END_TEST

/* A result of float16 and of a relaxed float32 is rounded; the reference CPU does not relax. */
START_TEST(relaxed_float32_is_rounded_to_float16)
{
    struct operand in[] = {{F32, X(1), V(1.0001)}, {F32, X(1), V(2048.5)}, INT(0)};
    struct operand out[] = {{F32, DIMS(1)}};
    char results[1][512];

    for (int gpu = 0; gpu < 2; gpu++) {
        ANeuralNetworksModel *model;
        ANeuralNetworksCompilation *compilation;

        configure(gpu ? "devices = gpu" : "devices = none");
        OK(build(ANEURALNETWORKS_ADD, in, 3, out, 1, true, &model));
        OK(ANeuralNetworksCompilation_create(model, &compilation));
        OK(ANeuralNetworksCompilation_finish(compilation));
        OK(execute(compilation, in, 3, out, 1, results));
        /* 1.0001 is 1 in float16, 2048.5 is 2048, and 2049 of these is 2048 */
        ck_assert_double_eq_tol(decode(out, results[0], 0), gpu ? 2048 : 2049.5001, 1e-3);
        ANeuralNetworksCompilation_free(compilation);
        ANeuralNetworksModel_free(model);
    }
    nothing_lives();
}
END_TEST

static void setup(void)
{
    configure("level = 8\ndevices = none");
}

int main(void)
{
    TCase *cases[] = {tcase_create("operators")};

    tcase_add_checked_fixture(cases[0], setup, nothing_lives);
    tcase_add_loop_test(cases[0], unary_operation, 0, (int)COUNT(unary));
    tcase_add_loop_test(cases[0], binary_operation, 0, (int)COUNT(binary));
    tcase_add_loop_test(cases[0], reducing_or_moving_operation, 0, (int)COUNT(moves));
    tcase_add_test(cases[0], convolution_with_explicit_and_implicit_padding);
    tcase_add_test(cases[0], convolution_of_nchw_with_dilation);
    tcase_add_test(cases[0], depthwise_and_grouped_convolution);
    tcase_add_test(cases[0], quantised_convolution_sums_integers);
    tcase_add_test(cases[0], matrices);
    tcase_add_test(cases[0], pools_do_not_count_padding);
    tcase_add_test(cases[0], norms);
    tcase_add_test(cases[0], every_operation_is_tested);
    tcase_add_test(cases[0], relaxed_float32_is_rounded_to_float16);
    return check_main("nnapi_sim operators", cases, 1);
}
