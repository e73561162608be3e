/* SPDX-License-Identifier: MIT */
/*
 * asin.c - Asin (ai.onnx, opsets 7, 22): y = arcsin(x) in -pi/2..pi/2; NaN outside of -1..1.
 *
 * Version 22 adds bfloat16. Types: floats.
 */

#include "elementwise/trigonometry/trig.h"
#include "kernels/unary.h"

#define NAME asin
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(asin)(x)
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
    .cost = 12,
};

const struct bp_cpu_op bp_cpu_op_asin = {
    .name = "Asin",
    .since = 7,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
