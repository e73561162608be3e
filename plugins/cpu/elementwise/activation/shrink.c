/* SPDX-License-Identifier: MIT */
/*
 * shrink.c - Shrink (ai.onnx, opset 9): y = x + bias where x < -lambd, x - bias where x > lambd,
 * else 0; NaN gives 0.
 *
 * By default lambd = 0.5 and bias = 0. Integers are computed in double, because the attributes are
 * floats, and the result saturates. Types: floats and integers.
 */

#include "kernels/unary.h"

#define SHRUNK(x) ((x) < -b ? (x) + a : (x) > b ? (x)-a : 0)

#define NAME shrink
#define TEMPLATE "kernels/unary.inc"
/* both comparisons with a NaN are false */
#define EXPR(x) SHRUNK(x)
#include "kernels/types/float.inc"
#undef EXPR
#undef TEMPLATE

#define TEMPLATE "elementwise/activation/shrink.inc"
/* TOP is the largest value of T; HIGH is one more, a power of 2 that double has for 64 bits too */
#define LOW (-HIGH)
#define TOP ((T)(((uint64_t)1 << (8 * sizeof(T) - 1)) - 1))
#define HIGH ((double)((uint64_t)1 << (8 * sizeof(T) - 1)))
#include "kernels/types/int.inc"
#undef LOW
#undef TOP
#undef HIGH
#define LOW 0.0
#define TOP ((T)-1)
#define HIGH (2 * (double)((uint64_t)1 << (8 * sizeof(T) - 1)))
#include "kernels/types/uint.inc"
#undef LOW
#undef TOP
#undef HIGH
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/number.inc"
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
