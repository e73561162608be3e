/* SPDX-License-Identifier: MIT */
/*
 * erf.c - Erf (opsets 9, 13): y = the error function of x. Of integers it is cut off: from 6 on
 * it is 1, as no double is nearer.
 */

#include "kernels/unary.h"

#define NAME erf
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(erf)(x)
#include "kernels/types/float.inc"
#undef EXPR
#define EXPR(x) (((x) >= 6) - ((x) <= -6))
#include "kernels/types/int.inc"
#undef EXPR
#define EXPR(x) ((x) >= 6)
#include "kernels/types/uint.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/number.inc"
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
