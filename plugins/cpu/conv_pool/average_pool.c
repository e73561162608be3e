/* SPDX-License-Identifier: MIT */
/*
 * average_pool.c - AveragePool (opsets 1, 7, 10, 11, 19, 22).
 * y is the mean of x over each window; X is [N, C, d1, ...], Y [N, C, o1, ...].
 * count_include_pad (opset 7) counts the padding in the divisor; ceil_mode came with opset 10,
 * dilations with opset 19.
 * Windows without an element give 0.
 */

#include "conv_pool/pool.h"
#include "conv_pool/pool_axes.h"
#include "kernels/cast/widen.h"
#include "kernels/types/loops.h"

/* The macros that pool.inc needs. */
#define EMPTY 0
#define COMBINE(a, b) ((a) + (b))
#define FINISH(v, divisor) ((divisor) > 0 ? (v) / (T)(divisor) : 0)

#define TEMPLATE "conv_pool/pool.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

/* Chooses the driver by rank and the loop by type. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc;

    if (bp_cpu_pool_has_many_axes(call))
        return bp_cpu_pool_axes_prepare(call, BP_CPU_POOL_MEAN, 0, err);
    rc = bp_cpu_pool_prepare(call, err);
    if (rc >= 0)
        ((struct bp_cpu_pool *)call->state)->plane =
            call->in[0]->dtype == BP_DTYPE_F64 ? pool_plane_f64 : pool_plane_f32;
    return rc;
}

static const struct bp_cpu_wide wide = {prepare, bp_cpu_pool_any_run};

const struct bp_cpu_op bp_cpu_op_average_pool = {
    .name = "AveragePool",
    .since = 1,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
