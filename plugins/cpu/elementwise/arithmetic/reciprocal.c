/* SPDX-License-Identifier: MIT */
/*
 * reciprocal.c - Reciprocal (ai.onnx, opsets 1, 6, 13): y = 1 / x.
 *
 * Version 13 adds bfloat16. Types: floats.
 */

#include "kernels/unary.h"

#define NAME reciprocal
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) (1 / (x))
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
    .cost = 4,
};

const struct bp_cpu_op bp_cpu_op_reciprocal = {
    .name = "Reciprocal",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
