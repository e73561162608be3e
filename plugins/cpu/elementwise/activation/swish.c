/* SPDX-License-Identifier: MIT */
/*
 * swish.c - Swish (ai.onnx, opset 24): y = x / (1 + exp(-alpha * x)), alpha = 1 by default.
 *
 * Types: floats.
 */

#include "elementwise/activation/gates.h"
#include "kernels/unary.h"

#define NAME swish
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(swish)(x, a)
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
    .a = "alpha",
    .def_a = 1,
    .cost = 9,
};

const struct bp_cpu_op bp_cpu_op_swish = {
    .name = "Swish",
    .since = 24,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
