/* SPDX-License-Identifier: MIT */
/*
 * div.c - Div (opsets 1, 6, 7, 13, 14):
 * y = a / b; integers are cut off, a / 0 is 0 and the smallest one / -1 itself.
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
