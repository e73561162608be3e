/* SPDX-License-Identifier: MIT */
/*
 * xor.c - Xor (ai.onnx, opsets 1, 7): y = a != b.
 *
 * Version 1 aligns b by attribute `axis` (binary.h), 7 brings NumPy's broadcasting. Type: bool, one
 * byte each.
 */

#include "elementwise/binary.h"

#define NAME xor
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((x) ^ (y))
#include "kernels/types/bool.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_binary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/bool.inc"
#undef TEMPLATE
        },
    .cost = 1,
};

const struct bp_cpu_op bp_cpu_op_xor = {
    .name = "Xor",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_binary,
    .prepare = bp_cpu_prepare_binary,
    .run = bp_cpu_run_binary,
};
