/* SPDX-License-Identifier: MIT */
/*
 * leaky_relu.c - LeakyRelu (ai.onnx, opsets 1, 6, 16): y = x where x >= 0, else alpha * x, alpha =
 * 0.01 by default.
 *
 * Version 16 adds bfloat16. Types: floats.
 */

#include "kernels/unary.h"

#define NAME leaky_relu
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) ((x) < 0 ? a * (x) : (x))
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
    .def_a = 0.01f,
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_leaky_relu = {
    .name = "LeakyRelu",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
