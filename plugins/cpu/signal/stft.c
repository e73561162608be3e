/* SPDX-License-Identifier: MIT */
/*
 * stft.c - STFT (opset 17).
 * signal is [batch, samples, 1 or 2] (or [batch, samples]); each frame of frame_length samples,
 * frame_step apart, is multiplied by the window and transformed. Y is [batch, frames, bins, 2];
 * onesided gives frame_length / 2 + 1 bins, else frame_length. All types are computed in float64.
 */

#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"
#include "signal/signal.h"

struct state {
    struct bp_cpu_runtime_shape runtime;
    struct bp_cpu_fft fft;
    int64_t batch, samples, parts, frames, bins, step;
    size_t worker; /* bytes */
    uint32_t slices;
};

struct job {
    const struct bp_cpu_call *call;
    const struct state *state;
    char *scratch;
};

/* frame_step, and the frame's length: input frame_length, or the window's size. */
static bp_rc frame_of(struct bp_cpu_call *call, int64_t *length, bp_err *err)
{
    struct state *s = call->state;
    const bp_tensor *window = bp_cpu_in(call, 2);
    bp_rc rc = bp_cpu_signal_scalar(call, 1, &s->step, err);

    if (rc < 0)
        return rc;
    if (s->step < 1)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "frame_step is %lld", (long long)s->step);
    *length = window && window->rank == 1 ? window->dims[0] : 0;
    if (bp_cpu_in(call, 3))
        rc = bp_cpu_signal_scalar(call, 3, length, err);
    if (rc < 0)
        return rc;
    if (*length < 1 || *length > s->samples)
        return bp_cpu_fail(call->node, err, BP_E_INVALID,
                           "a signal of %lld samples holds no frame of %lld", (long long)s->samples,
                           (long long)*length);
    if (window && (window->rank != 1 || window->dims[0] != *length))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the window has not frame_length elements");
    return BP_OK;
}

/*
 * Works the sizes out and makes the tables: in prepare, or in run if frame_step or frame_length is
 * not constant.
 */
static bp_rc solve(struct bp_cpu_call *call, bool in_run, bp_err *err)
{
    struct state *s = call->state;
    const bp_tensor *signal = call->in[0];
    bool onesided = bp_cpu_int(call->node, "onesided", 1) != 0;
    int64_t length = 0;
    bp_rc rc;

    if (signal->rank != 2 && signal->rank != 3)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "signal has rank %u", signal->rank);
    s->batch = signal->dims[0];
    s->samples = signal->dims[1];
    s->parts = signal->rank == 3 ? signal->dims[2] : 1;
    if (s->parts != 1 && s->parts != 2)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the last dimension of signal is %lld",
                           (long long)s->parts);
    rc = frame_of(call, &length, err);
    if (rc < 0)
        return rc;
    s->frames = 1 + (s->samples - length) / s->step;
    s->bins = onesided ? length / 2 + 1 : length;
    rc = bp_cpu_runtime_shape_output(call, 4, (int64_t[]){s->batch, s->frames, s->bins, 2}, err);
    if (rc < 0)
        return rc;
    s->slices = bp_cpu_slices(call, s->batch * s->frames * length, 32);
    return bp_cpu_signal_make(call, &s->fft, length, in_run, &s->worker, err);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s;
    bp_rc rc = bp_cpu_runtime_shape_state(call, sizeof *s, 1, 1, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->runtime.solves_at_run = s->runtime.solves_at_run || bp_cpu_signal_is_runtime(call, 3);
    if (s->runtime.solves_at_run)
        return BP_OK;
    rc = solve(call, false, err);
    if (rc >= 0 && __builtin_mul_overflow(s->worker, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return rc;
}

/* Frames are shared out to the threads; each is transformed in the worker's scratch. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    const bp_tensor *signal = job->call->in[0], *window = bp_cpu_in(job->call, 2);
    const struct bp_cpu_signal_loops *loops = bp_cpu_signal_loops_of(signal->dtype);
    struct bp_cpu_complex *frame = bp_cpu_worker_scratch(job->scratch, worker, s->worker);
    size_t width = bp_cpu_width(signal->dtype);
    int64_t all = s->batch * s->frames;

    for (int64_t f = all * i / s->slices; f < all * (i + 1) / s->slices; f++) {
        int64_t from = (f / s->frames * s->samples + f % s->frames * s->step) * s->parts;

        loops->load((const char *)bp_cpu_data(signal) + (size_t)from * width, s->parts, s->parts,
                    s->fft.n, window ? bp_cpu_data(window) : NULL, frame);
        bp_cpu_fft_run(&s->fft, frame, frame + s->fft.n);
        loops->store((char *)bp_cpu_data(job->call->out[0]) + (size_t)(f * s->bins * 2) * width, 2,
                     2, s->bins, frame);
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s = call->state;
    struct job job = {call, s, call->scratch};

    if (s->runtime.solves_at_run) {
        bp_rc rc = solve(call, true, err);

        if (rc < 0)
            return rc;
        job.scratch = bp_cpu_run_memory(call, s->worker * call->width + 1);
        if (!job.scratch)
            return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the transform");
    }
    if (s->batch > 0)
        bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *signal = bp_node_in(query->graph, query->node, 0);
    const bp_value *window = bp_node_in(query->graph, query->node, 2);

    if (signal && window && window->dtype != signal->dtype)
        bp_cpu_refuse_dtype(query, 2);
    else
        bp_cpu_claim_types(op, query);
}

const struct bp_cpu_op bp_cpu_op_stft = {
    .name = "STFT",
    .since = 17,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_FLOATS,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
