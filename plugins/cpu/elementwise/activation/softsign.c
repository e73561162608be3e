/* SPDX-License-Identifier: MIT */
/*
 * softsign.c - Softsign (ai.onnx, opsets 1, 22): y = x / (1 + |x|).
 *
 * Version 22 adds bfloat16. Types: floats.
 */

#include "kernels/unary.h"

#define NAME softsign
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) ((x) / (1 + F(fabs)(x)))
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

const struct bp_cpu_op bp_cpu_op_softsign = {
    .name = "Softsign",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
