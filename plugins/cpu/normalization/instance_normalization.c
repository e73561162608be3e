/* SPDX-License-Identifier: MIT */
/*
 * instance_normalization.c - InstanceNormalization (opsets 1, 6, 22).
 * X is [N, C, d1, ...], scale and B are [C]: y = (x - mean) / sqrt(var + epsilon) * scale + B, with
 * mean and variance of each channel of each image.
 */

#include "kernels/cast/widen.h"
#include "kernels/simd/simd.h"
#include "kernels/tensor_data.h"
#include "normalization/norm.h"

#include <math.h>

/* One run, for the threads. */
struct job {
    const struct bp_cpu_simd *simd;
    const struct bp_cpu_norm *norm;
    const char *x;
    char *y;
    const bp_tensor *scale, *bias;
    int64_t channels, planes;
    size_t count, width; /* elements of a plane, bytes of an element */
    double epsilon;
    uint32_t slices;
};

/* Sizes are read again in run(), which needs no state. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];

    if (x->rank < 2 || bp_cpu_count(call->out[0]) != bp_cpu_count(x) ||
        bp_cpu_count(call->in[1]) != x->dims[1] || bp_cpu_count(call->in[2]) != x->dims[1] ||
        call->in[1]->dtype != x->dtype || call->in[2]->dtype != x->dtype)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "input, scale and B do not fit together");
    return BP_OK;
}

/* Element i as float64. */
static double load(const bp_tensor *tensor, int64_t i)
{
    const void *data = bp_cpu_data(tensor);

    return tensor->dtype == BP_DTYPE_F64 ? ((const double *)data)[i]
                                         : (double)((const float *)data)[i];
}

/* Planes are shared out to the threads; three passes over each: sum, squares, result. */
static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    int64_t n = job->slices, end = job->planes / n * (i + 1) + job->planes % n * (i + 1) / n;

    (void)worker;
    for (int64_t p = job->planes / n * i + job->planes % n * i / n; p < end; p++) {
        const char *x = job->x + (size_t)p * job->count * job->width;
        double mean = job->simd->sum(x, job->count) / (double)job->count;
        double var = job->simd->sum_squares(x, job->count, mean) / (double)job->count;
        double mul = load(job->scale, p % job->channels) / sqrt(var + job->epsilon);

        job->norm->uniform(job->y + (size_t)p * job->count * job->width, x, job->count, mean, mul,
                           load(job->bias, p % job->channels));
    }
}

/* The plan is a handful of sizes; it is made for each run. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct job job = {
        .simd = bp_cpu_simd(x->dtype),
        .norm = bp_cpu_norm(x->dtype),
        .scale = call->in[1],
        .bias = call->in[2],
        .channels = x->dims[1],
        .planes = x->dims[0] * x->dims[1],
        .width = bp_cpu_width(x->dtype),
        .epsilon = (double)bp_cpu_float(call->node, "epsilon", 1e-5f),
    };

    (void)err;
    if (bp_cpu_count(x) == 0)
        return BP_OK;
    job.x = bp_cpu_data(x);
    job.y = bp_cpu_data(call->out[0]);
    job.count = (size_t)(bp_cpu_count(x) / job.planes);
    job.slices = bp_cpu_slices(call, bp_cpu_count(x), 2);
    bp_cpu_parallel(call, job.slices, run_slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_instance_normalization = {
    .name = "InstanceNormalization",
    .since = 1,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
