/* SPDX-License-Identifier: MIT */
/*
 * lrn.c - LRN (opsets 1, 13).
 * y = x / (bias + alpha / size * sum of x^2)^beta, where the sum is over `size` channels around
 * each one; X is [N, C, d1, ...].
 */

#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

#include <math.h>

/* Positions that are summed at a time: sums stay in the L1 cache. */
enum { RUN = 256 };

/* The plan of a call. */
struct state {
    int64_t batch, channels, plane, size;
    double scale, beta, bias; /* scale: alpha / size */
    uint32_t slices;
};

struct job {
    const struct state *state;
    const void *x;
    void *y;
};

/* alpha is divided by size once. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->size = bp_cpu_int(call->node, "size", 0);
    if (x->rank < 2 || bp_cpu_count(call->out[0]) != bp_cpu_count(x))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X has rank %u, at least 2 is needed",
                           x->rank);
    if (state->size < 1)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "size is below 1");
    state->batch = x->dims[0];
    state->channels = x->dims[1];
    state->plane = bp_dims_count(x->dims + 2, x->rank - 2);
    state->scale = (double)bp_cpu_float(call->node, "alpha", 1e-4f) / (double)state->size;
    state->beta = (double)bp_cpu_float(call->node, "beta", 0.75f);
    state->bias = (double)bp_cpu_float(call->node, "bias", 1);
    state->slices = bp_cpu_slices(call, bp_cpu_count(x), 16);
    return BP_OK;
}

#define TEMPLATE "normalization/lrn.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

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

const struct bp_cpu_op bp_cpu_op_lrn = {
    .name = "LRN",
    .since = 1,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
