/* SPDX-License-Identifier: MIT */
/*
 * softplus.c - Softplus (ai.onnx, opsets 1, 22): y = ln(1 + exp(x)).
 *
 * Computed as max(x, 0) + ln(1 + exp(-|x|)), which does not overflow. Types: floats.
 */

#include "kernels/unary.h"

#define NAME softplus
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) F(softplus)(x)
#include "kernels/types/float.inc"
#undef EXPR
#undef TEMPLATE

static const struct bp_cpu_unary family = {
    .loops =
        {
#define TEMPLATE "kernels/types/loop_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
        },
    .cost = 16,
};

const struct bp_cpu_op bp_cpu_op_softplus = {
    .name = "Softplus",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
