/* SPDX-License-Identifier: MIT */
/* float8_matmul.c - QLinearMatMul of float8 types; see float8_matmul.h. */

#include "quantized/float8_matmul.h"

#include "kernels/cast/cast.h"
#include "kernels/gemm/batch_dims.h"
#include "kernels/gemm/gemm.h"
#include "kernels/quantize/quantize.h"
#include "kernels/tensor_data.h"
#include "quantized/per_axis.h"

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, Y_SCALE, Y_ZERO };

/* An operand that is dequantised to float32. */
struct side {
    uint32_t input; /* its scale and zero point are the next inputs */
    struct bp_cpu_cast cast;
    struct bp_cpu_per_axis scale, zero;
    size_t rows, cols;    /* of all its matrices */
    size_t height;        /* rows of one */
    bool by_row;          /* scales count rows, else columns */
    size_t at, params_at; /* in the scratch */
};

/* The plan of a call. */
struct state {
    struct bp_cpu_gemm gemm;
    struct bp_cpu_batch_dims batches;
    struct side a, b;
    struct bp_cpu_cast store;
    size_t at_c, at_workers;
};

struct job {
    const struct state *state;
    char *scratch;
};

/* Sizes of an operand; A has scales by row, B by column. */
static bp_rc make_side(const struct bp_cpu_call *call, struct side *s, uint32_t input, bool by_row,
                       bp_err *err)
{
    const bp_tensor *x = call->in[input];
    int64_t cols = by_row || x->rank > 1 ? x->dims[x->rank - 1] : 1;
    size_t matrices = x->rank > 2 ? (size_t)bp_dims_count(x->dims, x->rank - 2) : 1, per;
    bp_rc rc;

    s->input = input;
    s->by_row = by_row;
    s->cols = (size_t)cols;
    s->rows = cols > 0 ? (size_t)(bp_cpu_count(x) / cols) : 0;
    s->height = matrices ? s->rows / matrices : 0;
    per = by_row ? s->height : s->cols;
    rc = bp_cpu_per_axis_make(call, input + 1, per, matrices, &s->scale, err);
    if (rc >= 0)
        rc = bp_cpu_per_axis_make(call, input + 2, per, matrices, &s->zero, err);
    if (rc >= 0 && !bp_cpu_cast_make(&s->cast, x->dtype, BP_DTYPE_F32))
        rc = bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED, "input %u has another type", input);
    return rc;
}

/* Checks the shapes and plans the float32 product. */
static bp_rc plan(struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const bp_tensor *a = call->in[A], *b = call->in[B], *y = call->out[0];
    int64_t m = a->rank > 1 ? a->dims[a->rank - 2] : 1, k = a->rank > 0 ? a->dims[a->rank - 1] : 0;
    int64_t n = b->rank > 1 ? b->dims[b->rank - 1] : 1;

    if (a->rank == 0 || b->rank == 0 || k != b->dims[b->rank > 1 ? b->rank - 2 : 0] ||
        !bp_cpu_batch_dims_make(a, b, &s->batches) ||
        bp_cpu_count(y) != (int64_t)s->batches.count * m * n)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "a and b do not fit together");
    if (bp_cpu_count(call->in[Y_SCALE]) != 1 || bp_cpu_count(call->in[Y_ZERO]) != 1)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "y_scale and y_zero_point must have one element");
    s->gemm = (struct bp_cpu_gemm){.m = (size_t)m,
                                   .n = (size_t)n,
                                   .k = (size_t)k,
                                   .dtype = BP_DTYPE_F32,
                                   .alpha = 1,
                                   .width = call->width};
    bp_cpu_gemm_plan(&s->gemm);
    if (s->batches.count > UINT32_MAX / s->gemm.tasks ||
        !bp_cpu_cast_make(&s->store, BP_DTYPE_F32, y->dtype))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the batch is too large");
    return BP_OK;
}

/* Reserves n * bytes of scratch at *at, a multiple of 64. False: too large. */
static bool take(size_t n, size_t bytes, size_t *end, size_t *at)
{
    size_t all;

    *at = *end;
    return !__builtin_mul_overflow(n, bytes, &all) && all < SIZE_MAX / 2 &&
           !__builtin_add_overflow(*end, (all + 63) / 64 * 64, end);
}

static bool take_side(struct side *s, size_t *end)
{
    return take(s->rows * s->cols, sizeof(float), end, &s->at) &&
           take(s->scale.total + s->zero.total, sizeof(float), end, &s->params_at);
}

