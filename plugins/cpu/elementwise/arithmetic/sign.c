/* SPDX-License-Identifier: MIT */
/*
 * sign.c - Sign (ai.onnx, opsets 9, 13): y = -1, 0 or 1; NaN stays NaN.
 *
 * Version 13 adds bfloat16. Types: floats and integers.
 */

#include "kernels/unary.h"

#define NAME sign
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) ((x) > 0 ? 1 : (x) < 0 ? -1 : (x))
#include "kernels/types/signed.inc"
#undef EXPR
#define EXPR(x) ((x) != 0)
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
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_sign = {
    .name = "Sign",
    .since = 9,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
