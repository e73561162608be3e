/* SPDX-License-Identifier: MIT */
/*
 * less_or_equal.c - LessOrEqual (ai.onnx, opsets 12, 16): y = a <= b, as bool; false where one is
 * NaN.
 *
 * Version 16 adds bfloat16. Types: floats and integers.
 */

#include "elementwise/binary.h"

#define NAME less_or_equal
#define R uint8_t
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((x) <= (y))
#include "kernels/types/number.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_binary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
        },
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_less_or_equal = {
    .name = "LessOrEqual",
    .since = 12,
    .loops = &family,
    .claim = bp_cpu_claim_binary,
    .prepare = bp_cpu_prepare_binary,
    .run = bp_cpu_run_binary,
};
