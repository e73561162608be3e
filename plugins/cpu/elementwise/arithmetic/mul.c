/* SPDX-License-Identifier: MIT */
/*
 * mul.c - Mul (ai.onnx, opsets 1, 6, 7, 13, 14): y = a * b; integers wrap.
 *
 * Versions 1 and 6 align b by attribute `axis` (binary.h), 7 brings NumPy's broadcasting, 13
 * bfloat16, 14 the small integers. Types: floats and integers.
 */

#include "elementwise/binary.h"

#define NAME mul
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) (WRAP(x) * WRAP(y))
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

const struct bp_cpu_op bp_cpu_op_mul = {
    .name = "Mul",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_binary,
    .prepare = bp_cpu_prepare_binary,
    .run = bp_cpu_run_binary,
};
