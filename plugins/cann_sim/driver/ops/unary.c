/* SPDX-License-Identifier: MIT */
/*
 * unary.c - operators of one input and no other operand: Abs to Elu. All have the shape of their
 * input.
 */
#include <tgmath.h>

#include "core/interrupt.h"
#include "ops/op.h"

/* Which of them: `code` of the row. */
enum {
    ABS,
    NEG,
    RELU,
    SIGN,
    CEIL,
    FLOOR,
    ROUND,
    SQRT,
    RSQRT,
    RECIPROCAL,
    EXP,
    LOG,
    ERF,
    SIN,
    COS,
    SIGMOID,
    TANH,
    LEAKY_RELU,
    ELU
};

/*
 * Exp is base ^ (scale * x + shift), Log its inverse; a base of -1 stands for e. Leaves in factor[]
 * scale, shift and ln(base), by which the kernels multiply or divide.
 */
static aclError prepare_base(struct sim_call *call, const aclopAttr *attr)
{
    double base = -1, scale = 1, shift = 0;

    if (!sim_attr_float(attr, "base", &base) || !sim_attr_float(attr, "scale", &scale) ||
        !sim_attr_float(attr, "shift", &shift))
        return sim_refuse(call, "base, scale and shift have to be floats");
    if (base != -1 && base <= 0)
        return sim_refuse(call, "base %g is neither -1 nor more than 0", base);
    call->params.factor[0] = scale;
    call->params.factor[1] = shift;
    call->params.factor[2] = base == -1 ? 1 : log(base);
    return 0;
}

/*
 * factor[0] is LeakyRelu's slope or Elu's alpha; defaults are 0.01 and 1. One operation counts per
 * element.
 */
static aclError prepare(struct sim_call *call, const aclopAttr *attr)
{
    call->result[0] = call->in[0].shape;
    call->work = (double)call->in[0].count;
    call->params.factor[0] = call->op->code == ELU ? 1 : 0.01;
    if (call->op->code == EXP || call->op->code == LOG)
        return prepare_base(call, attr);
    if (call->op->code == LEAKY_RELU &&
        !sim_attr_float(attr, "negative_slope", &call->params.factor[0]))
        return sim_refuse(call, "negative_slope has to be a float");
    if (call->op->code == ELU && !sim_attr_float(attr, "alpha", &call->params.factor[0]))
        return sim_refuse(call, "alpha has to be a float");
    return 0;
}

#define T float
#define NAME run_floats
#include "ops/unary.inc"
#undef T
#undef NAME

#define T double
#define NAME run_doubles
#include "ops/unary.inc"
#undef T
#undef NAME

/*
 * Overflow wraps, as it does on the device: -INT64_MIN is INT64_MIN. Rows that have no integer
 * types in their `types` never come here.
 */
static void run_ints(const struct sim_call *call, const void *const *in, void *const *out)
{
    const int64_t *x = in[0];
    int64_t *y = out[0];

    for (size_t i = 0; i < call->in[0].count; i++) {
        int64_t negated = (int64_t)(0 - (uint64_t)x[i]);

        if (call->op->code == ABS)
            y[i] = x[i] < 0 ? negated : x[i];
        else if (call->op->code == NEG)
            y[i] = negated;
        else if (call->op->code == SIGN)
            y[i] = (x[i] > 0) - (x[i] < 0);
        else
            y[i] = x[i] > 0 ? x[i] : 0;
    }
}

/* A row: ACL's name, its code, and the types that it takes. */
#define UNARY(variable, name, which, all_types)                                                    \
    const struct sim_op sim_op_##variable = {                                                      \
        .type = name,                                                                              \
        .min_inputs = 1,                                                                           \
        .max_inputs = 1,                                                                           \
        .outputs = 1,                                                                              \
        .code = which,                                                                             \
        .types = all_types,                                                                        \
        .prepare = prepare,                                                                        \
        .floats = run_floats,                                                                      \
        .doubles = run_doubles,                                                                    \
        .ints = run_ints,                                                                          \
    };

UNARY(abs, "Abs", ABS, SIM_REAL | SIM_SIGNED)
UNARY(neg, "Neg", NEG, SIM_REAL | SIM_SIGNED)
UNARY(relu, "Relu", RELU, SIM_REAL | SIM_SIGNED | SIM_BIT(ACL_UINT8))
UNARY(sign, "Sign", SIGN, SIM_REAL | SIM_BIT(ACL_INT32) | SIM_BIT(ACL_INT64))
UNARY(ceil, "Ceil", CEIL, SIM_REAL)
UNARY(floor, "Floor", FLOOR, SIM_REAL)
UNARY(round, "Round", ROUND, SIM_REAL)
UNARY(sqrt, "Sqrt", SQRT, SIM_REAL)
UNARY(rsqrt, "Rsqrt", RSQRT, SIM_REAL)
UNARY(reciprocal, "Reciprocal", RECIPROCAL, SIM_REAL)
UNARY(exp, "Exp", EXP, SIM_REAL)
UNARY(log, "Log", LOG, SIM_REAL)
UNARY(erf, "Erf", ERF, SIM_REAL)
UNARY(sin, "Sin", SIN, SIM_REAL)
UNARY(cos, "Cos", COS, SIM_REAL)
UNARY(sigmoid, "Sigmoid", SIGMOID, SIM_REAL)
UNARY(tanh, "Tanh", TANH, SIM_REAL)
UNARY(leaky_relu, "LeakyRelu", LEAKY_RELU, SIM_REAL)
UNARY(elu, "Elu", ELU, SIM_REAL)
