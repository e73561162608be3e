/* SPDX-License-Identifier: MIT */
/*
 * sin.c - Sin (ai.onnx, opsets 7, 22): y = sin(x), x in radians.
 *
 * Version 22 adds bfloat16. trig.inc treats large angles. Types: floats.
 */

#include "elementwise/trigonometry/trig.h"
#include "kernels/unary.h"

enum { TRIG_BLOCK = 256 };

#define NAME sine
#define NEAR(x) F(sin)(x)
#define FAR(x) M(sin)(x)
#define TEMPLATE "elementwise/trigonometry/trig.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
        },
    .cost = 12,
};

const struct bp_cpu_op bp_cpu_op_sin = {
    .name = "Sin",
    .since = 7,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
