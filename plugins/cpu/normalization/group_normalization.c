/* SPDX-License-Identifier: MIT */
/*
 * group_normalization.c - GroupNormalization (opsets 18, 21).
 * X is [N, C, d1, ...]; the C channels are num_groups groups.
 * y = (x - mean) / sqrt(var + epsilon) * scale + bias, with mean and variance of each group of each
 * image.
 * scale and bias are [num_groups] in opset 18, [C] in opset 21.
 */

#include "kernels/cast/widen.h"
#include "kernels/simd/simd.h"
#include "kernels/tensor_data.h"
#include "normalization/norm.h"

#include <math.h>

/* The plan of a call. */
struct state {
    const struct bp_cpu_simd *simd;
    const struct bp_cpu_norm *norm;
    int64_t parts, groups, members,
        plane; /* parts: groups of all images; members: channels of a group */
    size_t width;
    bool by_channel;
    double epsilon;
    uint32_t slices;
};

struct job {
    const struct state *state;
    const char *x;
    char *y;
    const bp_tensor *scale, *bias;
};

/* Checks that the groups divide the channels, and that scale and bias have the version's size. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state *s;
    int64_t wanted;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->groups = bp_cpu_int(call->node, "num_groups", 0);
    if (x->rank < 2 || s->groups < 1 || x->dims[1] % s->groups != 0 ||
        bp_cpu_count(call->out[0]) != bp_cpu_count(x))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the channels of X are not num_groups");
    s->by_channel = call->node->node->since >= 21;
    wanted = s->by_channel ? x->dims[1] : s->groups;
    if (bp_cpu_count(call->in[1]) != wanted || bp_cpu_count(call->in[2]) != wanted ||
        call->in[1]->dtype != x->dtype || call->in[2]->dtype != x->dtype)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X, scale and bias do not fit together");
    s->simd = bp_cpu_simd(x->dtype);
    s->norm = bp_cpu_norm(x->dtype);
    s->width = bp_cpu_width(x->dtype);
    s->epsilon = (double)bp_cpu_float(call->node, "epsilon", 1e-5f);
    s->members = x->dims[1] / s->groups;
    s->plane = bp_dims_count(x->dims + 2, x->rank - 2);
    if (bp_cpu_count(x) > 0)
        s->parts = x->dims[0] * s->groups;
    s->slices = bp_cpu_slices(call, bp_cpu_count(x), 4);
    return BP_OK;
}

/* Element i as float64. */
static double load(const bp_tensor *tensor, int64_t i)
{
    const void *data = bp_cpu_data(tensor);

    return tensor->dtype == BP_DTYPE_F64 ? ((const double *)data)[i]
                                         : (double)((const float *)data)[i];
}

/* One group of one image: its channels are contiguous. */
static void run_part(const struct job *job, int64_t part)
{
    const struct state *s = job->state;
    size_t count = (size_t)(s->members * s->plane), plane = (size_t)s->plane * s->width;
    const char *x = job->x + (size_t)part * count * s->width;
    char *y = job->y + (size_t)part * count * s->width;
    double mean = s->simd->sum(x, count) / (double)count;
    double var = s->simd->sum_squares(x, count, mean) / (double)count;
    double inverse = 1 / sqrt(var + s->epsilon);

    for (int64_t m = 0; m < s->members; m++) {
        int64_t group = part % s->groups, i = s->by_channel ? group * s->members + m : group;

        s->norm->uniform(y + (size_t)m * plane, x + (size_t)m * plane, (size_t)s->plane, mean,
                         inverse * load(job->scale, i), load(job->bias, i));
    }
}

/* Groups of all images are shared out to the threads. */
static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    int64_t parts = job->state->parts, n = job->state->slices;
    int64_t end = parts / n * (i + 1) + parts % n * (i + 1) / n;

    (void)worker;
    for (int64_t part = parts / n * i + parts % n * i / n; part < end; part++)
        run_part(job, part);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {.state = s, .scale = call->in[1], .bias = call->in[2]};

    (void)err;
    if (s->parts == 0)
        return BP_OK;
    job.x = bp_cpu_data(call->in[0]);
    job.y = bp_cpu_data(call->out[0]);
    bp_cpu_parallel(call, s->slices, run_slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_group_normalization = {
    .name = "GroupNormalization",
    .since = 18,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
