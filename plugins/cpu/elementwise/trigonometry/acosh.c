/* SPDX-License-Identifier: MIT */
/*
 * acosh.c - Acosh (ai.onnx, opsets 9, 22): y = arcosh(x); NaN below 1.
 *
 * Version 22 adds bfloat16. Types: floats.
 */

#include "elementwise/trigonometry/trig.h"
#include "kernels/unary.h"

#define NAME acosh
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(acosh)(x)
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
    .cost = 16,
};

const struct bp_cpu_op bp_cpu_op_acosh = {
    .name = "Acosh",
    .since = 9,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
