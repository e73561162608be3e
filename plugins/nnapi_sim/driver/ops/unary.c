/* SPDX-License-Identifier: MIT */
/* unary.c - operations on each element, and activations. */
#include "ops/unary.h"

#include <math.h>

static double compute(int32_t code, double x, double alpha)
{
    switch (code) {
    case ANEURALNETWORKS_ABS:
        return fabs(x);
    case ANEURALNETWORKS_EXP:
        return exp(x);
    case ANEURALNETWORKS_LOG:
        return log(x);
    case ANEURALNETWORKS_NEG:
        return -x;
    case ANEURALNETWORKS_SIN:
        return sin(x);
    case ANEURALNETWORKS_SQRT:
        return sqrt(x);
    case ANEURALNETWORKS_RSQRT:
        return 1 / sqrt(x);
    case ANEURALNETWORKS_FLOOR:
        return floor(x);
    case ANEURALNETWORKS_RELU:
        return nn_fuse(ANEURALNETWORKS_FUSED_RELU, x);
    case ANEURALNETWORKS_RELU1:
        return nn_fuse(ANEURALNETWORKS_FUSED_RELU1, x);
    case ANEURALNETWORKS_RELU6:
        return nn_fuse(ANEURALNETWORKS_FUSED_RELU6, x);
    case ANEURALNETWORKS_LOGISTIC:
        return 1 / (1 + exp(-x));
    case ANEURALNETWORKS_TANH:
        return tanh(x);
    case ANEURALNETWORKS_ELU:
        return x < 0 ? alpha * expm1(x) : x;
    case ANEURALNETWORKS_HARD_SWISH:
        return x * nn_fuse(ANEURALNETWORKS_FUSED_RELU6, x + 3) / 6;
    default: /* LOGICAL_NOT */
        return x == 0;
    }
}

static int run(struct nn_call *call)
{
    double *x = nn_load(call, call->in[0]);
    double alpha = call->in_count > 1 ? nn_real(call, 1) : 0;
    size_t n = nn_count_of(call->in[0]);

    if (!x)
        return nn_no_memory(call);
    for (size_t i = 0; i < n; i++)
        x[i] = compute(call->op->code, x[i], alpha);
    nn_store(call, call->out[0], x);
    return 0;
}

bool nn_check_quant_out(struct nn_call *call, double scale, int32_t zero)
{
    const struct nn_tensor *out = call->out[0];
    int32_t wanted = out->type == Q8S ? zero - 128 : zero;

    if (nn_is_quant8(out->type) && ((double)out->scale != scale || out->zero != wanted))
        return nn_refuse(call, "its output has scale %g and zero point %d, which must be %g and %d",
                         (double)out->scale, out->zero, scale, wanted);
    return true;
}

static bool check_logistic(struct nn_call *call)
{
    return nn_check_quant_out(call, 1.0 / 256, 0);
}

static bool check_tanh(struct nn_call *call)
{
    return nn_check_quant_out(call, 1.0 / 128, 128);
}

#define UNARY(NAME, LEVEL, ...)                                                                    \
    const struct nn_op nn_op_##NAME = {.code = ANEURALNETWORKS_##NAME,                             \
                                       .level = LEVEL,                                             \
                                       .out = "t",                                                 \
                                       .shape = nn_shape_same,                                     \
                                       .run = run,                                                 \
                                       __VA_ARGS__}
#define FLOATS(level) [F32] = (level), [F16] = 3

UNARY(ABS, 3, .in = {"t"}, .types = {FLOATS(3), [I32] = 4});
UNARY(EXP, 3, .in = {"t"}, .types = {FLOATS(3)});
UNARY(LOG, 3, .in = {"t"}, .types = {FLOATS(3)});
UNARY(NEG, 3, .in = {"t"}, .types = {FLOATS(3), [I32] = 3});
UNARY(SIN, 3, .in = {"t"}, .types = {FLOATS(3)});
UNARY(SQRT, 3, .in = {"t"}, .types = {FLOATS(3)});
UNARY(RSQRT, 3, .in = {"t"}, .types = {FLOATS(3), [Q8] = 7, [Q8S] = 7});
UNARY(FLOOR, 1, .in = {"t"}, .types = {FLOATS(1)}, .max_rank = 4);
UNARY(RELU, 1, .in = {"t"}, .types = {FLOATS(1), [Q8] = 1, [Q8S] = 4}, .max_rank = 4,
      .same_quant = true);
UNARY(RELU1, 1, .in = {"t"}, .types = {FLOATS(1), [Q8] = 1, [Q8S] = 4}, .max_rank = 4,
      .same_quant = true);
UNARY(RELU6, 1, .in = {"t"}, .types = {FLOATS(1), [Q8] = 1, [Q8S] = 4}, .max_rank = 4,
      .same_quant = true);
UNARY(LOGISTIC, 1, .in = {"t"}, .types = {FLOATS(1), [Q8] = 1, [Q8S] = 4}, .max_rank = 4,
      .check = check_logistic);
UNARY(TANH, 1, .in = {"t"}, .types = {FLOATS(1), [Q8] = 3, [Q8S] = 4}, .max_rank = 4,
      .check = check_tanh);
UNARY(ELU, 4, .in = {"tf"}, .types = {[F32] = 4, [F16] = 4});
UNARY(HARD_SWISH, 4, .in = {"t"}, .types = {[F32] = 4, [F16] = 4, [Q8] = 4, [Q8S] = 4});
UNARY(LOGICAL_NOT, 3, .in = {"t"}, .types = {[B8] = 3});
