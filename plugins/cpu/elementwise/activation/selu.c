/* SPDX-License-Identifier: MIT */
/*
 * selu.c - Selu (ai.onnx, opsets 1, 6, 22): y = gamma * x where x > 0, else gamma * alpha * (exp(x)
 * - 1).
 *
 * Version 6 made alpha and gamma more exact, 22 adds bfloat16. Types: floats.
 */

#include "kernels/unary.h"

#define NAME selu
#define TEMPLATE "kernels/unary.inc"
#define EXPR(x) (b * ((x) > 0 ? (x) : a * F(expm1)(x)))
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
    .def_a = 1.67326319217681884765625f,
    .b = "gamma",
    .def_b = 1.05070102214813232421875f,
    .cost = 8,
};

const struct bp_cpu_op bp_cpu_op_selu = {
    .name = "Selu",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &family,
    .claim = bp_cpu_claim_unary,
    .prepare = bp_cpu_prepare_unary,
    .run = bp_cpu_run_unary,
};
