/* SPDX-License-Identifier: MIT */
/*
 * bitwise_not.c - BitwiseNot (ai.onnx, opset 18): y = ~x.
 *
 * Types: integers.
 */

#include "kernels/unary.h"

#define NAME bitwise_not
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) (~WRAP(x))
#include "kernels/types/int.inc"
#include "kernels/types/uint.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/int.inc"
#include "kernels/types/uint.inc"
#undef TEMPLATE
        },
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_bitwise_not = {
    .name = "BitwiseNot",
    .since = 18,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
