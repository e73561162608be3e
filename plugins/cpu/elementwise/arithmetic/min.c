/* SPDX-License-Identifier: MIT */
/*
 * min.c - Min (ai.onnx, opsets 1, 6, 8, 12, 13): y = the smallest of a, b, ...; NaN if one is.
 *
 * Version 8 brings NumPy's broadcasting, 12 integers, 13 bfloat16. The driver is variadic.c. Types:
 * floats and integers.
 */

#include "elementwise/arithmetic/variadic.h"

#define NAME min
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))
#include "kernels/types/float.inc"
#undef EXPR
#define EXPR(x, y) ((x) < (y) ? (x) : (y))
#include "kernels/types/int.inc"
#undef EXPR
#define EXPR(x, y) ((x) < (y) ? (x) : (y))
#include "kernels/types/uint.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_variadic family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
        },
};

const struct bp_cpu_op bp_cpu_op_min = {
    .name = "Min",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_variadic,
    .prepare = bp_cpu_prepare_variadic,
    .run = bp_cpu_run_variadic,
};
