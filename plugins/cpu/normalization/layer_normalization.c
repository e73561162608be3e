/* SPDX-License-Identifier: MIT */
/*
 * layer_normalization.c - LayerNormalization (opset 17, and before as in ONNX Runtime) and
 * RMSNormalization (opset 23).
 * X is normalised over all dimensions from `axis` on: y = (x - mean) / sqrt(var + epsilon) * Scale
 * + B, where Scale and B broadcast to X; the optional outputs Mean and InvStdDev have one element
 * for each row. RMSNormalization divides by sqrt(mean of x^2 + epsilon) and has no B.
 * Sums are in float64 whatever stash_type says. Rows are converted one at a time if X or Y has
 * another type than the computation.
 */

#include "kernels/cast/cast.h"
#include "kernels/runtime_shape.h"
#include "kernels/simd/simd.h"
#include "kernels/strided.h"
#include "kernels/tensor_data.h"
#include "normalization/norm.h"

#include <math.h>

enum { X, SCALE, BIAS };
enum { VARIANCE, ROOT_MEAN_SQUARE }; /* variants: what the rows are divided by */

/* Scale or B: converted to the type of the computation, and expanded to a row or to all rows. */
struct operand {
    bool is_given, is_expanded, is_per_row;
    int64_t count;                    /* of a row, or of all rows */
    size_t expanded_at, converted_at; /* in the scratch */
    bp_cpu_unary_loop convert;        /* NULL: it has the type */
    struct bp_cpu_strided expand;
};

/* The plan of a call. */
struct state {
    const struct bp_cpu_simd *simd;
    const struct bp_cpu_norm *norm;
    int64_t rows, n;
    bool is_rms;
    double epsilon;
    uint32_t slices;
    size_t x_width, y_width, width;               /* width: of the computation's type */
    size_t row_at, row_bytes;                     /* a row for each worker, in the scratch */
    bp_cpu_unary_loop load, store, store_stat[2]; /* NULL: as it is */
    struct operand operand[2];
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const char *x, *scale, *bias;
    char *y, *stat[2]; /* mean and inverse deviation, or NULL */
    size_t stat_width[2];
    char *scratch;
};

static const struct bp_cpu_params none;

/* ---- prepare --------------------------------------------------------------------------------- */

/* Reserves scratch at *at, a multiple of 64. False: too large. */
static bool take(size_t *total, int64_t count, size_t width, size_t *at)
{
    size_t bytes;

    *at = *total;
    return !__builtin_mul_overflow((size_t)count, width, &bytes) &&
           !__builtin_add_overflow(*total, bytes / 64 * 64 + 64, total);
}

/*
 * Whether a tensor has a size other than 1 before the last `last` dimensions of X: then it differs
 * between rows.
 */
static bool has_rows_of_its_own(const bp_tensor *tensor, uint32_t last)
{
    for (uint32_t i = 0; i + last < tensor->rank; i++) {
        if (tensor->dims[i] != 1)
            return true;
    }
    return false;
}

/* Scale or B: one row for all rows of X, or as large as X. */
static bp_rc plan_operand(struct bp_cpu_call *call, uint32_t input, uint32_t axis, uint32_t dtype,
                          struct operand *out, bp_err *err)
{
    const bp_tensor *x = call->in[X], *tensor = bp_cpu_in(call, input);
    const struct state *s = call->state;
    uint32_t first;
    bool fits = true;
    bp_rc rc = BP_OK;

