/* SPDX-License-Identifier: MIT */
/*
 * qlinear_matmul.c - QLinearMatMul (opsets 10, 21).
 * y = quantise(a_scale * b_scale / y_scale * (a - a_zero)(b - b_zero), y_zero); a [..., M, K], b
 * [..., K, N], int8 or uint8, int32 sums. Scales and zero points are per tensor, per row of a or
 * per column of b. Opset 21 added float8, which is computed as float32, and the types of scales.
 */

#include "kernels/quantize/quantize.h"
#include "kernels/tensor_data.h"
#include "quantized/float8_matmul.h"
#include "quantized/int8_matmul.h"

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, Y_SCALE, Y_ZERO, MAX_ROW = 64 };

static const struct bp_cpu_int8_inputs inputs = {
    .a = A, .b = B, .a_zero = A_ZERO, .b_zero = B_ZERO};

/* The plan of a call. */
struct state {
    struct bp_cpu_int8_matmul matmul;
    struct bp_cpu_per_axis a_scale, b_scale;
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    uint8_t *y;
    uint32_t dtype;                 /* of y */
    const float *a_scale, *b_scale; /* if A's is per tensor, b_scale contains it and y's */
    float y_scale;
    int32_t y_zero, low, high;
    int32_t zeros[MAX_ROW]; /* y_zero */
};

static bool is_int8(uint32_t dtype)
{
    return dtype == BP_DTYPE_I8 || dtype == BP_DTYPE_U8;
}

/* Whether any type is float8: then the product is one of float32. */
static bool is_float8(const struct bp_cpu_call *call)
{
    return !is_int8(call->in[A]->dtype) || !is_int8(call->in[B]->dtype) ||
           !is_int8(call->in[Y_ZERO]->dtype);
}

/* Float8 operands are not packed. */
static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    const bp_value *a = bp_node_in(node->graph, node->node, A);
    const bp_value *y = bp_node_in(node->graph, node->node, Y_ZERO);

    if (!a || !y || !is_int8(a->dtype) || !is_int8(y->dtype))
        return BP_OK;
    return bp_cpu_int8_matmul_pack(node, inputs, err);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s;
    size_t own;
    bp_rc rc;

    if (is_float8(call))
        return bp_cpu_float_matmul_prepare(call, err);
    rc = bp_cpu_state(call, sizeof *s, err);
    if (rc < 0)
        return rc;
    s = call->state;
    rc = bp_cpu_int8_matmul_make(call, inputs, 0, &s->matmul, err);
    if (rc >= 0)
        rc = bp_cpu_per_axis_make(call, A_SCALE, s->matmul.rows, s->matmul.a_matrices, &s->a_scale,
                                  err);
    if (rc >= 0)
        rc = bp_cpu_per_axis_make(call, B_SCALE, s->matmul.product.n, s->matmul.b_matrices,
                                  &s->b_scale, err);
    if (rc >= 0 && (bp_cpu_count(call->in[Y_SCALE]) != 1 || bp_cpu_count(call->in[Y_ZERO]) != 1))
        rc =
            bp_cpu_fail(call->node, err, BP_E_SHAPE, "y_scale and y_zero_point must be one number");
    if (rc < 0)
        return rc;
    /* planned again: now the number of scales is known */
    own = (s->a_scale.total + s->b_scale.total) * sizeof(float);
    return bp_cpu_int8_matmul_make(call, inputs, own, &s->matmul, err);
}

/* The factors of row i, n columns from j on, if A has a scale for each row. */
static void row_scales(const struct job *job, int64_t a, int64_t b, size_t i, size_t j, size_t n,
                       float *scales)
{
    const struct state *s = job->state;
    float a_scale = job->a_scale[(size_t)a * s->matmul.rows + i];

    for (size_t c = 0; c < n; c++)
        scales[c] =
            a_scale *
            job->b_scale[s->b_scale.total > 1 ? (size_t)b * s->matmul.product.n + j + c : 0] /
            job->y_scale;
}

/* Requantises n sums of a row. */
static void put_row(void *u, uint64_t batch, const int32_t *sums, size_t i, size_t j, size_t n)
{
    const struct job *job = u;
    const struct state *s = job->state;
    const struct bp_cpu_int8 *product = &s->matmul.product;
    bool a_each = s->a_scale.total > 1, b_each = s->b_scale.total > 1;
    struct bp_cpu_quant quant = {.low = job->low, .high = job->high, .zero = job->zeros};
    float scales[MAX_ROW];
    int64_t a = 0, b = 0;

    if (a_each || (b_each && s->matmul.b_matrices > 1))
        bp_cpu_batch_dims_at(&s->matmul.batches, batch, &a, &b);
    if (a_each)
        row_scales(job, a, b, i, j, n, scales);
    quant.each = a_each || b_each;
    quant.scale = a_each ? scales : job->b_scale + (b_each ? (size_t)b * product->n + j : 0);
    bp_cpu_requantize(job->dtype, job->y + ((size_t)batch * product->m + i) * product->n + j, sums,
                      n, &quant);
}

/* If A's scale is per tensor, all factors are computed once for a run. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct bp_cpu_int8_output output;
    float *scales;
    struct job job;

    if (is_float8(call))
        return bp_cpu_float_matmul_run(call, err);
    scales = (float *)(void *)((char *)call->scratch + s->matmul.own_at);
    job = (struct job){.state = s,
                       .y = bp_cpu_data(call->out[0]),
                       .dtype = call->out[0]->dtype,
                       .a_scale = scales,
                       .b_scale = scales + s->a_scale.total};
    bp_cpu_per_axis_scales(call, A_SCALE, &s->a_scale, scales);
    bp_cpu_per_axis_scales(call, B_SCALE, &s->b_scale, scales + s->a_scale.total);
    bp_cpu_quant_scales(call->in[Y_SCALE], &job.y_scale);
    bp_cpu_quant_zeros(call->in[Y_ZERO], &job.y_zero);
    bp_cpu_quant_range(job.dtype, &job.low, &job.high);
    for (size_t c = 0; c < MAX_ROW; c++)
        job.zeros[c] = job.y_zero;
    for (size_t c = 0; s->a_scale.total == 1 && c < s->b_scale.total; c++)
        scales[1 + c] = scales[0] * scales[1 + c] / job.y_scale;
    output = (struct bp_cpu_int8_output){.y = job.y,
                                         .dtype = job.dtype,
                                         .scales = job.b_scale,
                                         .each = s->b_scale.total > 1,
                                         .zero = job.y_zero};
    bp_cpu_int8_matmul_run(call, &s->matmul, s->a_scale.total == 1 ? &output : NULL, put_row, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_qlinear_matmul = {
    .name = "QLinearMatMul",
    .since = 10,
    .types = UINT64_C(1) << BP_DTYPE_I8 | UINT64_C(1) << BP_DTYPE_U8 |
             UINT64_C(1) << BP_DTYPE_F8E4M3FN | UINT64_C(1) << BP_DTYPE_F8E4M3FNUZ |
             UINT64_C(1) << BP_DTYPE_F8E5M2 | UINT64_C(1) << BP_DTYPE_F8E5M2FNUZ,
    .pack = pack,
    .prepare = prepare,
    .run = run,
};
