/* SPDX-License-Identifier: MIT */
/*
 * rnn.c - RNN (opsets 1, 7, 14, 22).
 * h = f(x W' + h R' + Wb + Rb), with tanh as default. X is [steps, batch, input] (or [batch, steps,
 * input] with layout 1, opset 14), W [D, H, input], R [D, H, H]; outputs are Y [steps, D, batch, H]
 * and Y_h [D, batch, H].
 */

#include "kernels/cast/widen.h"
#include "recurrent/recurrent.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, SUFFIX)

#define T float
#define SUFFIX f32
#include "recurrent/rnn.inc"
#undef T
#undef SUFFIX

#define T double
#define SUFFIX f64
#include "recurrent/rnn.inc"

static const struct bp_cpu_cell cell = {
    .gates = 1,
    .n_activations = 1,
    .activations = {"tanh"},
    .first_step_f32 = step_f32,
    .first_step_f64 = step_f64,
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

const struct bp_cpu_op bp_cpu_op_rnn = {
    .name = "RNN",
    .since = 1,
    .flags = BP_CPU_RAW_WEIGHTS,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