    if (!tensor)
        return BP_OK;
    if (tensor->rank > x->rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "input %u does not broadcast to X", input);
    out->is_given = true;
    out->is_per_row = has_rows_of_its_own(tensor, x->rank - axis);
    out->count = out->is_per_row ? bp_cpu_count(x) : s->n;
    first = out->is_per_row ? 0 : axis;
    out->is_expanded = bp_cpu_count(tensor) != out->count;
    if (out->is_expanded && tensor->rank > x->rank - first) {
        bp_tensor cut = *tensor; /* what is in front are ones */

        cut.rank = x->rank - first;
        cut.dims += tensor->rank - cut.rank;
        rc = bp_cpu_strided_expand(call, &cut, x->rank - first, x->dims + first, &out->expand, err);
    } else if (out->is_expanded) {
        rc = bp_cpu_strided_expand(call, tensor, x->rank - first, x->dims + first, &out->expand,
                                   err);
    }
    if (tensor->dtype != dtype)
        out->convert = bp_cpu_cast_loop(tensor->dtype, dtype);
    if (rc >= 0 && out->is_expanded)
        fits =
            take(&call->scratch_bytes, out->count, bp_cpu_width(tensor->dtype), &out->expanded_at);
    if (rc >= 0 && fits && out->convert)
        fits = take(&call->scratch_bytes, out->count, s->width, &out->converted_at);
    return fits ? rc : bp_cpu_fail(call->node, err, BP_E_NOMEM, "input %u is too large", input);
}

/* Conversions of rows, and of Mean and InvStdDev. */
static bp_rc plan_rows(struct bp_cpu_call *call, uint32_t dtype, bp_err *err)
{
    const bp_tensor *x = call->in[X], *y = call->out[0];
    struct state *s = call->state;

    if (x->dtype != dtype)
        s->load = bp_cpu_cast_loop(x->dtype, dtype);
    if (y->dtype != dtype)
        s->store = bp_cpu_cast_loop(dtype, y->dtype);
    for (uint32_t i = 0; i < 2; i++) {
        const bp_tensor *stat = bp_cpu_out(call, 1 + i);

        if (stat && bp_cpu_count(stat) != s->rows)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                               "output %u has not one element for each row", 1 + i);
        if (stat)
            s->store_stat[i] = bp_cpu_cast_loop(BP_DTYPE_F64, stat->dtype);
    }
    if (!s->load && !s->store)
        return BP_OK;
    if (__builtin_mul_overflow((size_t)s->n, s->width, &s->row_bytes) ||
        !take(&call->scratch_bytes, call->width, s->row_bytes / 64 * 64 + 64, &s->row_at))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "X is too large");
    return BP_OK;
}

/* Whether an optional tensor is float64. */
static bool is_double(const bp_tensor *tensor)
{
    return tensor && tensor->dtype == BP_DTYPE_F64;
}

/* float64 if any of X, Y and Scale is, else float32. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[X], *y = call->out[0];
    uint32_t axis, dtype;
    struct state *s;
    bp_rc rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", -1), x->rank, &axis, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof *s, err);
    if (rc < 0)
        return rc;
    if (bp_cpu_count(y) != bp_cpu_count(x))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "Y has another size than X");
    s = call->state;
    dtype =
        is_double(x) || is_double(y) || is_double(call->in[SCALE]) ? BP_DTYPE_F64 : BP_DTYPE_F32;
    s->rows = bp_dims_count(x->dims, axis);
    s->n = bp_dims_count(x->dims + axis, x->rank - axis);
    s->is_rms = call->node->op->variant == ROOT_MEAN_SQUARE;
    s->epsilon = (double)bp_cpu_float(call->node, "epsilon", 1e-5f);
    s->simd = bp_cpu_simd(dtype);
    s->norm = bp_cpu_norm(dtype);
    s->width = bp_cpu_width(dtype);
    s->x_width = bp_cpu_width(x->dtype);
    s->y_width = bp_cpu_width(y->dtype);
    s->slices = bp_cpu_slices(call, bp_cpu_count(x), 4);
    if (s->slices > s->rows && s->rows > 0)
        s->slices = (uint32_t)s->rows;
    for (uint32_t i = SCALE; i <= BIAS && rc >= 0; i++)
        rc = plan_operand(call, i, axis, dtype, &s->operand[i - SCALE], err);
    if (rc < 0)
        return rc;
    return plan_rows(call, dtype, err);
}

/* ---- run ------------------------------------------------------------------------------------- */

