/* SPDX-License-Identifier: MIT */
/*
 * bias.c - BiasAdd, BiasDropout and BiasSoftmax (com.microsoft, version 1).
 *
 * BiasAdd      y = x + bias + skip
 * BiasDropout  the same (skip is optional) with a mask of ones: inference only
 * BiasSoftmax  y = softmax(x + bias) over the dimensions from `axis` on
 *
 * x, skip and y have one shape. The bias of BiasAdd is 1-D, of the size of the last dimension (or
 * of x). Types: floats; 16-bit ones are widened to float32 around the call (kernels/cast/widen.h).
 */

#include "kernels/cast/widen.h"
#include "kernels/simd/simd.h"
#include "kernels/tensor_data.h"

#include <math.h>

/*
 * x seen as rows of `cols` elements; row r gets row r / outer_step % bias_rows of the bias. With a
 * softmax cols is the product of the dimensions that it goes over.
 */
struct state {
    const struct bp_cpu_simd *simd;
    int64_t rows, cols;
    int64_t outer_step, bias_rows;
    uint32_t slices;
    bool is_softmax, is_double;
};

/* What the threads of one run share. skip may be NULL. */
struct job {
    const struct state *state;
    const char *x, *bias, *skip;
    char *y;
};

#define T float
#define FN(name) name##_f32
#include "elementwise/activation/bias_rows.inc"

#define T double
#define FN(name) name##_f64
#include "elementwise/activation/bias_rows.inc"

/*
 * A slice is a range of rows; each row is read once, so that bias and softmax meet in the L1 cache.
 */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t n = s->slices, end = s->rows / n * (i + 1) + s->rows % n * (i + 1) / n;

    (void)worker;
    for (int64_t r = s->rows / n * i + s->rows % n * i / n; r < end; r++) {
        int64_t bias_row = r / s->outer_step % s->bias_rows;

        if (s->is_double)
            row_f64(job, (size_t)r, (size_t)bias_row);
        else
            row_f32(job, (size_t)r, (size_t)bias_row);
    }
}

/* The part of prepare that the operators share. */
static bp_rc start(struct bp_cpu_call *call, int64_t cols, bool is_softmax, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->simd = bp_cpu_simd(x->dtype);
    s->is_double = x->dtype == BP_DTYPE_F64;
    s->is_softmax = is_softmax;
    s->cols = cols;
    s->rows = cols > 0 ? bp_cpu_count(x) / cols : 0;
    s->outer_step = 1;
    s->bias_rows = 1;
    s->slices = bp_cpu_slices(call, bp_cpu_count(x), is_softmax ? 10 : 2);
    if (s->slices > s->rows)
        s->slices = s->rows > 0 ? (uint32_t)s->rows : 1;
    return BP_OK;
}

static bp_rc prepare_add(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *bias = call->in[1], *skip = bp_cpu_in(call, 2);
    int64_t cols = x->rank > 0 ? x->dims[x->rank - 1] : 1, count = bp_cpu_count(bias);
    bp_rc rc = start(call, cols, false, err);
    struct state *s = call->state;

    if (rc < 0)
        return rc;
    if ((count != cols && count != bp_cpu_count(x)) ||
        (skip && bp_cpu_count(skip) != bp_cpu_count(x)))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    s->bias_rows = cols > 0 && count > cols ? count / cols : 1;
    return BP_OK;
}

/*
 * x is outer x inner, and the softmax goes over inner. The bias is repeated over the leading rows,
 * or with is_inner_broadcast between its batch dimensions and the axis.
 */
static bp_rc prepare_softmax(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *bias = call->in[1];
    bool is_inner = bp_cpu_int(call->node, "is_inner_broadcast", 0) != 0;
    int64_t axis = bp_cpu_int(call->node, "axis", 1), cols, count = bp_cpu_count(bias);
    struct state *s;
    bp_rc rc;

    axis += axis < 0 ? x->rank : 0;
    if (axis < 0 || axis > x->rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "axis is out of range for rank %u",
                           x->rank);
    cols = bp_dims_count(x->dims + axis, x->rank - (uint32_t)axis);
    rc = start(call, cols, true, err);
    if (rc < 0 || bp_cpu_count(x) == 0)
        return rc;
    s = call->state;
    if (count == 0 || count % cols != 0 || s->rows % (count / cols) != 0)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the bias does not fit the data");
    s->bias_rows = count / cols;
    s->outer_step = is_inner ? s->rows / s->bias_rows : 1;
    return BP_OK;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *skip = s->is_softmax ? NULL : bp_cpu_in(call, 2);
    const struct job job = {s, bp_cpu_data(call->in[0]), bp_cpu_data(call->in[1]),
                            skip ? bp_cpu_data(skip) : NULL, bp_cpu_data(call->out[0])};
    struct job copy = job;

    (void)err;
    if (s->rows > 0)
        bp_cpu_parallel(call, s->slices, slice, &copy);
    return BP_OK;
}

/* A scalar ratio; bp_cpu_wide has made float32 of 16-bit types. */
static bool is_above_0(const bp_tensor *tensor)
{
    const void *data = bp_cpu_data(tensor);

    return tensor->dtype == BP_DTYPE_F64 ? *(const double *)data > 0 : *(const float *)data > 0;
}

/* training_mode is refused at run time, because it is an input. */
static bp_rc run_dropout(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *ratio = bp_cpu_in(call, 3), *mode = bp_cpu_in(call, 4);
    const bp_tensor *mask = bp_cpu_out(call, 1);

    if (mode && bp_cpu_count(mode) > 0 && *(const uint8_t *)bp_tensor_data(mode) &&
        (!ratio || bp_cpu_count(ratio) < 1 || is_above_0(ratio)))
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED,
                           "training_mode is set: training is not implemented");
    if (mask)
        memset(bp_cpu_data(mask), 1, (size_t)bp_cpu_count(mask));
    return run(call, err);
}

static const struct bp_cpu_wide add = {prepare_add, run};
static const struct bp_cpu_wide dropout = {prepare_add, run_dropout};
static const struct bp_cpu_wide softmax = {prepare_softmax, run};

/* The table rows differ in name and functions only. */
#define ROW(row, name_, wide_)                                                                     \
    const struct bp_cpu_op row = {                                                                 \
        .name = name_,                                                                             \
        .domain = "com.microsoft",                                                                 \
        .since = 1,                                                                                \
        .loops = &wide_,                                                                           \
        .types = BP_CPU_FLOATS,                                                                    \
        .prepare = bp_cpu_widen_prepare,                                                           \
        .run = bp_cpu_widen_run,                                                                   \
    }

ROW(bp_cpu_op_bias_add, "BiasAdd", add);
ROW(bp_cpu_op_bias_dropout, "BiasDropout", dropout);
ROW(bp_cpu_op_bias_softmax, "BiasSoftmax", softmax);
