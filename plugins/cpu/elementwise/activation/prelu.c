/* SPDX-License-Identifier: MIT */
/*
 * prelu.c - PRelu (ai.onnx, opsets 1, 6, 7, 9, 16): y = x where x >= 0, else slope * x.
 *
 * The slope broadcasts to x; before version 7 a 1-D slope has a value for each channel (axis 1).
 * Version 9 adds integers of 32 and 64 bits, 16 bfloat16. Types: floats and integers.
 */

#include "elementwise/binary.h"

#define NAME prelu
#define TEMPLATE "elementwise/binary.inc"
#define EXPR(x, y) ((x) < 0 ? WRAP(x) * WRAP(y) : WRAP(x))
#include "kernels/types/signed.inc"
#undef EXPR
#define EXPR(x, y) ((void)(y), (x))
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
    .cost = 1,
    .is_per_channel = true,
};

const struct bp_cpu_op bp_cpu_op_prelu = {
    .name = "PRelu",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_binary,
    .prepare = bp_cpu_prepare_binary,
    .run = bp_cpu_run_binary,
};
