/* SPDX-License-Identifier: MIT */
/* feature.c - The driver of element-wise operators of ai.onnx.ml; see feature.h. */

#include "ml/feature.h"

/*
 * Chooses the loop by X's type, and splits the rows in slices for the threads. Rank 0 counts as one
 * row with one feature.
 */
bp_rc bp_cpu_feature_prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_feature_loops *loops = call->node->op->loops;
    const bp_tensor *x = call->in[0];
    struct bp_cpu_feature *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->loop = x->dtype == BP_DTYPE_F32   ? loops->f32
              : x->dtype == BP_DTYPE_F64 ? loops->f64
              : x->dtype == BP_DTYPE_I64 ? loops->i64
                                         : loops->i32;
    s->cols = x->rank > 0 ? (size_t)x->dims[x->rank - 1] : 1;
    s->rows = s->cols > 0 ? (size_t)bp_cpu_count(x) / s->cols : 0;
    s->slices = bp_cpu_slices(call, (int64_t)s->rows, (int64_t)s->cols * loops->cost);
    return BP_OK;
}

/*
 * Slice i of n has the rows rows * i / n up to rows * (i + 1) / n; the quotient and the remainder
 * are multiplied apart, because the product might overflow.
 */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    struct bp_cpu_call *call = u;
    const struct bp_cpu_feature *s = call->state;
    size_t n = s->slices, first = s->rows / n * i + s->rows % n * i / n;
    size_t last = s->rows / n * (i + 1) + s->rows % n * (i + 1) / n;
    const char *x = bp_cpu_data(call->in[0]);
    char *y = bp_cpu_data(call->out[0]);

    (void)worker;
    s->loop(call->node->packed, x + first * s->cols * bp_cpu_width(call->in[0]->dtype),
            y + first * s->cols * bp_cpu_width(call->out[0]->dtype), last - first, s->cols);
}

bp_rc bp_cpu_feature_run(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_feature *s = call->state;

    (void)err;
    if (s->rows > 0)
        bp_cpu_parallel(call, s->slices, slice, call);
    return BP_OK;
}

bp_rc bp_cpu_feature_expect(const struct bp_cpu_call *call, const char *name, uint32_t count,
                            bp_err *err)
{
    const bp_tensor *x = call->in[0];
    int64_t cols = x->rank > 0 ? x->dims[x->rank - 1] : 1;

    if (count == 1 || (int64_t)count == cols)
        return BP_OK;
    return bp_cpu_fail(call->node, err, BP_E_SHAPE, "%s has %u elements for %lld features", name,
                       count, (long long)cols);
}
