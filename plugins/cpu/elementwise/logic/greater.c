/* SPDX-License-Identifier: MIT */
/*
 * greater.c - Greater (ai.onnx, opsets 1, 7, 9, 13): y = a > b, as bool; false where one is NaN.
 *
 * Version 7 brings NumPy's broadcasting, 9 integers, 13 bfloat16. Types: floats and integers.
 */

#include "elementwise/binary.h"

#define NAME greater
#define R uint8_t
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((x) > (y))
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

const struct bp_cpu_op bp_cpu_op_greater = {
    .name = "Greater",
    .since = 1,
    .loops = &family,
    .claim = bp_cpu_claim_binary,
    .prepare = bp_cpu_prepare_binary,
    .run = bp_cpu_run_binary,
};
