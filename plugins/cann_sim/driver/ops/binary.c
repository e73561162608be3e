/* SPDX-License-Identifier: MIT */
/* binary.c - operators of two operands, broadcast against each other: Add to Pow. */
#include <tgmath.h>

#include "core/interrupt.h"
#include "ops/op.h"

/* Which of them: `code` of the row. */
enum { ADD, SUB, MUL, DIV, MAXIMUM, MINIMUM, POW };

/*
 * The vendor's operators here broadcast by NumPy's rule. One operation counts per element of the
 * result.
 */
static aclError prepare(struct sim_call *call, const aclopAttr *attr)
{
    struct sim_broadcast *broadcast = &call->params.broadcast;

    (void)attr;
    if (!sim_broadcast_shapes(&call->in[0].shape, &call->in[1].shape, &broadcast->shape))
        return sim_refuse(call, "the shapes of the operands do not fit");
    for (size_t i = 0; i < 2; i++)
        sim_broadcast_strides(&call->in[i].shape, &broadcast->shape, broadcast->stride[i]);
    call->result[0] = broadcast->shape;
    call->work = (double)sim_shape_count(&broadcast->shape);
    return 0;
}

/* Elements from the start of an operand to the row at `index`, whose last dimension is left out. */
static int64_t offset_of(const struct sim_broadcast *broadcast, size_t operand,
                         const int64_t *index)
{
    int64_t offset = 0;

    for (size_t i = 0; i + 1 < broadcast->shape.rank; i++)
        offset += index[i] * broadcast->stride[operand][i];
    return offset;
}

/* A case: the expression in x and y. Steps are 0 for an operand that is repeated along the row. */
#define LOOP(operator, expression)                                                                 \
    case operator:                                                                                 \
        for (int64_t i = 0; i < count; i++) {                                                      \
            x = a[i * a_step];                                                                     \
            y = b[i * b_step];                                                                     \
            target[i] = (expression);                                                              \
        }                                                                                          \
        break;

#define T float
#define NAME run_floats
#define ROW row_floats
#include "ops/binary.inc"
#undef T
#undef NAME
#undef ROW

#define T double
#define NAME run_doubles
#define ROW row_doubles
#include "ops/binary.inc"
#undef T
#undef NAME
#undef ROW

/*
 * Towards zero. Overflow wraps; a quotient by 0 is 0, as nothing is promised for it and the
 * division would trap.
 */
static int64_t quotient(int64_t x, int64_t y)
{
    if (y == 0)
        return 0;
    return y == -1 ? (int64_t)(0 - (uint64_t)x) : x / y;
}

#define INTS
#define T int64_t
#define NAME run_ints
#define ROW row_ints
#include "ops/binary.inc"

/* A row: ACL's name, its code, and the types that it takes. */
#define BINARY(variable, name, which, all_types)                                                   \
    const struct sim_op sim_op_##variable = {                                                      \
        .type = name,                                                                              \
        .min_inputs = 2,                                                                           \
        .max_inputs = 2,                                                                           \
        .outputs = 1,                                                                              \
        .code = which,                                                                             \
        .types = all_types,                                                                        \
        .prepare = prepare,                                                                        \
        .floats = run_floats,                                                                      \
        .doubles = run_doubles,                                                                    \
        .ints = run_ints,                                                                          \
    };

/* What the tables of the provider name for Add, Sub, Mul and Div together. */
#define ARITHMETIC (SIM_REAL | SIM_SIGNED | SIM_BIT(ACL_UINT8) | SIM_BIT(ACL_UINT16))

BINARY(add, "Add", ADD, ARITHMETIC)
BINARY(sub, "Sub", SUB, ARITHMETIC)
BINARY(mul, "Mul", MUL, ARITHMETIC)
BINARY(div, "Div", DIV, ARITHMETIC)
BINARY(maximum, "Maximum", MAXIMUM, ARITHMETIC)
BINARY(minimum, "Minimum", MINIMUM, ARITHMETIC)
BINARY(pow, "Pow", POW, SIM_REAL)
