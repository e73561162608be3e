/* SPDX-License-Identifier: MIT */
/*
 * thresholded_relu.c - ThresholdedRelu (ai.onnx, opsets 10, 22): y = x where x > alpha, else 0,
 * alpha = 1 by default.
 *
 * Version 22 adds bfloat16. Types: floats.
 */

#include "kernels/unary.h"

#define NAME thresholded_relu
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) ((x) > a ? (x) : 0)
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
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_thresholded_relu = {
    .name = "ThresholdedRelu",
    .since = 10,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
