/* SPDX-License-Identifier: MIT */
/*
 * pow.c - Pow (ai.onnx, opsets 1, 7, 12, 13, 15): y = a^b, of the type of a.
 *
 * Version 7 brings NumPy's broadcasting, 12 integers and a type of b that may differ, 13 and 15
 * more types. A b of another type is first converted into scratch: for a floating-point a to the
 * type that a is computed in, for an integer a to int64, or to double when b is floating point.
 * Types: floats and integers.
 */

#include "elementwise/arithmetic/power.h"
#include "elementwise/binary.h"
#include "kernels/cast/cast.h"

/*
 * a^b by repeated squaring; it wraps. A negative exponent gives 1 / a^-b truncated: 0 unless a is 1
 * or -1, and 0 for a = 0.
 */
static inline uint64_t integer_power(uint64_t a, int64_t b)
{
    uint64_t y = 1;

    if (b < 0)
        return a == 1 || (a == UINT64_MAX && b % 2 == 0) ? 1 : a == UINT64_MAX ? a : 0;
    for (; b > 0; b /= 2) {
        if (b % 2 != 0)
            y *= a;
        a *= a;
    }
    return y;
}

/*
 * x truncated to a signed integer of `size` bytes. What does not fit, and NaN, becomes the most
 * negative int64 (for 8 bytes) or int32, as the conversion of x86 does, on which other
 * implementations rely. Narrower types then lose the high bits of the int32.
 */
static inline int64_t truncated(double x, size_t size)
{
    double end = size > sizeof(int32_t) ? 0x1p63 : 0x1p31;

    if (x > -end - 1 && x < end)
        return (int64_t)x;
    return size > sizeof(int32_t) ? INT64_MIN : INT32_MIN;
}

/* Loops for a and b of one type. */
#define NAME pow_any
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) F(pow)(x, y)
#include "kernels/types/float.inc"
#undef EXPR
#undef TEMPLATE
#undef NAME
#define NAME pow
#define TEMPLATE "elementwise/arithmetic/pow.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) integer_power((uint64_t)(x), y)
#include "kernels/types/int.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_binary same_family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/signed.inc"
#undef TEMPLATE
        },
};
#undef NAME

/* Loops for floating-point a with b in the type that a is computed in, and integer a with int64 b. */
#define NAME pow_mixed
#define T_B C
#define C_B C
#define LOAD_B(x) (x)
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) F(pow)(x, y)
#include "kernels/types/float.inc"
#undef EXPR
#undef T_B
#undef C_B
#define T_B int64_t
#define C_B int64_t
#define EXPR(x, y) integer_power((uint64_t)(x), y)
#include "kernels/types/int.inc"
#undef EXPR
#undef TEMPLATE
#undef T_B
#undef C_B

static const struct bp_cpu_binary mixed_family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/signed.inc"
#undef TEMPLATE
        },
};
#undef NAME

/* Loops for integer a with double b. */
#define NAME pow_fraction
#define T_B double
#define C_B double
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) truncated(pow((double)(x), y), sizeof(x))
#include "kernels/types/int.inc"
#undef EXPR
#undef TEMPLATE
#undef T_B
#undef C_B
#undef LOAD_B

static const struct bp_cpu_binary fraction_family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/int.inc"
#undef TEMPLATE
        },
};
#undef NAME

enum { COST = 32 }; /* of an element, in simple operations */

struct state {
    struct bp_cpu_spread spread; /* the first field, because bp_cpu_run_binary() reads it */
    struct bp_cpu_map convert;   /* b to scratch; no loop: not needed */
};

static bool is_float(uint32_t dtype)
{
    return dtype == BP_DTYPE_F32 || dtype == BP_DTYPE_F64 || dtype == BP_DTYPE_F16 ||
           dtype == BP_DTYPE_BF16;
}

/* The type that b is converted to. */
static uint32_t exponent_type(uint32_t a, uint32_t b)
{
    if (is_float(a))
        return a == BP_DTYPE_F64 ? BP_DTYPE_F64 : BP_DTYPE_F32;
    return is_float(b) ? BP_DTYPE_F64 : BP_DTYPE_I64;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *a = bp_node_in(query->graph, query->node, 0);
    const bp_value *b = bp_node_in(query->graph, query->node, 1);

    (void)op;
    if (!a || a->dtype >= BP_DTYPE_END || !same_family.loops[a->dtype])
        bp_cpu_refuse_dtype(query, 0);
    else if (!b || b->dtype == BP_DTYPE_BOOL || !bp_cpu_cast_loop(b->dtype, BP_DTYPE_F64))
        bp_cpu_refuse_dtype(query, 1);
    else
        bp_accept(query->claims, query->index);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    uint32_t a = call->in[0]->dtype;
    const struct bp_cpu_binary *family = &same_family;
    int64_t dims_buffer[BP_CPU_MAX_RANK];
    struct state *state;
    bp_tensor b;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc >= 0)
        rc = bp_cpu_old_broadcast(call, false, dims_buffer, &b, err);
    if (rc < 0)
        return rc;
    state = call->state;
    if (b.dtype != a) {
        uint32_t to = exponent_type(a, b.dtype);
        bp_cpu_unary_loop loop = bp_cpu_cast_loop(b.dtype, to);

        family = is_float(b.dtype) && !is_float(a) ? &fraction_family : &mixed_family;
        b.dtype = to;
        state->convert = bp_cpu_map_make(call, loop, 2, call->in[1], &b);
        call->scratch_bytes = (size_t)bp_cpu_count(&b) * bp_cpu_width(to);
    }
    return bp_cpu_spread_make(call, family->loops[a], COST, call->in[0], &b, call->out[0],
                              &state->spread, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    const void *b = bp_tensor_data(call->in[1]);

    (void)err;
    if (state->convert.loop) {
        bp_cpu_map_run(call, &state->convert, b, call->scratch);
        b = call->scratch;
    }
    bp_cpu_spread_run(call, &state->spread, bp_tensor_data(call->in[0]), b,
                      bp_tensor_data(call->out[0]));
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_pow = {
    .name = "Pow",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
