/* SPDX-License-Identifier: MIT */
/*
 * causal_conv_with_state.c - CausalConvWithState (opset 27).
 * X is [N, C, L], W [C, 1, K], past_state [N, C, K - 1]: y[l] = bias + sum over k of W[k] * (past,
 * x)[l + k], a depthwise convolution that sees earlier elements only. present_state is the last K -
 * 1 elements, for the next run. activation silu or swish: y * sigmoid(y).
 */

#include "kernels/cast/widen.h"
#include "kernels/simd/simd.h"
#include "kernels/tensor_data.h"

enum { X, WEIGHT, BIAS, PAST };

struct state {
    const struct bp_cpu_simd *simd;
    int64_t rows, channels, length, kernel; /* rows: channels of all batches */
    bool has_activation;
    size_t width, worker_bytes, taps_at, curve_at; /* in a worker's scratch; the row comes first */
    uint32_t slices;
};

struct job {
    const struct state *state;
    const char *x, *weight, *past; /* past: or NULL */
    const bp_tensor *bias;         /* or NULL */
    char *y, *present;             /* present: or NULL */
    char *scratch;
};

/* Checks all shapes against X and W. */
static bool fits(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *x = call->in[X], *weight = call->in[WEIGHT], *bias = bp_cpu_in(call, BIAS);
    const bp_tensor *past = bp_cpu_in(call, PAST), *present = bp_cpu_out(call, 1);

    if (x->rank != 3 || weight->rank != 3 || weight->dims[0] != x->dims[1] ||
        weight->dims[1] != 1 || weight->dims[2] < 1 || weight->dtype != x->dtype)
        return false;
    s->rows = x->dims[0] * x->dims[1];
    s->channels = x->dims[1];
    s->length = x->dims[2];
    s->kernel = weight->dims[2];
    return bp_cpu_count(call->out[0]) == bp_cpu_count(x) &&
           (!bias || (bias->dtype == x->dtype && bp_cpu_count(bias) == s->channels)) &&
           (!past || (past->dtype == x->dtype && past->rank == 3 &&
                      bp_cpu_count(past) == s->rows * (s->kernel - 1))) &&
           (!present || bp_cpu_count(present) == s->rows * (s->kernel - 1));
}

/*
 * A worker's scratch: the row with its past, the list of taps, and for the activation the sigmoid
 * of a row.
 */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[X];
    struct state *s;
    int64_t row;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (!fits(call, s))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the inputs do not fit together");
    s->simd = bp_cpu_simd(x->dtype);
    s->width = bp_cpu_width(x->dtype);
    s->has_activation =
        !bp_node_string_is(call->node->graph, call->node->node, "activation", "none", "none");
    if (__builtin_add_overflow(s->length, s->kernel, &row) || row > INT64_MAX / 64)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the rows are too long");
    s->taps_at = (size_t)row * s->width / 64 * 64 + 64;
    s->curve_at = s->taps_at + (size_t)s->kernel * sizeof(void *) / 64 * 64 + 64;
    s->worker_bytes = s->curve_at;
    if (s->has_activation)
        s->worker_bytes += (size_t)s->length * s->width / 64 * 64 + 64;
    if (__builtin_mul_overflow(s->worker_bytes, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the rows are too long");
    s->slices = bp_cpu_slices(call, bp_cpu_count(x), s->kernel);
    return BP_OK;
}

static double load(const bp_tensor *tensor, int64_t i)
{
    const void *data = bp_cpu_data(tensor);

    return tensor->dtype == BP_DTYPE_F64 ? ((const double *)data)[i]
                                         : (double)((const float *)data)[i];
}

/* y *= x, for the activation. */
static void multiply(void *y, const void *x, int64_t n, size_t width)
{
    if (width == sizeof(float)) {
        for (int64_t i = 0; i < n; i++)
            ((float *)y)[i] *= ((const float *)x)[i];
    } else {
        for (int64_t i = 0; i < n; i++)
            ((double *)y)[i] *= ((const double *)x)[i];
    }
}

/*
 * One channel: past and input are concatenated in the worker's scratch; tap k reads them from
 * element k on.
 */
static void run_row(const struct job *job, int64_t row, char *own)
{
    const struct state *s = job->state;
    size_t before = (size_t)(s->kernel - 1) * s->width, n = (size_t)s->length * s->width;
    int64_t channel = row % s->channels;
    const void **x = (const void **)(void *)(own + s->taps_at);
    struct bp_cpu_taps taps = {
        .x = x,
        .w = job->weight + (size_t)(channel * s->kernel) * s->width,
        .y = job->y + (size_t)row * n,
        .n = (size_t)s->length,
        .taps = (size_t)s->kernel,
        .stride = 1,
        .init = job->bias ? load(job->bias, channel) : 0,
    };

    if (job->past && before > 0)
        memcpy(own, job->past + (size_t)row * before, before);
    else
        memset(own, 0, before);
    if (n > 0)
        memcpy(own + before, job->x + (size_t)row * n, n);
    for (size_t k = 0; k < taps.taps; k++)
        x[k] = own + k * s->width;
    if (n > 0)
        s->simd->taps(&taps);
    if (s->has_activation) {
        s->simd->sigmoid(own + s->curve_at, taps.y, taps.n);
        multiply(taps.y, own + s->curve_at, s->length, s->width);
    }
    if (job->present && before > 0)
        memcpy(job->present + (size_t)row * before, own + n, before);
}

static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    int64_t rows = job->state->rows, n = job->state->slices;
    int64_t end = rows / n * (i + 1) + rows % n * (i + 1) / n;

    for (int64_t row = rows / n * i + rows % n * i / n; row < end; row++)
        run_row(job, row, job->scratch + worker * job->state->worker_bytes);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {.state = s, .bias = bp_cpu_in(call, BIAS), .scratch = call->scratch};

    (void)err;
    if (s->rows == 0)
        return BP_OK;
    job.x = bp_cpu_data(call->in[X]);
    job.weight = bp_cpu_data(call->in[WEIGHT]);
    job.past = bp_cpu_in(call, PAST) ? bp_cpu_data(call->in[PAST]) : NULL;
    job.y = bp_cpu_data(call->out[0]);
    job.present = bp_cpu_out(call, 1) ? bp_cpu_data(call->out[1]) : NULL;
    bp_cpu_parallel(call, s->slices, run_slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_causal_conv_with_state = {
    .name = "CausalConvWithState",
    .since = 27,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