/* Scale or B as the rows need it: the input itself, or an expanded and converted copy. */
static const char *load_operand(struct bp_cpu_call *call, const struct operand *operand,
                                const bp_tensor *tensor)
{
    char *scratch = call->scratch;
    const char *data;

    if (!operand->is_given)
        return NULL;
    data = bp_cpu_data(tensor);
    if (operand->is_expanded && operand->count > 0) {
        bp_cpu_strided_run(call, &operand->expand, data, scratch + operand->expanded_at);
        data = scratch + operand->expanded_at;
    }
    if (operand->convert) {
        operand->convert(scratch + operand->converted_at, data, (size_t)operand->count, &none);
        data = scratch + operand->converted_at;
    }
    return data;
}

/* One row; `own` is the worker's buffer for conversions. */
static void run_row(const struct job *job, int64_t row, char *own)
{
    const struct state *s = job->state;
    size_t n = (size_t)s->n, at = (size_t)row * n;
    const char *x = job->x + at * s->x_width;
    char *out = job->y + at * s->y_width, *y = s->store ? own : out;
    size_t scale = s->operand[0].is_per_row ? at * s->width : 0;
    size_t bias = s->operand[1].is_per_row ? at * s->width : 0;
    double mean = 0, var, stats[2];

    if (s->load) {
        s->load(own, x, n, &none);
        x = own;
    }
    if (!s->is_rms)
        mean = s->simd->sum(x, n) / (double)n;
    var = s->simd->sum_squares(x, n, mean) / (double)n;
    stats[0] = mean;
    stats[1] = 1 / sqrt(var + s->epsilon);
    s->norm->per_element(y, x, n, mean, stats[1], job->scale + scale,
                         job->bias ? job->bias + bias : NULL);
    if (s->store)
        s->store(out, own, n, &none);
    for (uint32_t i = 0; i < 2; i++) {
        if (job->stat[i])
            s->store_stat[i](job->stat[i] + (size_t)row * job->stat_width[i], &stats[i], 1, &none);
    }
}

/* Slice i of the rows, with the worker's own buffer. */
static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t n = s->slices, end = s->rows / n * (i + 1) + s->rows % n * (i + 1) / n;
    char *own = NULL;

    if (s->load || s->store)
        own = job->scratch + s->row_at + worker * (s->row_bytes / 64 * 64 + 64);
    for (int64_t row = s->rows / n * i + s->rows % n * i / n; row < end; row++)
        run_row(job, row, own);
}

/* Scale and B are prepared once, then the rows run on the threads. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {.state = s, .scratch = call->scratch};

    (void)err;
    if (s->rows == 0)
        return BP_OK;
    job.x = bp_cpu_data(call->in[X]);
    job.y = bp_cpu_data(call->out[0]);
    job.scale = load_operand(call, &s->operand[0], call->in[SCALE]);
    job.bias = load_operand(call, &s->operand[1], bp_cpu_in(call, BIAS));
    for (uint32_t i = 0; i < 2; i++) {
        bp_tensor *stat = bp_cpu_out(call, 1 + i);

        if (stat) {
            job.stat[i] = bp_cpu_data(stat);
            job.stat_width[i] = bp_cpu_width(stat->dtype);
        }
    }
    bp_cpu_parallel(call, s->slices, run_slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_layer_normalization = {
    .name = "LayerNormalization",
    .since = 1, /* ONNX Runtime has it in all versions */
    .variant = VARIANCE,
    .types = BP_CPU_FLOATS,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_rms_normalization = {
    .name = "RMSNormalization",
    .since = 23,
    .variant = ROOT_MEAN_SQUARE,
    .types = BP_CPU_FLOATS,
    .prepare = prepare,
    .run = run,
};
