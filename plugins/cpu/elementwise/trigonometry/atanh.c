/* SPDX-License-Identifier: MIT */
/* atanh.c - Atanh (opsets 9, 22): y = the inverse of tanh; NaN outside -1..1. */

#include "elementwise/trigonometry/trig.h"
#include "kernels/unary.h"

#define NAME atanh
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(atanh)(x)
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

const struct bp_cpu_op bp_cpu_op_atanh = {
    .name = "Atanh",
    .since = 9,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
