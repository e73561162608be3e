/* SPDX-License-Identifier: MIT */
/*
 * relu.c - Relu (ai.onnx, opsets 1, 6, 13, 14): y = max(0, x); NaN stays NaN.
 *
 * Version 13 adds bfloat16, 14 signed integers. Types: floats and signed integers.
 */

#include "kernels/unary.h"

#define NAME relu
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) ((x) < 0 ? 0 : (x))
#include "kernels/types/signed.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/signed.inc"
#undef TEMPLATE
        },
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_relu = {
    .name = "Relu",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
