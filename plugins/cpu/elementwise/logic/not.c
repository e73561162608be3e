/* SPDX-License-Identifier: MIT */
/*
 * not.c - Not (ai.onnx, opset 1): y = !x.
 *
 * Type: bool, one byte each.
 */

#include "kernels/unary.h"

#define NAME not
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) (!(x))
#include "kernels/types/bool.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/bool.inc"
#undef TEMPLATE
        },
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_not = {
    .name = "Not",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
