/* SPDX-License-Identifier: MIT */
/*
 * gru.c - GRU (opsets 1, 3, 7, 14, 22).
 * X is [steps, batch, input] (or [batch, steps, input] with layout 1, opset 14), W [D, 3H, input],
 * R [D, 3H, H], D directions. Gates z, r, h:
 * z = f(x Wz' + h Rz' + b), r = f(x Wr' + h Rr' + b), n = g(x Wh' + (r * h) Rh' + b), h = (1 - z) n
 * + z h.
 * With linear_before_reset (opset 3) n = g(x Wh' + r * (h Rh' + Rbh) + Wbh). Outputs are Y [steps,
 * D, batch, H] and Y_h [D, batch, H].
 */

#include "kernels/cast/widen.h"
#include "recurrent/recurrent.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, SUFFIX)

#define T float
#define SUFFIX f32
#include "recurrent/gru.inc"
#undef T
#undef SUFFIX

#define T double
#define SUFFIX f64
#include "recurrent/gru.inc"

static const struct bp_cpu_cell cell = {
    .gates = 3,
    .n_activations = 2,
    .activations = {"sigmoid", "tanh"},
    .option = "linear_before_reset",
    .has_second_step = true,
    .splits_bias = true,
    .first_step_f32 = first_step_f32,
    .first_step_f64 = first_step_f64,
    .second_step_f32 = second_step_f32,
    .second_step_f64 = second_step_f64,
};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    bp_cpu_recurrent_claim(op, query, &cell);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_recurrent_prepare(call, &cell, err);
}

static const struct bp_cpu_wide wide = {prepare, bp_cpu_recurrent_run};

const struct bp_cpu_op bp_cpu_op_gru = {
    .name = "GRU",
    .since = 1,
    .flags = BP_CPU_RAW_WEIGHTS,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
