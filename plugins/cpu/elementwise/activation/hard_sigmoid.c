/* SPDX-License-Identifier: MIT */
/*
 * hard_sigmoid.c - HardSigmoid (ai.onnx, opsets 1, 6, 22): y = max(0, min(1, alpha * x + beta)), by
 * default alpha = 0.2 and beta = 0.5.
 *
 * Version 22 adds bfloat16. Types: floats.
 */

#include "kernels/unary.h"

#define NAME hard_sigmoid
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) (a * (x) + b < 0 ? 0 : a * (x) + b > 1 ? 1 : a * (x) + b)
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
    .def_a = 0.2f,
    .b = "beta",
    .def_b = 0.5f,
    .cost = 2,
};

const struct bp_cpu_op bp_cpu_op_hard_sigmoid = {
    .name = "HardSigmoid",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
