/* SPDX-License-Identifier: MIT */
/*
 * q_gemm.c - QGemm and MatMulInteger16 of com.microsoft.
 * QGemm: Y = quantise(alpha * a_scale * b_scale * (A' - a_zero)(B' - b_zero) + C), 8 bits or
 * float32. MatMulInteger16: int16 matrices, 32-bit sums. The integers, less their zero points, are
 * multiplied as floats: as float64 if the result is integral, which makes it exact.
 */

#include "kernels/cast/widen.h"
#include "kernels/inner_operator.h"
#include "kernels/quantize/byte_map.h"
#include "kernels/tensor_data.h"
#include "operators.h"

/* Indices of the inputs; NONE: the operator has none. */
enum { NONE = 99 };

struct layout {
    uint32_t b, a_scale, a_zero, b_scale, b_zero, addend, y_scale, y_zero;
};

enum { Q_GEMM, MATMUL_INTEGER16 }; /* variants */

static const struct layout layouts[] = {
    [Q_GEMM] = {3, 1, 2, 4, 5, 6, 7, 8},
    [MATMUL_INTEGER16] = {1, NONE, NONE, NONE, NONE, NONE, NONE, NONE},
};

/* The plan of a call. */
struct state {
    const struct layout *at;
    struct bp_cpu_inner inner;
    bp_tensor *a, *b, *y;
    bool is_double;
    int64_t cols;  /* of the result */
    float *scale;  /* of each column, or of all: n_scales */
    int32_t *zero; /* of B, likewise */
    int64_t n_scales, n_zeros;
};

static const bp_tensor *input(const struct bp_cpu_call *call, uint32_t i)
{
    return i == NONE ? NULL : bp_cpu_in(call, i);
}

/* Whether an optional tensor has one element, or one for each column of the result. */
static bool is_by_column(const bp_tensor *tensor, int64_t cols)
{
    return !tensor || bp_cpu_count(tensor) == 1 || bp_cpu_count(tensor) == cols;
}

static bool is_one(const bp_tensor *tensor)
{
    return !tensor || bp_cpu_count(tensor) == 1;
}

/* Whether C broadcasts to Y, a matrix. */
static bool is_addend(const bp_tensor *c, const bp_tensor *y)
{
    int64_t cols = c->rank > 0 ? c->dims[c->rank - 1] : 1, rows = c->rank > 1 ? c->dims[0] : 1;

    return c->rank <= 2 && y->rank == 2 && (cols == 1 || cols == y->dims[1]) &&
           (rows == 1 || rows == y->dims[0]);
}

/* Scales and zero points: A and Y per tensor, B per tensor or per column. */
static bp_rc check(const struct bp_cpu_call *call, const struct state *s, bp_err *err)
{
    const struct layout *at = s->at;
    const bp_tensor *addend = input(call, at->addend);

    if (!is_one(input(call, at->a_scale)) || !is_one(input(call, at->a_zero)) ||
        !is_one(input(call, at->y_scale)) || !is_one(input(call, at->y_zero)))
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED,
                           "A and Y must have one scale and zero point");
    if (!is_by_column(input(call, at->b_scale), s->cols) ||
        !is_by_column(input(call, at->b_zero), s->cols))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "B has neither one scale and zero point nor one for each column");
    if (addend && !is_addend(addend, call->out[0]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "C cannot be broadcast to Y");
    return BP_OK;
}

/* The product is MatMul-13 on temporary float tensors. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *a = call->in[0], *b, *y = call->out[0];
    uint32_t dtype;
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    s->at = &layouts[call->node->op->variant];
    b = call->in[s->at->b];
    s->is_double = y->dtype != BP_DTYPE_F32;
    s->cols = y->rank > 0 && b->rank > 1 ? y->dims[y->rank - 1] : 1;
    rc = check(call, s, err);
    if (rc < 0)
        return rc;
    dtype = s->is_double ? BP_DTYPE_F64 : BP_DTYPE_F32;
    bp_cpu_inner_begin(call, &bp_cpu_op_matmul, 13, &s->inner);
    s->a = bp_cpu_inner_tensor(&s->inner, dtype, a->rank, a->dims, err);
    s->b = s->a ? bp_cpu_inner_tensor(&s->inner, dtype, b->rank, b->dims, err) : NULL;
    s->y = s->b ? bp_cpu_inner_tensor(&s->inner, dtype, y->rank, y->dims, err) : NULL;
    if (!s->y)
        return BP_E_NOMEM;
    s->inner.in[0] = s->a;
    s->inner.in[1] = s->b;
    s->inner.call.n_in = 2;
    s->inner.out[0] = s->y;
    s->n_scales = input(call, s->at->b_scale) ? bp_cpu_count(call->in[s->at->b_scale]) : 1;
    s->n_zeros = input(call, s->at->b_zero) ? bp_cpu_count(call->in[s->at->b_zero]) : 1;
    s->scale = bp_cpu_call_memory(call, (size_t)(s->n_scales + 1) * sizeof *s->scale);
    s->zero = bp_cpu_call_memory(call, (size_t)(s->n_zeros + 1) * sizeof *s->zero);
    if (!s->scale || !s->zero)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the scales");
    return bp_cpu_inner_prepare(call, &s->inner, err);
}

/* Element i of an 8-bit or 16-bit integer tensor. */
static int32_t integer_at(const void *data, uint32_t dtype, int64_t i)
{
    switch (dtype) {
    case BP_DTYPE_I8:
        return ((const int8_t *)data)[i];
    case BP_DTYPE_U8:
        return ((const uint8_t *)data)[i];
    case BP_DTYPE_I16:
        return ((const int16_t *)data)[i];
    default:
        return ((const uint16_t *)data)[i];
    }
}

