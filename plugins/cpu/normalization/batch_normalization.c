/* SPDX-License-Identifier: MIT */
/*
 * batch_normalization.c - BatchNormalization (opsets 1, 6, 7, 9, 14, 15).
 * y = (x - mean) / sqrt(var + epsilon) * scale + B for each channel; X is [N, C, d1, ...], the
 * parameters are [C]. In training mean and var are those of the batch, and running mean = old *
 * momentum + batch's * (1 - momentum) comes out.
 * From opset 14 on attribute training_mode asks for training; before, outputs beyond Y do, unless
 * is_test is set, and saved_mean and saved_var are outputs too. Mean and variance may have another
 * type than X from opset 14 on, scale and B from 15 on. spatial (until opset 8) set to 0 gives each
 * position its own statistics.
 */

#include "kernels/cast/widen.h"
#include "kernels/simd/simd.h"
#include "kernels/tensor_data.h"
#include "normalization/norm.h"

#include <math.h>

enum { X, SCALE, BIAS, MEAN, VAR, N_INPUTS };
enum { Y, RUNNING_MEAN, RUNNING_VAR, SAVED_MEAN, SAVED_VAR, N_OUTPUTS };

/* The plan of a call. */
struct state {
    const struct bp_cpu_simd *simd;
    const struct bp_cpu_norm *norm;
    int64_t batch, channels, plane; /* x seen as batch x channels x plane */
    double epsilon, momentum;
    bool is_training;
    uint32_t slices;
};

struct job {
    const struct state *state;
    const bp_tensor *in[N_INPUTS];
    bp_tensor *out[N_OUTPUTS]; /* NULL: not wanted */
    size_t width;
};

/* Parameters may have another floating-point type than X. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    for (uint32_t i = 1; i < N_INPUTS; i++) {
        const bp_value *value = bp_node_in(query->graph, query->node, i);

        if (!value || value->dtype >= 64 || !(op->types >> value->dtype & 1)) {
            bp_cpu_refuse_dtype(query, i);
            return;
        }
    }
    bp_cpu_claim_types(op, query);
}

/* Whether the node trains: by attribute, or in old versions by its outputs. */
static bool trains(const struct bp_cpu_call *call)
{
    if (call->node->node->since >= 14)
        return bp_cpu_int(call->node, "training_mode", 0) != 0;
    for (uint32_t i = RUNNING_MEAN; i < N_OUTPUTS; i++) {
        if (bp_cpu_out(call, i))
            return bp_cpu_int(call->node, "is_test", 0) == 0;
    }
    return false;
}

/* Checks that each parameter has one element for each channel. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[X];
    bool is_spatial = bp_cpu_int(call->node, "spatial", 1) != 0;
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->simd = bp_cpu_simd(x->dtype);
    state->norm = bp_cpu_norm(x->dtype);
    state->epsilon = (double)bp_cpu_float(call->node, "epsilon", 1e-5f);
    state->momentum = (double)bp_cpu_float(call->node, "momentum", 0.9f);
    state->is_training = trains(call);
    state->batch = x->rank > 0 ? x->dims[0] : 1;
    state->channels = x->rank > 1 ? x->dims[1] : 1;
    state->plane = x->rank > 2 ? bp_dims_count(x->dims + 2, x->rank - 2) : 1;
    if (!is_spatial) { /* opsets 1 to 8: statistics of each position */
        state->channels *= state->plane;
        state->plane = 1;
    }
    state->slices = bp_cpu_slices(call, bp_cpu_count(x), 1);
    if (bp_cpu_count(call->out[0]) != bp_cpu_count(x))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "Y has another size than X");
    for (uint32_t i = 1; i < N_INPUTS; i++) {
        if (bp_cpu_count(call->in[i]) != state->channels)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                               "input %u has not one element for each channel", i);
    }
    for (uint32_t i = RUNNING_MEAN; i < N_OUTPUTS; i++) {
        if (bp_cpu_out(call, i) && bp_cpu_count(call->out[i]) != state->channels)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                               "output %u has not one element for each channel", i);
    }
    return BP_OK;
}

