/* SPDX-License-Identifier: MIT */
/*
 * mish.c - Mish (ai.onnx, opsets 18, 22): y = x * tanh(ln(1 + exp(x))).
 *
 * Version 22 adds bfloat16. gates.h has the form without tanh and ln. Types: floats.
 */

#include "elementwise/activation/gates.h"
#include "kernels/unary.h"

#define NAME mish
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(mish)(x)
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
    .cost = 10,
};

const struct bp_cpu_op bp_cpu_op_mish = {
    .name = "Mish",
    .since = 18,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
