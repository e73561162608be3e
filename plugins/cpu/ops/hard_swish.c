/* SPDX-License-Identifier: MIT */
/* hard_swish.c - HardSwish (opsets 14, 22): y = x * max(0, min(1, x / 6 + 1/2)). */

#include "kernels/unary.h"

#define NAME hard_swish
#define TEMPLATE "kernels/unary.inc"
#define SLOPE(x) ((x) / 6 + (C)0.5)
#define EXPR(x) ((x) * (SLOPE(x) < 0 ? 0 : SLOPE(x) > 1 ? 1 : SLOPE(x)))
#include "kernels/types_float.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/loop_entry.inc"
#include "kernels/types_float.inc"
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
