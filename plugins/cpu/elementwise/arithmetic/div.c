/* SPDX-License-Identifier: MIT */
/*
 * div.c - Div (ai.onnx, opsets 1, 6, 7, 13, 14): y = a / b; integers truncate towards 0.
 *
 * Versions 1 and 6 align b by attribute `axis` (binary.h), 7 brings NumPy's broadcasting, 13
 * bfloat16, 14 the small integers. What C leaves undefined is defined here: an integer / 0 is 0,
 * and the most negative one / -1 is itself. Types: floats and integers.
 */

#include "elementwise/binary.h"

#define NAME div
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((x) / (y))
#include "kernels/types/float.inc"
#undef EXPR
#define EXPR(x, y) ((y) == 0 ? 0 : (y) == -1 ? 0 - WRAP(x) : WRAP((x) / (y)))
#include "kernels/types/int.inc"
#undef EXPR
#define EXPR(x, y) ((y) == 0 ? 0 : (x) / (y))
#include "kernels/types/uint.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_binary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
        },
    .cost = 4,
};

const struct bp_cpu_op bp_cpu_op_div = {
    .name = "Div",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_binary,
    .prepare = bp_cpu_prepare_binary,
    .run = bp_cpu_run_binary,
};
