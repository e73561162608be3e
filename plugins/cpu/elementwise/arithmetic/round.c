/* SPDX-License-Identifier: MIT */
/*
 * round.c - Round (ai.onnx, opsets 11, 22): y = the nearest integer, ties to even.
 *
 * Version 22 adds bfloat16. Types: floats.
 */

#include "kernels/unary.h"

#define NAME round
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(rint)(x)
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
    .cost = 2,
};

const struct bp_cpu_op bp_cpu_op_round = {
    .name = "Round",
    .since = 11,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