/* Scratch: both operands as float32 with their parameters, the product, then the workers'. */
bp_rc bp_cpu_float_matmul_prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s;
    size_t end = 0, worker;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    rc = plan(call, s, err);
    if (rc >= 0)
        rc = make_side(call, &s->a, A, true, err);
    if (rc >= 0)
        rc = make_side(call, &s->b, B, false, err);
    if (rc < 0)
        return rc;
    worker = (s->gemm.scratch_bytes + 63) / 64 * 64;
    if (!take_side(&s->a, &end) || !take_side(&s->b, &end) ||
        !take((size_t)bp_cpu_count(call->out[0]), sizeof(float), &end, &s->at_c) ||
        !take(call->width, worker, &end, &s->at_workers))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    call->scratch_bytes = end;
    return BP_OK;
}

/* x = (x - zero) * scale for a whole operand; parameters go by row or by column of each matrix. */
static void load_side(const struct bp_cpu_call *call, const struct side *s)
{
    float *x = (float *)(void *)((char *)call->scratch + s->at);
    float *scale = (float *)(void *)((char *)call->scratch + s->params_at);
    float *zero = scale + s->scale.total;
    bool many_scales = s->scale.total > 1, many_zeros = s->zero.total > 1;

    bp_cpu_per_axis_scales(call, s->input + 1, &s->scale, scale);
    bp_cpu_per_axis_scales(call, s->input + 2, &s->zero, zero);
    bp_cpu_cast_range(&s->cast, x, bp_cpu_data(call->in[s->input]), 0, s->rows * s->cols);
    for (size_t r = 0; r < s->rows; r++, x += s->cols) {
        size_t first = s->by_row ? r : r / s->height * s->cols, step = !s->by_row;

        for (size_t c = 0; c < s->cols; c++) {
            size_t at = first + c * step;

            x[c] = (x[c] - zero[many_zeros ? at : 0]) * scale[many_scales ? at : 0];
        }
    }
}

/* Task i is a part of product i / tasks. */
static void run_task(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    const struct bp_cpu_gemm *g = &s->gemm;
    uint64_t batch = i / g->tasks;
    struct bp_cpu_operands operands = {0};
    int64_t a, b;

    bp_cpu_batch_dims_at(&s->batches, batch, &a, &b);
    operands.a = job->scratch + s->a.at + (size_t)a * g->m * g->k * sizeof(float);
    operands.b = job->scratch + s->b.at + (size_t)b * g->k * g->n * sizeof(float);
    operands.c = job->scratch + s->at_c + (size_t)batch * g->m * g->n * sizeof(float);
    bp_cpu_gemm_task(g, &operands, i % g->tasks,
                     bp_cpu_worker_scratch(job->scratch + s->at_workers, worker, g->scratch_bytes));
}

/* product / scale + zero point, in y's type. */
static void store_product(const struct bp_cpu_call *call, const struct state *s, float *c)
{
    const bp_tensor *y = call->out[0];
    size_t n = (size_t)bp_cpu_count(y);
    struct bp_cpu_quant quant = {0};
    float scale, zero;
    int32_t whole;

    bp_cpu_quant_scales(call->in[Y_SCALE], &scale);
    if (bp_cpu_quant_range(y->dtype, &quant.low, &quant.high)) {
        bp_cpu_quant_zeros(call->in[Y_ZERO], &whole);
        quant.scale = &scale;
        quant.zero = &whole;
        bp_cpu_quantize(y->dtype, bp_tensor_data(y), c, n, &quant);
        return;
    }
    bp_cpu_quant_scales(call->in[Y_ZERO], &zero);
    for (size_t i = 0; i < n; i++)
        c[i] = c[i] / scale + zero;
    bp_cpu_cast_range(&s->store, bp_tensor_data(y), c, 0, n);
}

bp_rc bp_cpu_float_matmul_run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    size_t n = (size_t)bp_cpu_count(call->out[0]);
    struct job job = {s, call->scratch};
    float *c = (float *)(void *)(job.scratch + s->at_c);

    (void)err;
    if (n == 0)
        return BP_OK;
    if (s->gemm.k == 0) {
        memset(c, 0, n * sizeof *c);
    } else {
        load_side(call, &s->a);
        load_side(call, &s->b);
        bp_cpu_parallel(call, (uint32_t)s->batches.count * s->gemm.tasks, run_task, &job);
    }
    store_product(call, s, c);
    return BP_OK;
}
