/* SPDX-License-Identifier: MIT */
/*
 * lp_normalization.c - LpNormalization (opsets 1, 22).
 * y = x / norm along `axis`, where norm is the sum of magnitudes (p = 1) or the root of the sum of
 * squares (p = 2); zeros where the norm is 0. Y has the shape of X.
 */

#include "kernels/cast/widen.h"
#include "kernels/columns.h"
#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

#include <math.h>

/* The plan of a call. */
struct state {
    struct bp_cpu_columns columns;
    int64_t p;
};

/* Columns along the axis are shared out by kernels/columns. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    uint32_t axis;
    struct state *s;
    bp_rc rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", -1), x->rank, &axis, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof *s, err);
    if (rc < 0)
        return rc;
    s = call->state;
    s->p = bp_cpu_int(call->node, "p", 2);
    if ((s->p != 1 && s->p != 2) || bp_cpu_count(call->out[0]) != bp_cpu_count(x))
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "p is neither 1 nor 2");
    bp_cpu_columns_make(call, axis, 4, &s->columns);
    return BP_OK;
}

#define TEMPLATE "normalization/lp_norm.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    static const struct bp_cpu_column_loops f32 = {run_strip_f32, run_line_f32};
    static const struct bp_cpu_column_loops f64 = {run_strip_f64, run_line_f64};
    const struct state *s = call->state;

    (void)err;
    bp_cpu_columns_run(call, &s->columns, call->in[0]->dtype == BP_DTYPE_F64 ? &f64 : &f32, s);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

const struct bp_cpu_op bp_cpu_op_lp_normalization = {
    .name = "LpNormalization",
    .since = 1,
    .loops = &wide,
    .types = BP_CPU_FLOATS,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
