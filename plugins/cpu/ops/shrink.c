/* SPDX-License-Identifier: MIT */
/*
 * shrink.c - Shrink (opset 9): y = x + bias where x < -lambd, x - bias where x > lambd, else 0.
 * Integers are computed in double; what the type cannot hold becomes its nearest number.
 */

#include "kernels/unary.h"

/* Cut off to the type's range; low and high are powers of 2 or 0, high just outside. */
static inline double held(double x, double low, double high)
{
    return x > low ? x < high ? x : high - 1 : low;
}

#define SHRUNK(x) ((x) < -b ? (x) + a : (x) > b ? (x) - a : 0)

#define NAME shrink
#define TEMPLATE "kernels/unary.inc"
/* a NaN is on neither side */
#define EXPR(x) SHRUNK(x)
#include "kernels/types_float.inc"
#undef EXPR
#undef TEMPLATE

#define TEMPLATE "kernels/shrink.inc"
#define LOW (-HIGH)
#define HIGH ((double)((uint64_t)1 << (8 * sizeof(T) - 1)))
#include "kernels/types_int.inc"
#undef LOW
#undef HIGH
#define LOW 0.0
#define HIGH (2 * (double)((uint64_t)1 << (8 * sizeof(T) - 1)))
#include "kernels/types_uint.inc"
#undef LOW
#undef HIGH
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/loop_entry.inc"
#include "kernels/types_number.inc"
#undef TEMPLATE
        },
    .a = "bias",
    .b = "lambd",
    .def_b = 0.5f,
    .cost = 2,
};

const struct bp_cpu_op bp_cpu_op_shrink = {
    .name = "Shrink",
    .since = 9,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
