/* SPDX-License-Identifier: MIT */
/*
 * global_pool.c - GlobalAveragePool and GlobalMaxPool (opsets 1, 22).
 * X [N, C, d1, ...] gives Y [N, C, 1, ...]: the mean or the maximum of each plane.
 */

#include "kernels/cast/widen.h"
#include "kernels/simd/simd.h"
#include "kernels/tensor_data.h"

#include <math.h>

enum { MEAN, MAXIMUM }; /* variants */

struct job {
    const struct bp_cpu_simd *simd;
    const char *x;
    char *y;
    size_t count; /* elements of a plane */
    int64_t planes;
    uint32_t slices, dtype;
    bool is_mean;
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];

    if (x->rank < 2 || y->rank < 2 || x->dims[0] != y->dims[0] || x->dims[1] != y->dims[1] ||
        bp_cpu_count(y) != y->dims[0] * y->dims[1])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X and Y do not fit together");
    return BP_OK;
}

/* Sums are in float64, so that large planes stay exact enough. */
static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    int64_t n = job->slices, end = job->planes / n * (i + 1) + job->planes % n * (i + 1) / n;
    size_t width = bp_cpu_width(job->dtype);

    (void)worker;
    for (int64_t p = job->planes / n * i + job->planes % n * i / n; p < end; p++) {
        const char *x = job->x + (size_t)p * job->count * width;
        double v = job->is_mean ? job->simd->sum(x, job->count) / (double)job->count
                                : job->simd->max(x, job->count);

        if (job->dtype == BP_DTYPE_F64)
            ((double *)(void *)job->y)[p] = v;
        else
            ((float *)(void *)job->y)[p] = (float)v;
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct job job = {
        .simd = bp_cpu_simd(x->dtype),
        .count = 1,
        .planes = x->dims[0] * x->dims[1],
        .dtype = x->dtype,
        .is_mean = call->node->op->variant == MEAN,
    };

    (void)err;
    if (bp_cpu_count(call->out[0]) == 0)
        return BP_OK;
    for (uint32_t i = 2; i < x->rank; i++)
        job.count *= (size_t)x->dims[i];
    job.x = bp_cpu_data(x);
    job.y = bp_cpu_data(call->out[0]);
    job.slices = bp_cpu_slices(call, bp_cpu_count(x), 1);
    bp_cpu_parallel(call, job.slices, run_slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_global_average_pool = {
    .name = "GlobalAveragePool",
    .since = 1,
    .variant = MEAN,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};

const struct bp_cpu_op bp_cpu_op_global_max_pool = {
    .name = "GlobalMaxPool",
    .since = 1,
    .variant = MAXIMUM,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
