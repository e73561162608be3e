/* SPDX-License-Identifier: MIT */
/*
 * matmul_integer_to_float.c - MatMulIntegerToFloat and DynamicQuantizeMatMul of com.microsoft:
 * 8-bit integers are multiplied and summed in int32, and the sums become floats:
 *
 *   Y = (A - a_zero)(B - b_zero) * a_scale * b_scale + bias
 *
 * A has one scale and zero point, B one or one for each column. DynamicQuantizeMatMul quantises the floats
 * of A by their range first, as DynamicQuantizeLinear does.
 */

#include "kernels/cast/widen.h"
#include "kernels/inner_operator.h"
#include "kernels/quantize/byte_map.h"
#include "kernels/tensor_data.h"
#include "quantized/int8_matmul.h"

/* Inputs of MatMulIntegerToFloat; both operators run as that. */
enum { A, B, A_SCALE, B_SCALE, A_ZERO, B_ZERO, BIAS, N_IN };

static const struct bp_cpu_int8_inputs inputs = {
    .a = A, .b = B, .a_zero = A_ZERO, .b_zero = B_ZERO};

struct product {
    struct bp_cpu_int8_matmul matmul;
    struct bp_cpu_per_axis b_scale;
};

/* ---- MatMulIntegerToFloat -------------------------------------------------------------------- */

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    return bp_cpu_int8_matmul_pack(node, inputs, err);
}

static bool is_one(const bp_tensor *tensor)
{
    return !tensor || bp_cpu_count(tensor) == 1;
}

/* The plan is made twice: only the first one tells how many scales there are for all matrices. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *bias = bp_cpu_in(call, BIAS);
    struct product *p;
    bp_rc rc = bp_cpu_state(call, sizeof *p, err);

    if (rc < 0)
        return rc;
    p = call->state;
    if (!is_one(bp_cpu_in(call, A_SCALE)) || !is_one(bp_cpu_in(call, A_ZERO)))
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED,
                           "A must have one scale and zero point");
    rc = bp_cpu_int8_matmul_make(call, inputs, 0, &p->matmul, err);
    if (rc >= 0)
        rc = bp_cpu_per_axis_make(call, B_SCALE, p->matmul.product.n, p->matmul.b_matrices,
                                  &p->b_scale, err);
    if (rc < 0)
        return rc;
    if (bias && bp_cpu_count(bias) != (int64_t)p->matmul.product.n)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "bias has not one element for each column");
    /* planned again: now the number of scales is known */
    return bp_cpu_int8_matmul_make(call, inputs, p->b_scale.total * sizeof(float), &p->matmul, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct product *p = call->state;
    const bp_tensor *bias = bp_cpu_in(call, BIAS);
    float *scales = (float *)(void *)((char *)call->scratch + p->matmul.own_at), a_scale;
    struct bp_cpu_int8_output output = {.y = bp_cpu_data(call->out[0]),
                                        .dtype = BP_DTYPE_F32,
                                        .scales = scales,
                                        .each = p->b_scale.total > 1,
                                        .bias = bias ? bp_cpu_data(bias) : NULL};

    (void)err;
    bp_cpu_quant_scales(call->in[A_SCALE], &a_scale);
    bp_cpu_per_axis_scales(call, B_SCALE, &p->b_scale, scales);
    for (size_t i = 0; i < p->b_scale.total; i++)
        scales[i] *= a_scale;
    bp_cpu_int8_matmul_run(call, &p->matmul, &output, NULL, NULL); /* A has one zero point */
    return BP_OK;
}

/* ---- DynamicQuantizeMatMul ------------------------------------------------------------------- */

/* Its inputs: A and B, then these. */
enum { DYNAMIC_B_SCALE = 2, DYNAMIC_B_ZERO, DYNAMIC_BIAS };

static const struct bp_cpu_op bytes_product = {.prepare = prepare, .run = run};

/* A's 8-bit copy, its scale and its zero point are temporary inputs of MatMulIntegerToFloat. */
static bp_rc prepare_dynamic(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *a = call->in[0];
    struct bp_cpu_inner *inner;
    bp_rc rc = bp_cpu_state(call, sizeof *inner, err);

    if (rc < 0)
        return rc;
    inner = call->state;
    bp_cpu_inner_begin(call, &bytes_product, 1, inner);
    inner->in[A] = bp_cpu_inner_tensor(inner, BP_DTYPE_U8, a->rank, a->dims, err);
    inner->in[A_SCALE] =
        inner->in[A] ? bp_cpu_inner_tensor(inner, BP_DTYPE_F32, 0, NULL, err) : NULL;
    inner->in[A_ZERO] =
        inner->in[A_SCALE] ? bp_cpu_inner_tensor(inner, BP_DTYPE_U8, 0, NULL, err) : NULL;
    if (!inner->in[A_ZERO])
        return BP_E_NOMEM;
    inner->in[B_SCALE] = call->in[DYNAMIC_B_SCALE];
    inner->in[B_ZERO] = call->n_in > DYNAMIC_B_ZERO ? call->in[DYNAMIC_B_ZERO] : NULL;
    inner->in[BIAS] = call->n_in > DYNAMIC_BIAS ? call->in[DYNAMIC_BIAS] : NULL;
    inner->call.n_in = N_IN;
    return bp_cpu_inner_prepare(call, inner, err);
}

/* Quantises A by its range, then runs the product. */
static bp_rc run_dynamic(struct bp_cpu_call *call, bp_err *err)
{
    struct bp_cpu_inner *inner = call->state;
    const float *from = bp_cpu_data(call->in[0]);
    int64_t n = bp_cpu_count(call->in[0]);
    struct bp_cpu_byte_quant range;
    struct bp_cpu_quant quant = {.low = 0, .high = UINT8_MAX};

    bp_cpu_inner_bind(call, inner);
    bp_cpu_byte_quant_range(from, n, &range);
    quant.scale = &range.scale;
    quant.zero = &range.zero;
    bp_cpu_quantize(BP_DTYPE_U8, inner->in[A]->base, from, (size_t)n, &quant);
    *(float *)inner->in[A_SCALE]->base = range.scale;
    *(uint8_t *)inner->in[A_ZERO]->base = (uint8_t)range.zero;
    return run(&inner->call, err);
}

/* ---- registration ---------------------------------------------------------------------------- */

static const struct bp_cpu_wide wide = {prepare, run};
static const struct bp_cpu_wide wide_dynamic = {prepare_dynamic, run_dynamic};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    (void)op; /* the schema has checked the types */
    bp_accept(query->claims, query->index);
}

#define ROW(row, name_, wide_)                                                                     \
    const struct bp_cpu_op row = {                                                                 \
        .name = name_,                                                                             \
        .domain = "com.microsoft",                                                                 \
        .since = 1,                                                                                \
        .loops = &wide_,                                                                           \
        .claim = claim,                                                                            \
        .pack = pack,                                                                              \
        .prepare = bp_cpu_widen_prepare,                                                           \
        .run = bp_cpu_widen_run,                                                                   \
    }

ROW(bp_cpu_op_matmul_integer_to_float, "MatMulIntegerToFloat", wide);
ROW(bp_cpu_op_dynamic_quantize_matmul, "DynamicQuantizeMatMul", wide_dynamic);
