/* SPDX-License-Identifier: MIT */
/*
 * max_pool.c - MaxPool (opsets 1, 8, 10, 11, 12, 22).
 * y is the maximum of x over each window; X is [N, C, d1, ...], Y and Indices (opset 8) are [N, C,
 * o1, ...].
 * Opset 10 added ceil_mode and dilations, opset 12 int8 and uint8.
 * Of equal elements the first gives the index; a NaN is never above another element.
 */

#include "conv_pool/pool.h"
#include "conv_pool/pool_axes.h"
#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

#include <math.h>

/* The macros that pool.inc needs; types_pool.inc defines EMPTY. */
#define COMBINE(a, b) ((b) > (a) ? (b) : (a))
#define FINISH(v, divisor) (v)

#define TEMPLATE "conv_pool/pool.inc"
#include "conv_pool/types_pool.inc"
#undef TEMPLATE

#define TEMPLATE "conv_pool/pool_indices.inc"
#include "conv_pool/types_pool.inc"
#undef TEMPLATE

/* Indices need the plain loop of pool_indices.inc; values alone use the separable one. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bool has_indices = bp_cpu_out(call, 1) != NULL;
    struct bp_cpu_pool *pool;
    bp_rc rc;

    if (bp_cpu_pool_has_many_axes(call))
        return bp_cpu_pool_axes_prepare(call, BP_CPU_POOL_MAX, 0, err);
    rc = bp_cpu_pool_prepare(call, err);
    if (rc < 0)
        return rc;
    pool = call->state;
    switch (call->in[0]->dtype) {
    case BP_DTYPE_F64:
        pool->plane = has_indices ? index_plane_f64 : pool_plane_f64;
        break;
    case BP_DTYPE_I8:
        pool->plane = has_indices ? index_plane_i8 : pool_plane_i8;
        break;
    case BP_DTYPE_U8:
        pool->plane = has_indices ? index_plane_u8 : pool_plane_u8;
        break;
    default:
        pool->plane = has_indices ? index_plane_f32 : pool_plane_f32;
        break;
    }
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, bp_cpu_pool_any_run};

const struct bp_cpu_op bp_cpu_op_max_pool = {
    .name = "MaxPool",
    .since = 1,
    .loops = &wide,
    .types = BP_CPU_FLOATS | UINT64_C(1) << BP_DTYPE_I8 | UINT64_C(1) << BP_DTYPE_U8,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
