/* SPDX-License-Identifier: MIT */
/*
 * celu.c - Celu (ai.onnx, opsets 12, 28): y = max(0, x) + min(0, alpha * (exp(x / alpha) - 1)),
 * alpha = 1 by default.
 *
 * Version 12 is specified for float32 only. Types: floats.
 */

#include "kernels/unary.h"

#define NAME celu
#define TEMPLATE "kernels/unary.inc"
/* NaN stays NaN through the first part */
#define BELOW(x) (a * F(expm1)((x) / a))
#define EXPR(x) (((x) < 0 ? 0 : (x)) + (BELOW(x) < 0 ? BELOW(x) : 0))
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
    .a = "alpha",
    .def_a = 1,
    .cost = 9,
};

const struct bp_cpu_op bp_cpu_op_celu = {
    .name = "Celu",
    .since = 12,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
