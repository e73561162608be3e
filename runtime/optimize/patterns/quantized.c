/* SPDX-License-Identifier: MIT */
/*
 * quantized.c - operators between DequantizeLinear and QuantizeLinear (QDQ format); see
 * quantized.h.
 */

#include "config.h"

#include "optimize/patterns/quantized.h"

static bool is_byte(uint32_t dtype)
{
    return dtype == BP_DTYPE_U8 || dtype == BP_DTYPE_I8;
}

/* A scalar, or a 1-D tensor of one element. */
static bool is_single(const struct bp_rewrite *rw, uint32_t value)
{
    const struct bp_fact *fact = &rw->facts[value];

    return fact->rank == 0 ||
           (fact->rank == 1 && bp_sym_known(fact->dims[0]) && fact->dims[0].value == 1);
}

/*
 * Scale and zero point of node n, inputs 1 and 2. Block quantisation (opset 21) is not supported
 * here.
 */
static bool read_params(const struct bp_rewrite *rw, uint32_t n, struct bp_quant *out)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n);

    out->node = n;
    out->scale = bp_rw_in(node, 1);
    out->zero = bp_rw_in(node, 2);
    return out->scale != BP_NONE && out->zero != BP_NONE &&
           rw->facts[out->scale].kind == BP_KIND_TENSOR &&
           rw->facts[out->scale].dtype == BP_DTYPE_F32 &&
           bp_ir_attr_int(node, "block_size", 0) == 0;
}

bool bp_quant_is_plain(const struct bp_rewrite *rw, const struct bp_quant *q)
{
    return is_single(rw, q->scale) && is_single(rw, q->zero) && is_byte(rw->facts[q->value].dtype);
}

/*
 * Is the zero point the least value of its type? Then quantising clamps all that is below 0, which
 * is what a Relu before it does.
 */
static bool cuts_below_zero(const struct bp_rewrite *rw, const struct bp_quant *q)
{
    int64_t zero;
    uint32_t n;

    return bp_rw_ints(rw, q->zero, &zero, 1, &n) && n == 1 &&
           zero == (rw->facts[q->value].dtype == BP_DTYPE_U8 ? 0 : INT8_MIN);
}

/* A Relu between the operator and QuantizeLinear is absorbed when the clamp does the same. */
bool bp_quant_find(struct bp_rewrite *rw, uint32_t n, struct bp_quant_op *out)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n), *before;
    uint32_t value = node->in[0];

    *out = (struct bp_quant_op){.relu = BP_NONE, .op = bp_rw_producer(rw, value)};
    out->out.value = node->out[0];
    if (!read_params(rw, n, &out->out) || !bp_quant_is_plain(rw, &out->out) ||
        rw->facts[value].dtype != BP_DTYPE_F32 || bp_rw_only_user(rw, value) != n ||
        out->op == BP_NONE)
        return false;
    if (bp_rw_is(rw, out->op, "Relu") && cuts_below_zero(rw, &out->out)) {
        out->relu = out->op;
        before = bp_rw_node(rw, out->relu);
        out->op = bp_rw_producer(rw, before->in[0]);
        if (out->op == BP_NONE || bp_rw_only_user(rw, before->in[0]) != out->relu)
            return false;
    }
    before = bp_rw_node(rw, out->op);
    out->of[out->n_of++] = out->op;
    if (out->relu != BP_NONE)
        out->of[out->n_of++] = out->relu;
    return before && !before->domain[0] && before->schema && bp_rw_one_output(rw, out->op);
}

bool bp_quant_add(struct bp_rewrite *rw, struct bp_quant_op *out)
{
    uint32_t value = bp_rw_in(bp_rw_node(rw, out->op), out->n_in);
    uint32_t n = bp_rw_producer(rw, value), dtype;
    struct bp_quant *q = &out->in[out->n_in];

    if (out->n_in == BP_MOST_QUANT_PARTS || n == BP_NONE || !bp_rw_is(rw, n, "DequantizeLinear") ||
        rw->facts[value].dtype != BP_DTYPE_F32 || !read_params(rw, n, q))
        return false;
    q->value = bp_rw_node(rw, n)->in[0];
    dtype = rw->facts[q->value].dtype;
    out->n_in++;
    out->of[out->n_of++] = n;
    return is_byte(dtype) || dtype == BP_DTYPE_I32;
}

/* Scales are compared by <= and >=, so that NaN is never equal. */
bool bp_quant_same(struct bp_rewrite *rw, const struct bp_quant *a, const struct bp_quant *b)
{
    int64_t zero[2];
    double scale[2];
    uint32_t n;

    return rw->facts[a->value].dtype == rw->facts[b->value].dtype &&
           bp_rw_float(rw, a->scale, &scale[0]) && bp_rw_float(rw, b->scale, &scale[1]) &&
           bp_rw_ints(rw, a->zero, &zero[0], 1, &n) && n == 1 &&
           bp_rw_ints(rw, b->zero, &zero[1], 1, &n) && n == 1 && zero[0] == zero[1] &&
           scale[0] > 0 && scale[0] >= scale[1] && scale[0] <= scale[1];
}
