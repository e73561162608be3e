/* SPDX-License-Identifier: MIT */
/*
 * q_attention.c - QAttention of com.microsoft: Attention of an 8-bit input and 8-bit weights.
 * Both are dequantised to float32, the input per tensor, the weights per tensor or per column; then
 * com.microsoft's Attention runs.
 * Bias, mask and past are those of Attention.
 */

#include "kernels/cast/widen.h"
#include "kernels/inner_operator.h"
#include "kernels/quantize/quantize.h"
#include "kernels/tensor_data.h"
#include "operators.h"

enum { X, W, B, X_SCALE, W_SCALE, MASK, X_ZERO, W_ZERO, PAST };

/* The plan of a call. */
struct state {
    struct bp_cpu_inner inner;
    bp_tensor *x, *w;
    float *scale; /* of W: one, or one for each column */
    int32_t *zero;
    int64_t n_scales, n_zeros;
};

/* The inner operator gets temporary float32 tensors for input and weights. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[X], *w = call->in[W], *zero = bp_cpu_in(call, W_ZERO);
    const bp_tensor *past = bp_cpu_in(call, PAST);
    struct state *s;
    int64_t cols;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    cols = w->rank == 2 ? w->dims[1] : 0;
    s->n_scales = bp_cpu_count(call->in[W_SCALE]);
    s->n_zeros = zero ? bp_cpu_count(zero) : 1;
    if (w->rank != 2 || (s->n_scales != 1 && s->n_scales != cols) ||
        (s->n_zeros != 1 && s->n_zeros != cols))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "weight has neither one scale and zero point nor one for each column");
    bp_cpu_inner_begin(call, &bp_cpu_op_ms_attention, 1, &s->inner);
    s->x = bp_cpu_inner_tensor(&s->inner, BP_DTYPE_F32, x->rank, x->dims, err);
    s->w = s->x ? bp_cpu_inner_tensor(&s->inner, BP_DTYPE_F32, w->rank, w->dims, err) : NULL;
    s->scale = bp_cpu_call_memory(call, (size_t)(s->n_scales + 1) * sizeof *s->scale);
    s->zero = bp_cpu_call_memory(call, (size_t)(s->n_zeros + 1) * sizeof *s->zero);
    if (!s->w || !s->scale || !s->zero)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the weights");
    s->inner.in[0] = s->x;
    s->inner.in[1] = s->w;
    s->inner.in[2] = call->in[B];
    s->inner.in[3] = call->n_in > MASK ? call->in[MASK] : NULL;
    s->inner.in[4] = past ? call->in[PAST] : NULL;
    s->inner.call.n_in = 5;
    return bp_cpu_inner_prepare(call, &s->inner, err);
}

/* y = (x - zero) * scale; parameters are single, or one for each column. */
static void dequantize(const bp_tensor *from, bp_tensor *to, int64_t cols, const float *scale,
                       int64_t n_scales, const int32_t *zero, int64_t n_zeros)
{
    const int8_t *i8 = bp_cpu_data(from);
    const uint8_t *u8 = bp_cpu_data(from);
    float *y = to->base;

    for (int64_t i = 0; i < bp_cpu_count(from); i++) {
        int64_t c = i % cols;
        int32_t v = from->dtype == BP_DTYPE_I8 ? i8[i] : u8[i];

        y[i] = (float)(v - zero[n_zeros == 1 ? 0 : c]) * scale[n_scales == 1 ? 0 : c];
    }
}

/* Scales and zero points come with the data. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s = call->state;
    const bp_tensor *w = call->in[W];
    int32_t zero;
    float scale;
    bp_rc rc = bp_cpu_quant_one(call, X_SCALE, X_ZERO, &scale, &zero, err);

    if (rc < 0)
        return rc;
    bp_cpu_inner_bind(call, &s->inner);
    bp_cpu_quant_scales(call->in[W_SCALE], s->scale);
    s->zero[0] = 0;
    if (bp_cpu_in(call, W_ZERO))
        bp_cpu_quant_zeros(call->in[W_ZERO], s->zero);
    if (bp_cpu_count(call->in[X]) > 0)
        dequantize(call->in[X], s->x, 1, &scale, 1, &zero, 1);
    if (bp_cpu_count(w) > 0)
        dequantize(w, s->w, w->dims[1], s->scale, s->n_scales, s->zero, s->n_zeros);
    return s->inner.node.op->run(&s->inner.call, err);
}

static const struct bp_cpu_wide wide = {prepare, run};

/* What the inner operator lacks is refused here. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    (void)op; /* the schema has checked the types */
    if (bp_node_int(query->graph, query->node, "do_rotary", 0) != 0 ||
        bp_node_int(query->graph, query->node, "past_present_share_buffer", 0) != 0)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "do_rotary",
                      "do_rotary and past_present_share_buffer are not implemented");
    else
        bp_accept(query->claims, query->index);
}

const struct bp_cpu_op bp_cpu_op_q_attention = {
    .name = "QAttention",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &wide,
    .claim = claim,
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