/* to = from - zero as float; B's zero points go by column, or by row with transB. */
static void subtract_zero(const struct state *s, const bp_tensor *from, bp_tensor *to,
                          const int32_t *zero, int64_t n_zeros, bool is_by_row)
{
    const void *data = bp_cpu_data(from);
    int64_t n = bp_cpu_count(from), cols = from->rank > 1 ? from->dims[from->rank - 1] : 1;

    for (int64_t i = 0; i < n; i++) {
        int64_t z = n_zeros == 1 ? 0 : is_by_row ? i / cols : i % cols;
        int32_t v = integer_at(data, from->dtype, i) - zero[z % n_zeros];

        if (s->is_double)
            ((double *)to->base)[i] = v;
        else
            ((float *)to->base)[i] = (float)v;
    }
}

/* Element of C, int32, for a row and a column of Y. */
static double addend_at(const bp_tensor *c, int64_t row, int64_t col)
{
    const int32_t *data = bp_cpu_data(c);
    int64_t cols = c->rank > 0 ? c->dims[c->rank - 1] : 1, rows = c->rank > 1 ? c->dims[0] : 1;

    return data[(rows == 1 ? 0 : row) * cols + (cols == 1 ? 0 : col)];
}

/* Scales the sums, adds C, and quantises or stores them. */
static void finish(const struct bp_cpu_call *call, float a_scale,
                   const struct bp_cpu_byte_quant *quant)
{
    const struct state *s = call->state;
    const bp_tensor *c = input(call, s->at->addend);
    const bp_tensor *y = call->out[0];
    double alpha = (double)bp_cpu_float(call->node, "alpha", 1);
    void *to = bp_cpu_data(y);

    for (int64_t i = 0; i < bp_cpu_count(y); i++) {
        int64_t col = i % s->cols;
        double sum =
            s->is_double ? ((const double *)s->y->base)[i] : (double)((const float *)s->y->base)[i];
        float scale = a_scale * s->scale[s->n_scales == 1 ? 0 : col], v;

        if (c)
            sum += alpha * addend_at(c, i / s->cols, col);
        v = (float)sum * scale;
        if (quant)
            ((uint8_t *)to)[i] = bp_cpu_byte_of(quant, v);
        else if (y->dtype == BP_DTYPE_F32)
            ((float *)to)[i] = v;
        else
            ((uint32_t *)to)[i] = (uint32_t)(uint64_t)(int64_t)sum;
    }
}

/* Subtracts the zero points, multiplies, then scales and stores. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s = call->state;
    const bp_tensor *b_scale = input(call, s->at->b_scale), *b_zero = input(call, s->at->b_zero);
    const bp_tensor *a_zero = input(call, s->at->a_zero), *y_scale = input(call, s->at->y_scale);
    struct bp_cpu_byte_quant quant = {0};
    int32_t zero = 0;
    float a_scale = 1;
    bp_rc rc = BP_OK;

    if (bp_cpu_count(call->out[0]) == 0)
        return BP_OK;
    bp_cpu_inner_bind(call, &s->inner);
    s->scale[0] = 1;
    s->zero[0] = 0;
    if (b_scale)
        bp_cpu_quant_scales(b_scale, s->scale);
    if (b_zero)
        bp_cpu_quant_zeros(b_zero, s->zero);
    if (a_zero)
        bp_cpu_quant_zeros(a_zero, &zero);
    if (input(call, s->at->a_scale))
        bp_cpu_quant_scales(call->in[s->at->a_scale], &a_scale);
    if (y_scale)
        rc = bp_cpu_byte_quant_read(call, s->at->y_scale, s->at->y_zero, call->out[0]->dtype,
                                    &quant, err);
    if (rc < 0)
        return rc;
    subtract_zero(s, call->in[0], s->a, &zero, 1, false);
    subtract_zero(s, call->in[s->at->b], s->b, s->zero, s->n_zeros,
                  bp_cpu_int(call->node, "transB", 0) != 0);
    rc = s->inner.node.op->run(&s->inner.call, err);
    if (rc >= 0)
        finish(call, a_scale, y_scale ? &quant : NULL);
    return rc;
}

static const struct bp_cpu_wide wide = {prepare, run};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    (void)op; /* the schema has checked the types */
    bp_accept(query->claims, query->index);
}

#define ROW(row, name_, variant_)                                                                  \
    const struct bp_cpu_op row = {                                                                 \
        .name = name_,                                                                             \
        .domain = "com.microsoft",                                                                 \
        .since = 1,                                                                                \
        .variant = variant_,                                                                       \
        .loops = &wide,                                                                            \
        .claim = claim,                                                                            \
        .prepare = bp_cpu_widen_prepare,                                                           \
        .run = bp_cpu_widen_run,                                                                   \
    }

ROW(bp_cpu_op_q_gemm, "QGemm", Q_GEMM);
ROW(bp_cpu_op_matmul_integer16, "MatMulInteger16", MATMUL_INTEGER16);
