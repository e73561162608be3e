/* SPDX-License-Identifier: MIT */
/*
 * lp_pool.c - LpPool (opsets 1, 2, 11, 18, 22) and GlobalLpPool (1, 2, 22).
 * y = (sum of ||x||^p)^(1/p) over each window of X [N, C, d1, ...], or over the whole plane.
 * p is a float in version 1, an integer from version 2 on; dilations and ceil_mode came with opset
 * 18.
 * Padding counts as 0.
 */

#include "conv_pool/pool.h"
#include "conv_pool/pool_axes.h"
#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

#include <math.h>

/* Elements whose powers are computed at a time. */
enum { CHUNK = 256 };

/* The macros that pool.inc needs. */
#define EMPTY 0
#define COMBINE(a, b) ((a) + (b))
#define FINISH(v, divisor) (v)

#define TEMPLATE "conv_pool/pool.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

#define TEMPLATE "conv_pool/lp_pool.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

/* Attribute p. BP_E_INVALID: it is not above 0. */
static bp_rc read_p(const struct bp_cpu_call *call, double *out, bp_err *err)
{
    *out = call->node->node->since < 2 ? (double)bp_cpu_float(call->node, "p", 2.0f)
                                       : (double)bp_cpu_int(call->node, "p", 2);
    if (!(*out > 0))
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "there is no norm for p = %g", *out);
    return BP_OK;
}

/* ---- LpPool ---------------------------------------------------------------------------------- */

/* The sum of powers is a pool; the powers of a plane are computed before it. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct bp_cpu_pool *pool;
    double p;
    bp_rc rc = read_p(call, &p, err);

    if (rc >= 0 && bp_cpu_pool_has_many_axes(call))
        return bp_cpu_pool_axes_prepare(call, BP_CPU_POOL_NORM, p, err);
    if (rc >= 0)
        rc = bp_cpu_pool_prepare(call, err);
    if (rc < 0)
        return rc;
    pool = call->state;
    pool->p = p;
    pool->plane = call->in[0]->dtype == BP_DTYPE_F64 ? lp_plane_f64 : lp_plane_f32;
    /* the powers of a plane precede the rows in the scratch */
    pool->worker_bytes += (size_t)pool->window.in_count * pool->width / 64 * 64 + 64;
    if (__builtin_mul_overflow(pool->worker_bytes, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, bp_cpu_pool_any_run};

const struct bp_cpu_op bp_cpu_op_lp_pool = {
    .name = "LpPool",
    .since = 1,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};

/* ---- GlobalLpPool ---------------------------------------------------------------------------- */

/* State of GlobalLpPool. */
struct planes {
    double p;
    int64_t count, size; /* planes, and elements of each */
    size_t width;
    uint32_t slices;
    void (*norm)(const void *x, int64_t n, double p, void *y);
};

struct job {
    const struct planes *planes;
    const char *x;
    char *y;
};

/* Each plane is one row of contiguous elements. */
static bp_rc prepare_global(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct planes *planes;
    bp_rc rc = bp_cpu_state(call, sizeof *planes, err);

    if (rc < 0)
        return rc;
    planes = call->state;
    if (x->rank < 2)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X has rank %u", x->rank);
    planes->count = bp_dims_count(x->dims, 2);
    planes->size = bp_dims_count(x->dims + 2, x->rank - 2);
    planes->width = bp_cpu_width(x->dtype);
    planes->norm = x->dtype == BP_DTYPE_F64 ? lp_norm_f64 : lp_norm_f32;
    planes->slices = bp_cpu_slices(call, bp_cpu_count(x), 2);
    if (planes->slices > planes->count)
        planes->slices = planes->count > 0 ? (uint32_t)planes->count : 1;
    if (bp_cpu_count(call->out[0]) != planes->count)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X and Y do not fit together");
    return read_p(call, &planes->p, err);
}

/* Slice i of the planes. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct planes *planes = job->planes;
    int64_t end = planes->count * (i + 1) / planes->slices;

    (void)worker;
    for (int64_t k = planes->count * i / planes->slices; k < end; k++)
        planes->norm(job->x + (size_t)(k * planes->size) * planes->width, planes->size, planes->p,
                     job->y + (size_t)k * planes->width);
}

static bp_rc run_global(struct bp_cpu_call *call, bp_err *err)
{
    const struct planes *planes = call->state;
    struct job job = {planes, bp_cpu_data(call->in[0]), bp_cpu_data(call->out[0])};

    (void)err;
    if (planes->count > 0)
        bp_cpu_parallel(call, planes->slices, slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide_global = {prepare_global, run_global};

const struct bp_cpu_op bp_cpu_op_global_lp_pool = {
    .name = "GlobalLpPool",
    .since = 1,
    .loops = &wide_global,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