/* Element i as float64; parameters may have another type than X. */
static double load(const bp_tensor *tensor, int64_t i)
{
    const void *data = bp_cpu_data(tensor);

    return tensor->dtype == BP_DTYPE_F64 ? ((const double *)data)[i]
                                         : (double)((const float *)data)[i];
}

/* Stores element i of an output that may be absent. */
static void put(const struct job *job, uint32_t output, int64_t i, double v)
{
    bp_tensor *tensor = job->out[output];
    void *data = tensor ? bp_cpu_data(tensor) : NULL;

    if (!tensor)
        return;
    if (tensor->dtype == BP_DTYPE_F64)
        ((double *)data)[i] = v;
    else
        ((float *)data)[i] = (float)v;
}

/* The plane of image n and channel c. */
static void *plane_at(const struct job *job, const bp_tensor *tensor, int64_t n, int64_t c)
{
    const struct state *s = job->state;

    return (char *)bp_cpu_data(tensor) + (size_t)((n * s->channels + c) * s->plane) * job->width;
}

/*
 * Mean and variance of a channel over the batch; the running ones are updated. Two passes, because
 * one would cancel.
 */
static void measure(const struct job *job, int64_t c, double *mean, double *var)
{
    const struct state *s = job->state;
    double count = (double)(s->batch * s->plane), sum = 0, squares = 0;
    double old_mean = *mean, old_var = *var;

    for (int64_t n = 0; n < s->batch; n++)
        sum += s->simd->sum(plane_at(job, job->in[X], n, c), (size_t)s->plane);
    *mean = sum / count;
    for (int64_t n = 0; n < s->batch; n++)
        squares += s->simd->sum_squares(plane_at(job, job->in[X], n, c), (size_t)s->plane, *mean);
    *var = squares / count;
    put(job, RUNNING_MEAN, c, old_mean * s->momentum + *mean * (1 - s->momentum));
    put(job, RUNNING_VAR, c, old_var * s->momentum + *var * (1 - s->momentum));
    put(job, SAVED_MEAN, c, *mean);
    put(job, SAVED_VAR, c, *var);
}

/* Running and saved statistics are asked for although nothing is trained: they are the inputs. */
static void copy_statistics(const struct job *job, int64_t c, double mean, double var)
{
    put(job, RUNNING_MEAN, c, mean);
    put(job, RUNNING_VAR, c, var);
    put(job, SAVED_MEAN, c, mean);
    put(job, SAVED_VAR, c, var);
}

/* Channels are shared out to the threads. */
static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t n = s->slices, end = s->channels / n * (i + 1) + s->channels % n * (i + 1) / n;

    (void)worker;
    for (int64_t c = s->channels / n * i + s->channels % n * i / n; c < end; c++) {
        double mean = load(job->in[MEAN], c), var = load(job->in[VAR], c), mul, add;

        if (s->is_training)
            measure(job, c, &mean, &var);
        else
            copy_statistics(job, c, mean, var);
        mul = load(job->in[SCALE], c) / sqrt(var + s->epsilon);
        add = load(job->in[BIAS], c);
        for (int64_t b = 0; b < s->batch; b++)
            s->norm->uniform(plane_at(job, job->out[Y], b, c), plane_at(job, job->in[X], b, c),
                             (size_t)s->plane, mean, mul, add);
    }
}

/* Unused outputs are NULL, and put() passes over them. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    struct job job = {
        .state = state,
        .width = bp_cpu_width(call->in[X]->dtype),
    };

    (void)err;
    for (uint32_t i = 0; i < N_INPUTS; i++)
        job.in[i] = call->in[i];
    for (uint32_t i = 0; i < N_OUTPUTS; i++)
        job.out[i] = bp_cpu_out(call, i);
    if (state->channels > 0)
        bp_cpu_parallel(call, state->slices, run_slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_batch_normalization = {
    .name = "BatchNormalization",
    .since = 1,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
