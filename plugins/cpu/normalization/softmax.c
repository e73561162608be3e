/* SPDX-License-Identifier: MIT */
/*
 * softmax.c - Softmax and LogSoftmax (opsets 1, 11, 13).
 * y = exp(x - max) / sum of exp(x - max), or its logarithm x - max - log(sum); Y has the shape of
 * X.
 * From opset 13 on along one axis; before, X is a matrix whose rows are all dimensions from `axis`
 * on.
 * The maximum is subtracted so that exp() does not overflow.
 */

#include "kernels/cast/widen.h"
#include "kernels/columns.h"
#include "kernels/simd/simd.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"
#include "kernels/vector_math.h"

/* Variants. */
enum { PLAIN, LOGARITHM };

/* Rows up to this length are computed without calls of vector loops. */
enum { SHORT = 8 };

/* The plan of a call. */
struct state {
    struct bp_cpu_columns columns;
    const struct bp_cpu_simd *simd;
    bool is_log;
};

/* Rows or columns along the axis are shared out by kernels/columns. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->simd = bp_cpu_simd(x->dtype);
    state->is_log = call->node->op->variant == LOGARITHM;
    if (bp_cpu_count(call->out[0]) != bp_cpu_count(x))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output has another size");
    return bp_cpu_columns_from(call, 8, &state->columns, err);
}

/* A contiguous row by vector loops. */
static void run_line(const void *u, const void *x, void *y)
{
    const struct state *s = u;
    size_t n = (size_t)s->columns.axis;
    double max = s->simd->max(x, n), sum;

    if (s->is_log) {
        sum = s->simd->exp_sum(NULL, x, n, max);
        s->simd->scale(y, x, n, 1, -max); /* x - max is exact; x - (max + log_sum) is not */
        s->simd->scale(y, y, n, 1, -log(sum));
    } else {
        sum = s->simd->exp_sum(y, x, n, max);
        s->simd->scale(y, y, n, 1 / sum, 0);
    }
}

#define TEMPLATE "normalization/softmax.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

/* float16 and bfloat16 are widened to float32 by kernels/cast/widen. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    static const struct bp_cpu_column_loops f32 = {run_strip_f32, run_line_f32};
    static const struct bp_cpu_column_loops f64 = {run_strip_f64, run_line_f64};
    const struct state *state = call->state;

    (void)err;
    bp_cpu_columns_run(call, &state->columns, call->in[0]->dtype == BP_DTYPE_F64 ? &f64 : &f32,
                       state);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_softmax = {
    .name = "Softmax",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .variant = PLAIN,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};

const struct bp_cpu_op bp_cpu_op_log_softmax = {
    .name = "LogSoftmax",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .variant = LOGARITHM,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
