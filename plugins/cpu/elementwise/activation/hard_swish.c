/* SPDX-License-Identifier: MIT */
/*
 * hard_swish.c - HardSwish (ai.onnx, opsets 14, 22): y = x * max(0, min(1, x / 6 + 1/2)).
 *
 * Version 22 adds bfloat16. Types: floats.
 */

#include "kernels/unary.h"

#define NAME hard_swish
#define TEMPLATE "kernels/unary.inc"
/* added first, as a difference of numbers near 1/2 would have lost digits */
#define SIXTHS(x) ((x) + 3)
#define EXPR(x) ((x) * (SIXTHS(x) < 0 ? 0 : SIXTHS(x) > 6 ? 1 : SIXTHS(x) / 6))
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
    .cost = 3,
};

const struct bp_cpu_op bp_cpu_op_hard_swish = {
    .name = "HardSwish",
    .since = 14,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
