/* SPDX-License-Identifier: MIT */
/*
 * elu.c - Elu (ai.onnx, opsets 1, 6, 22): y = x where x >= 0, else alpha * (exp(x) - 1), alpha = 1
 * by default.
 *
 * Version 22 adds bfloat16. Types: floats.
 */

#include "kernels/unary.h"

#define NAME elu
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) ((x) < 0 ? a * F(expm1)(x) : (x))
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
    .def_a = 1.0f,
    .cost = 8,
};

const struct bp_cpu_op bp_cpu_op_elu = {
    .name = "Elu",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
