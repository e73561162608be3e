/* SPDX-License-Identifier: MIT */
/*
 * bitwise_and.c - BitwiseAnd (ai.onnx, opset 18): y = a & b, with broadcasting.
 *
 * Types: integers.
 */

#include "elementwise/binary.h"

#define NAME bitwise_and
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((x) & (y))
#include "kernels/types/int.inc"
#include "kernels/types/uint.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_binary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/int.inc"
#include "kernels/types/uint.inc"
#undef TEMPLATE
        },
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_bitwise_and = {
    .name = "BitwiseAnd",
    .since = 18,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_binary,
    .prepare = bp_cpu_prepare_binary,
    .run = bp_cpu_run_binary,
};
