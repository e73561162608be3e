/* SPDX-License-Identifier: MIT */
/*
 * dft.c - DFT (opsets 17, 20).
 * y[k] = sum over n of x[n] exp(-2 pi i k n / N) along `axis`; with inverse the conjugate, divided
 * by N. X is [..., N, ..., 1 or 2] (real, or real and imaginary part), Y has 2 in the last
 * dimension. onesided gives the first N / 2 + 1 frequencies of a real signal; inverse and onesided
 * (opset 20) give a real signal back. axis is an attribute in opset 17, an input in opset 20.
 * dft_length cuts the signal or pads it with zeros. All types are computed in float64.
 */

#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"
#include "signal/signal.h"

struct state {
    struct bp_cpu_runtime_shape runtime;
    bool inverse, onesided;
    struct bp_cpu_fft fft;
    int64_t outer, inner;     /* signals before and after the axis */
    int64_t in, out;          /* elements of a signal */
    int64_t used;             /* input elements that are read; the rest is padding */
    int64_t parts, out_parts; /* of an element: 1 real, 2 complex */
    size_t worker;            /* bytes */
    uint32_t slices;
};

struct job {
    const struct bp_cpu_call *call;
    const struct state *state;
    char *scratch;
};

/* The transform's axis; the last dimension holds the parts of a number and cannot be it. */
static bp_rc axis_of(struct bp_cpu_call *call, uint32_t *out, bp_err *err)
{
    bool is_attr = call->node->node->since < 20;
    int64_t axis = is_attr ? bp_cpu_int(call->node, "axis", 1) : -2;
    bp_rc rc = BP_OK;

    if (!is_attr && bp_cpu_in(call, 2))
        rc = bp_cpu_signal_scalar(call, 2, &axis, err);
    if (rc >= 0)
        rc = bp_cpu_axis(call, axis, call->in[0]->rank, out, err);
    if (rc >= 0 && *out + 1 == call->in[0]->rank)
        return bp_cpu_fail(call->node, err, BP_E_INVALID,
                           "axis is the last one, of real and imaginary part");
    return rc;
}

/* The length of the transform, and from it the sizes of the signals. */
static bp_rc length_of(struct bp_cpu_call *call, uint32_t axis, int64_t *n, bp_err *err)
{
    struct state *s = call->state;
    bool is_back_to_real = s->inverse && s->onesided;
    int64_t used;
    size_t bytes;
    bp_rc rc = BP_OK;

    s->in = call->in[0]->dims[axis];
    *n = is_back_to_real ? 2 * (s->in - 1) : s->in;
    if (bp_cpu_in(call, 1))
        rc = bp_cpu_signal_scalar(call, 1, n, err);
    if (rc < 0)
        return rc;
    if (!bp_cpu_fft_bytes(*n, &bytes))
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "a transform of length %lld",
                           (long long)*n);
    used = is_back_to_real ? *n / 2 + 1 : *n;
    s->used = s->in < used ? s->in : used;
    s->out = s->onesided && !s->inverse ? *n / 2 + 1 : *n;
    return BP_OK;
}

/*
 * Works the sizes out and makes the tables: in prepare, or in run if an input that decides them is
 * not constant.
 */
static bp_rc solve(struct bp_cpu_call *call, bool in_run, bp_err *err)
{
    struct state *s = call->state;
    const bp_tensor *x = call->in[0];
    int64_t dims[BP_CPU_MAX_RANK], n = 0;
    uint32_t axis = 0, last = x->rank - 1;
    bp_rc rc = axis_of(call, &axis, err);

    if (rc >= 0)
        rc = length_of(call, axis, &n, err);
    if (rc < 0)
        return rc;
    s->parts = x->dims[last];
    s->out_parts = s->inverse && s->onesided ? 1 : 2;
    if (s->parts != 2 && (s->parts != 1 || s->out_parts == 1))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the last dimension is %lld",
                           (long long)s->parts);
    for (uint32_t d = 0; d < x->rank; d++)
        dims[d] = d == axis ? s->out : d == last ? s->out_parts : x->dims[d];
    rc = bp_cpu_runtime_shape_output(call, x->rank, dims, err);
    s->outer = bp_dims_count(x->dims, axis);
    s->inner = bp_dims_count(x->dims + axis + 1, last - axis - 1);
    if (rc < 0 || s->outer * s->inner == 0)
        return rc;
    s->slices = bp_cpu_slices(call, s->outer * s->inner * s->out, 32);
    return bp_cpu_signal_make(call, &s->fft, n, in_run, &s->worker, err);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s;
    bp_rc rc = bp_cpu_runtime_shape_state(call, sizeof *s, 1, 2, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->inverse = bp_cpu_int(call->node, "inverse", 0) != 0;
    s->onesided = bp_cpu_int(call->node, "onesided", 0) != 0;
    if (call->in[0]->rank < 2)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "input has rank %u", call->in[0]->rank);
    if (s->runtime.solves_at_run)
        return BP_OK;
    rc = solve(call, false, err);
    if (rc >= 0 && __builtin_mul_overflow(s->worker, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return rc;
}

/* The second half of a real signal's spectrum is the first, conjugated. */
static void mirror(struct bp_cpu_complex *x, int64_t n)
{
    x[0].im = 0;
    if (n % 2 == 0)
        x[n / 2].im = 0;
    for (int64_t k = n / 2 + 1; k < n; k++)
        x[k] = (struct bp_cpu_complex){x[n - k].re, -x[n - k].im};
}

/* Each signal is loaded as float64 to the worker's scratch, transformed in place, and stored. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    const bp_tensor *x = job->call->in[0];
    const struct bp_cpu_signal_loops *loops = bp_cpu_signal_loops_of(x->dtype);
    struct bp_cpu_complex *signal = bp_cpu_worker_scratch(job->scratch, worker, s->worker);
    size_t width = bp_cpu_width(x->dtype);
    int64_t all = s->outer * s->inner, n = s->fft.n;

    for (int64_t l = all * i / s->slices; l < all * (i + 1) / s->slices; l++) {
        int64_t from = (l / s->inner * s->in * s->inner + l % s->inner) * s->parts;
        int64_t to = (l / s->inner * s->out * s->inner + l % s->inner) * s->out_parts;

        loops->load((const char *)bp_cpu_data(x) + (size_t)from * width, s->inner * s->parts,
                    s->parts, s->used, NULL, signal);
        for (int64_t k = s->used; k < n; k++)
            signal[k] = (struct bp_cpu_complex){0, 0};
        if (s->inverse && s->onesided)
            mirror(signal, n);
        if (s->inverse)
            bp_cpu_fft_back(&s->fft, signal, signal + n);
        else
            bp_cpu_fft_run(&s->fft, signal, signal + n);
        loops->store((char *)bp_cpu_data(job->call->out[0]) + (size_t)to * width,
                     s->inner * s->out_parts, s->out_parts, s->out, signal);
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
    if (s->outer * s->inner > 0)
        bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_dft = {
    .name = "DFT",
    .since = 17,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_FLOATS,
    .prepare = prepare,
    .run = run,
};
