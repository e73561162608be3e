/* SPDX-License-Identifier: MIT */
/*
 * tanh.c - Tanh (ai.onnx, opsets 1, 6, 13): y = tanh(x).
 *
 * Version 13 adds bfloat16. Types: floats.
 */

#include "kernels/unary.h"

#define NAME tanh
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(tanh)(x)
#include "kernels/types/float.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
        },
    .cost = 8,
};

const struct bp_cpu_op bp_cpu_op_tanh = {
    .name = "Tanh",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
