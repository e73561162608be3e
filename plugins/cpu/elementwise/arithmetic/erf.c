/* SPDX-License-Identifier: MIT */
/*
 * erf.c - Erf (ai.onnx, opsets 9, 13): y = erf(x) = 2 / sqrt(pi) * the integral of exp(-t^2) from 0
 * to x.
 *
 * For integers erf() is truncated: 0 below 6, and 1 from there on, where the nearest double of
 * erf(x) is 1. Version 13 adds bfloat16. Types: floats and integers.
 */

#include "kernels/unary.h"

#define NAME erf
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(erf)(x)
#include "kernels/types/float.inc"
#undef EXPR
#define EXPR(x) (((x) >= 6) - ((x) <= -6))
#include "kernels/types/int.inc"
#undef EXPR
#define EXPR(x) ((x) >= 6)
#include "kernels/types/uint.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
        },
    .cost = 10,
};

const struct bp_cpu_op bp_cpu_op_erf = {
    .name = "Erf",
    .since = 9,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
