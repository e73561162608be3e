/* SPDX-License-Identifier: MIT */
/*
 * sum.c - Sum (ai.onnx, opsets 1, 6, 8, 13): y = a + b + ..., one or more inputs.
 *
 * Version 8 brings NumPy's broadcasting, 13 bfloat16. The driver is variadic.c. Types: floats.
 */

#include "elementwise/arithmetic/variadic.h"

#define NAME sum
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((x) + (y))
#include "kernels/types/float.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_variadic family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
        },
};

const struct bp_cpu_op bp_cpu_op_sum = {
    .name = "Sum",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_variadic,
    .prepare = bp_cpu_prepare_variadic,
    .run = bp_cpu_run_variadic,
};
