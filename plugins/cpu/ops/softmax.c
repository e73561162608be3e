/* SPDX-License-Identifier: MIT */
/*
 * softmax.c - Softmax and LogSoftmax (opsets 1, 11, 13). From 13 on along one axis; before, over
 * all axes from `axis` on. The largest element is taken off first, so nothing overflows.
 */

#include "kernels/data.h"
#include "kernels/loops.h"
#include "kernels/math.h"
#include "kernels/simd.h"
#include "kernels/widen.h"

enum { COLUMNS = 64 }; /* neighbours that share their passes when the axis is not the last one */

struct state {
    const struct bp_cpu_simd *simd;
    int64_t outer, axis, inner; /* x seen as outer x axis x inner */
    int64_t strips;             /* of an outer part: inner in pieces of COLUMNS */
    bool is_log;
    uint32_t slices;
};

struct job {
    const struct state *state;
    const void *x;
    void *y;
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    bool is_old = call->node->node->since < 13;
    int64_t axis = bp_cpu_int(call->node, "axis", is_old ? 1 : -1), rank = x->rank;
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    if (axis < 0)
        axis += rank;
    if (axis < 0 || axis > rank || (axis == rank && !is_old && rank > 0) ||
        bp_cpu_count(call->out[0]) != bp_cpu_count(x))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "axis is out of range for rank %u",
                           x->rank);
    state->simd = bp_cpu_simd(x->dtype);
    state->is_log = strcmp(call->node->op->name, "LogSoftmax") == 0;
    state->outer = bp_dims_count(x->dims, (uint32_t)axis);
    state->axis = bp_dims_count(x->dims + axis, (uint32_t)(rank - axis));
    state->inner = 1;
    if (!is_old && rank > 0) {
        state->axis = x->dims[axis];
        state->inner = bp_dims_count(x->dims + axis + 1, (uint32_t)(rank - axis - 1));
    }
    state->strips = (state->inner + COLUMNS - 1) / COLUMNS;
    state->slices = bp_cpu_slices(call, bp_cpu_count(x), 8);
    return BP_OK;
}

/* n neighbours along the last axis. */
static void run_row(const struct state *s, const void *x, void *y, size_t n)
{
    double max = s->simd->max(x, n), sum;

    if (s->is_log) {
        sum = s->simd->exp_sum(NULL, x, n, max);
        s->simd->scale(y, x, n, 1, -max); /* exact, which adding both at once is not */
        s->simd->scale(y, y, n, 1, -log(sum));
    } else {
        sum = s->simd->exp_sum(y, x, n, max);
        s->simd->scale(y, y, n, 1 / sum, 0);
    }
}

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, SUFFIX)

#define T float
#define SUFFIX f32
#define LOG logf
#define EXP bp_expf
#include "kernels/softmax.inc"
#undef T
#undef SUFFIX
#undef LOG
#undef EXP

#define T double
#define SUFFIX f64
#define LOG log
#define EXP exp
#include "kernels/softmax.inc"

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const bp_tensor *x = call->in[0];
    struct job job = {.state = state};

    (void)err;
    if (bp_cpu_count(x) == 0)
        return BP_OK;
    job.x = bp_cpu_data(x);
    job.y = bp_cpu_data(call->out[0]);
    bp_cpu_parallel(call, state->slices, x->dtype == BP_DTYPE_F64 ? run_slice_f64 : run_slice_f32,
                    &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_softmax = {
    .name = "Softmax",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};

const struct bp_cpu_op bp_cpu_op_log_softmax = {
    .name = "LogSoftmax",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
