/* SPDX-License-Identifier: MIT */
/*
 * abs.c - Abs (ai.onnx, opsets 1, 6, 13): y = |x|; the most negative integer stays as it is.
 *
 * Version 6 adds integers, 13 bfloat16. Types: floats and integers.
 */

#include "kernels/unary.h"

#define NAME abs
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(fabs)(x)
#include "kernels/types/float.inc"
#undef EXPR
#define EXPR(x) ((x) < 0 ? 0 - WRAP(x) : WRAP(x))
#include "kernels/types/int.inc"
#undef EXPR
#define EXPR(x) (x)
#include "kernels/types/uint.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
        },
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_abs = {
    .name = "Abs",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
