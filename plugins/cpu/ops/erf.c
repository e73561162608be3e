/* SPDX-License-Identifier: MIT */
/* erf.c - Erf (opsets 9, 13): y = the error function of x. */

#include "kernels/unary.h"

#define NAME erf
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(erf)(x)
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
    .cost = 10,
};

const struct bp_cpu_op bp_cpu_op_erf = {
    .name = "Erf",
    .since = 9,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
