/* SPDX-License-Identifier: MIT */
/*
 * mean.c - Mean (ai.onnx, opsets 1, 6, 8, 13): y = (a + b + ...) / n, for n >= 1 inputs.
 *
 * Version 8 brings NumPy's broadcasting, 13 bfloat16. The driver is variadic.c; `last` is the
 * division. Types: floats.
 */

#include "elementwise/arithmetic/variadic.h"

#define NAME mean
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((x) + (y))
#include "kernels/types/float.inc"
#undef EXPR
#undef TEMPLATE

#undef NAME
#define NAME divide
#define EXPR(x) ((x) / a)
#define TEMPLATE "kernels/unary.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
#undef EXPR

static const struct bp_cpu_variadic family = {
    .last =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
        },
#undef NAME
#define NAME mean
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
        },
};

const struct bp_cpu_op bp_cpu_op_mean = {
    .name = "Mean",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_variadic,
    .prepare = bp_cpu_prepare_variadic,
    .run = bp_cpu_run_variadic,
};
