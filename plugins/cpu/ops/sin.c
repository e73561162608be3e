/* SPDX-License-Identifier: MIT */
/* sin.c - Sin (opsets 7, 22): y = sin(x), x in radians. */

#include "kernels/unary.h"

#define NAME sin
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) M(sin)(x)
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
    .cost = 16,
};

const struct bp_cpu_op bp_cpu_op_sin = {
    .name = "Sin",
    .since = 7,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
