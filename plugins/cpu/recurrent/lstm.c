/* SPDX-License-Identifier: MIT */
/*
 * lstm.c - LSTM (opsets 1, 7, 14, 22) and DynamicQuantizeLSTM of com.microsoft.
 * X is [steps, batch, input] (or [batch, steps, input] with layout 1, opset 14), W [D, 4H, input],
 * R [D, 4H, H]. Gates i, o, f, c, each x W' + h R' + b; i, f see the peephole P * c of the old
 * state, o that of the new one:
 * c = f(f) * c + f(i) * g(c gate), h = f(o) * h(c). Outputs are Y [steps, D, batch, H], Y_h and Y_c
 * [D, batch, H].
 * DynamicQuantizeLSTM has 8-bit W [D, input, 4H] and R [D, H, 4H] with scales and zero points, and
 * quantises x and h itself.
 */

#include "kernels/cast/widen.h"
#include "recurrent/recurrent.h"
#include "recurrent/recurrent_int8.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, SUFFIX)

#define T float
#define SUFFIX f32
#include "recurrent/lstm.inc"
#undef T
#undef SUFFIX

#define T double
#define SUFFIX f64
#include "recurrent/lstm.inc"

/* clang-format off */
#define CELL                                                                                       \
    .gates = 4,                                                                                    \
    .n_activations = 3,                                                                            \
    .activations = {"sigmoid", "tanh", "tanh"},                                                    \
    .option = "input_forget",                                                                      \
    .has_c = true,                                                                                 \
    .first_step_f32 = step_f32,                                                                         \
    .first_step_f64 = step_f64
/* clang-format on */

static const struct bp_cpu_cell cell = {CELL};
static const struct bp_cpu_cell int8_cell = {CELL, .products = &bp_cpu_recurrent_int8};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    bp_cpu_recurrent_claim(op, query, &cell);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_recurrent_prepare(call, &cell, err);
}

static bp_rc prepare_int8(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_recurrent_prepare(call, &int8_cell, err);
}

static const struct bp_cpu_wide wide = {prepare, bp_cpu_recurrent_run};

const struct bp_cpu_op bp_cpu_op_lstm = {
    .name = "LSTM",
    .since = 1,
    .flags = BP_CPU_RAW_WEIGHTS,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};

const struct bp_cpu_op bp_cpu_op_dynamic_quantize_lstm = {
    .name = "DynamicQuantizeLSTM",
    .domain = "com.microsoft",
    .since = 1,
    .claim = claim,
    .types = UINT64_C(1) << BP_DTYPE_F32,
    .pack = bp_cpu_recurrent_int8_pack,
    .prepare = prepare_int8,
    .run = bp_cpu_recurrent_run,
};
