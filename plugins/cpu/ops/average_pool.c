/* SPDX-License-Identifier: MIT */
/* average_pool.c - AveragePool (opsets 1, 7, 10, 11, 19, 22); windows without an element give 0. */

#include "kernels/pool.h"
#include "kernels/pool_axes.h"
#include "kernels/widen.h"

#define JOIN_(a, b) a##_##b
#define JOIN(a, b) JOIN_(a, b)
#define FN(name) JOIN(name, SUFFIX)
#define FIRST 0
#define JOINED(a, b) ((a) + (b))
#define FINISHED(v, divisor) mean(v, divisor)

#define T float
#define SUFFIX f32
#define mean mean_f32
static inline float mean_f32(float sum, int64_t divisor)
{
    return divisor > 0 ? sum / (float)divisor : 0;
}
#include "kernels/pool.inc"
#undef T
#undef SUFFIX
#undef mean

#define T double
#define SUFFIX f64
#define mean mean_f64
static inline double mean_f64(double sum, int64_t divisor)
{
    return divisor > 0 ? sum / (double)divisor : 0;
}
#include "kernels/pool.inc"

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc;

    if (bp_cpu_pool_is_wide(call))
        return bp_cpu_pool_axes_prepare(call, BP_CPU_POOL_MEAN, 0, err);
    rc = bp_cpu_pool_prepare(call, err);
    if (rc >= 0)
        ((struct bp_cpu_pool *)call->state)->plane =
            call->in[0]->dtype == BP_DTYPE_F64 ? pool_plane_f64 : pool_plane_f32;
    return rc;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    (void)err;
    if (bp_cpu_pool_is_wide(call))
        bp_cpu_pool_axes_run(call);
    else
        bp_cpu_pool_run(call, NULL);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_average_pool = {
    .name = "AveragePool",
    .since = 1,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
