/* SPDX-License-Identifier: MIT */
/* attention_multi_head.c - attention operators of com.microsoft. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <string.h>

#define FAMILY BP_FAMILY_ATTENTION

/* ---- Attention, QAttention ------------------------------------------------------------------- */

/*
 * com.microsoft: Attention 1; QAttention 1.
 * input is (batch, length, input size) and weights (input size, Q + K + V) project it to Q, K
 * and V at once. V has a third of the columns, or the third of qkv_hidden_sizes. output is
 * (batch, length, size of V).
 * past and present are (2, batch, num_heads, length, head size), keys first; present is past
 * with the new positions after it, or of the size of past where both share a buffer.
 * QAttention has quantised input and weights, with scales and zero points between the other
 * inputs.
 */

static bp_rc read_heads(struct bp_infer *infer, const char *name, int64_t *out)
{
    *out = bp_ir_attr_int(infer->node, name, 0);
    if (*out < 1 || *out > INT32_MAX)
        return bp_fail(infer->err, BP_E_INVALID, "%s is %" PRId64, name, *out);
    return BP_OK;
}

/* size / n; BP_E_SHAPE when n does not divide it. */
static bp_rc divide(struct bp_infer *infer, struct bp_sym size, int64_t n, const char *what,
                    struct bp_sym *out)
{
    if (bp_sym_known(size) && size.value % n != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "%s is %" PRId64 ", which is not a multiple of %" PRId64, what, size.value,
                       n);
    return bp_rule_calc(infer, size, '/', bp_sym_of(n), out);
}

/* Inputs that the two have at different indices. */
struct fused_inputs {
    uint32_t past, dtype;
};

/* The columns of V in the joint projection. */
static bp_rc value_size(struct bp_infer *infer, struct bp_sym *out)
{
    const struct bp_fact *w = bp_rule_in(infer, 1);
    uint32_t n;
    const int64_t *sizes = bp_ir_attr_ints(infer->node, "qkv_hidden_sizes", &n);
    bp_rc rc = bp_rule_rank(infer, 1, 2, 2);

    if (rc < 0)
        return rc;
    if (n != 0 && n != 3)
        return bp_fail(infer->err, BP_E_INVALID, "qkv_hidden_sizes has %u elements, not 3", n);
    for (uint32_t i = 0; i < n; i++) {
        if (sizes[i] < 1 || sizes[i] > INT32_MAX)
            return bp_fail(infer->err, BP_E_INVALID, "qkv_hidden_sizes has %" PRId64, sizes[i]);
    }
    if (n == 3) {
        *out = bp_sym_of(sizes[2]);
        return bp_rule_expect(infer, 1, 1, bp_sym_of(sizes[0] + sizes[1] + sizes[2]),
                              "qkv_hidden_sizes");
    }
    if (!bp_rule_ranked(w))
        return bp_rule_from_data(infer, out, 1);
    return divide(infer, w->dims[1], 3, "the number of columns of the weights", out);
}

/* present: 2 x batch x heads x (past + new) x head size */
static bp_rc set_present(struct bp_infer *infer, const struct fused_inputs *at,
                         const struct bp_sym *out, int64_t heads)
{
    const struct bp_fact *past = bp_rule_in(infer, at->past);
    struct bp_sym dims[5] = {bp_sym_of(2), out[0], bp_sym_of(heads), out[1], bp_sym_of(0)};
    bp_rc rc = divide(infer, out[2], heads, "the hidden size of V", &dims[4]);

    if (rc < 0 || !past)
        return rc < 0 ? rc : bp_rule_set(infer, 1, at->dtype, 5, dims);
    rc = bp_rule_rank(infer, at->past, 5, 5);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(past))
        return bp_rule_unknown(infer, 1, at->dtype);
    for (uint32_t d = 0; d < 5 && rc >= 0; d++) {
        if (d != 3)
            rc = bp_rule_expect(infer, at->past, d, dims[d], "the rest of the node");
    }
    if (rc < 0)
        return rc;
    if (bp_ir_attr_int(infer->node, "past_present_share_buffer", 0) != 0)
        dims[3] = past->dims[3];
    else
        rc = bp_rule_calc(infer, past->dims[3], '+', dims[3], &dims[3]);
    return rc < 0 ? rc : bp_rule_set(infer, 1, at->dtype, 5, dims);
}

static bp_rc infer_fused(struct bp_infer *infer, const struct fused_inputs *at)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *w = bp_rule_in(infer, 1);
    struct bp_sym dims[3];
    int64_t heads;
    bp_rc rc = bp_rule_rank(infer, 0, 3, 3);

    if (rc >= 0)
        rc = read_heads(infer, "num_heads", &heads);
    if (rc >= 0)
        rc = value_size(infer, &dims[2]);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x)) {
        rc = bp_rule_unknown(infer, 0, at->dtype);
        return rc < 0 ? rc : bp_rule_unknown(infer, 1, at->dtype);
    }
    memcpy(dims, x->dims, 2 * sizeof *dims);
    rc = bp_rule_expect(infer, 1, 0, x->dims[2], "the input");
    if (rc >= 0 && bp_rule_ranked(w))
        rc = bp_rule_vector(infer, 2, w->dims[1], "the weights");
    if (rc >= 0)
        rc = bp_rule_set(infer, 0, at->dtype, 3, dims);
    return rc < 0 ? rc : set_present(infer, at, dims, heads);
}

static bp_rc infer_attention(struct bp_infer *infer)
{
    const struct fused_inputs at = {4, bp_rule_dtype(infer, 0)};

    return infer_fused(infer, &at);
}

static bp_rc infer_q_attention(struct bp_infer *infer)
{
    const struct fused_inputs at = {8, bp_rule_dtype(infer, 3)};

    return infer_fused(infer, &at);
}

#define T(name) P(name, 'T', FLOAT_NO_F64)
#define OPT_T(name) OPT(name, 'T', FLOAT_NO_F64)
#define OPT_M(name) OPT(name, 0, BP_T(I32))
#define HEADS A_INT_REQ("num_heads")
#define SCALE A_FLOAT_OPT("scale")
#define FILTER A_FLOAT("mask_filter_value", -10000.0f)
#define CAUSAL A_INT("unidirectional", 0)
#define SHARE A_INT("past_present_share_buffer", 0)

MS_ROW(Attention, 1, INFER(infer_attention),
       IN(T("input"), T("weights"), OPT_T("bias"), OPT_M("mask_index"), OPT_T("past"),
          OPT_T("attention_bias"), OPT_M("past_sequence_length")),
       OUT(T("output"), OPT_T("present")),
       ATTRS(HEADS, SCALE, FILTER, CAUSAL, SHARE, A_INT("do_rotary", 0),
             A_INT_OPT("rotary_embedding_dim"), A_INTS("qkv_hidden_sizes")));
MS_ROW(QAttention, 1, INFER(infer_q_attention),
       IN(P("input", 'A', BYTE8), P("weight", 'B', BYTE8), P("bias", 'T', HALF_FLOAT),
          P("input_scale", 'T', HALF_FLOAT), P("weight_scale", 'T', HALF_FLOAT),
          OPT_M("mask_index"), OPT("input_zero_point", 'A', BYTE8),
          OPT("weight_zero_point", 'B', BYTE8), OPT("past", 'T', HALF_FLOAT)),
       OUT(P("output", 'T', HALF_FLOAT), OPT("present", 'T', HALF_FLOAT)),
       ATTRS(HEADS, SCALE, FILTER, CAUSAL, SHARE, A_INT("do_rotary", 0)));

/* ---- MultiHeadAttention ---------------------------------------------------------------------- */

/*
 * com.microsoft: MultiHeadAttention 1.
 * query is (batch, length, heads * head size) or holds Q, K and V packed, (batch, length,
 * heads, 3, head size). key and value may be (batch, kv length, heads * size), or (batch,
 * heads, kv length, size) when they come from cross attention; key may hold both, packed with
 * rank 5.
 * output is (batch, length, heads * head size of V). The caches are (batch, heads, length,
 * size); present is past with the new keys after it, unless past_sequence_length says that
 * both share a buffer. qk is (batch, heads, length, total length).
 */

/* Sizes of the heads: how many new keys, elements of a head of Q and K, and of V. */
struct multi_head {
    struct bp_sym batch, queries, keys, head, value_head;
};

/* From query alone, which may have K and V packed in it. */
static bp_rc read_query(struct bp_infer *infer, int64_t heads, struct multi_head *out)
{
    const struct bp_fact *q = bp_rule_in(infer, 0);
    bp_rc rc = BP_OK;

    out->batch = q->dims[0];
    out->queries = out->keys = q->dims[1];
    if (q->rank == 5)
        out->head = q->dims[4];
    else
        rc = divide(infer, q->dims[2], heads, "the hidden size", &out->head);
    out->value_head = out->head;
    return rc;
}

static bp_rc read_keys(struct bp_infer *infer, int64_t heads, struct multi_head *out)
{
    const struct bp_fact *k = bp_rule_in(infer, 1), *v = bp_rule_in(infer, 2);
    bp_rc rc = BP_OK;

    if (k && bp_rule_ranked(k))
        out->keys = k->dims[k->rank == 4 ? 2 : 1];
    else if (k)
        rc = bp_rule_from_data(infer, &out->keys, 1);
    if (rc < 0 || !v)
        return rc;
    if (!bp_rule_ranked(v))
        return bp_rule_from_data(infer, &out->value_head, 1);
    if (v->rank == 4)
        out->value_head = v->dims[3];
    else
        rc = divide(infer, v->dims[v->rank - 1], heads, "the hidden size of value",
                    &out->value_head);
    return rc;
}

static bp_rc check_multi_head(struct bp_infer *infer)
{
    const struct bp_fact *q = bp_rule_in(infer, 0);
    bp_rc rc = bp_rule_rank(infer, 0, 3, 5);

    if (rc >= 0 && bp_rule_ranked(q) && q->rank == 4)
        rc = bp_fail(infer->err, BP_E_SHAPE, "query has rank 4, but rank 3 or 5 is needed");
    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 3, 5);
    if (rc >= 0)
        rc = bp_rule_rank(infer, 2, 3, 4);
    if (rc >= 0)
        rc = bp_rule_rank(infer, 6, 4, 4);
    return rc < 0 ? rc : bp_rule_rank(infer, 7, 4, 4);
}

/* Outputs 1 to 3, for T keys in all. */
static bp_rc set_caches(struct bp_infer *infer, const struct multi_head *s, int64_t heads)
{
    const struct bp_fact *past = bp_rule_in(infer, 6);
    uint32_t dtype = bp_rule_dtype(infer, 0);
    struct bp_sym dims[4] = {s->batch, bp_sym_of(heads), s->keys, s->head};
    bp_rc rc = BP_OK;

    if (past && !bp_rule_ranked(past))
        rc = bp_rule_from_data(infer, &dims[2], 1);
    else if (past && bp_rule_in(infer, 8)) /* past and present share a buffer */
        dims[2] = past->dims[2];
    else if (past)
        rc = bp_rule_calc(infer, past->dims[2], '+', s->keys, &dims[2]);
    if (rc >= 0)
        rc = bp_rule_set(infer, 1, dtype, 4, dims);
    dims[3] = s->value_head;
    if (rc >= 0)
        rc = bp_rule_set(infer, 2, dtype, 4, dims);
    dims[3] = dims[2];
    dims[2] = s->queries;
    return rc < 0 ? rc : bp_rule_set(infer, 3, dtype, 4, dims);
}

static bp_rc infer_multi_head(struct bp_infer *infer)
{
    struct multi_head s;
    struct bp_sym dims[3];
    int64_t heads;
    bp_rc rc = read_heads(infer, "num_heads", &heads);

    if (rc >= 0)
        rc = check_multi_head(infer);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(bp_rule_in(infer, 0))) {
        for (uint32_t i = 0; i < 4 && rc >= 0; i++)
            rc = bp_rule_unknown(infer, i, bp_rule_dtype(infer, 0));
        return rc;
    }
    rc = read_query(infer, heads, &s);
    if (rc >= 0)
        rc = read_keys(infer, heads, &s);
    if (rc < 0)
        return rc;
    dims[0] = s.batch;
    dims[1] = s.queries;
    rc = bp_rule_calc(infer, s.value_head, '*', bp_sym_of(heads), &dims[2]);
    if (rc >= 0)
        rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 3, dims);
    return rc < 0 ? rc : set_caches(infer, &s, heads);
}

MS_ROW(MultiHeadAttention, 1, INFER(infer_multi_head),
       IN(T("query"), OPT_T("key"), OPT_T("value"), OPT_T("bias"), OPT_M("key_padding_mask"),
          OPT_T("attention_bias"), OPT_T("past_key"), OPT_T("past_value"),
          OPT_M("past_sequence_length"), OPT_M("cache_indirection")),
       OUT(T("output"), OPT_T("present_key"), OPT_T("present_value"), OPT_T("qk")),
       ATTRS(HEADS, SCALE, FILTER, CAUSAL));

/* ---- GroupQueryAttention --------------------------------------------------------------------- */

/*
 * com.microsoft: GroupQueryAttention 1.
 * query is (batch, length, num_heads * head size), or with K and V packed (num_heads + 2 *
 * kv_num_heads heads) when key is absent. num_heads is a multiple of kv_num_heads. output has
 * the hidden size of the query heads.
 * The caches are (batch, kv_num_heads, length, head size). Their length is the larger one of
 * the length of past_key and total_sequence_length, an input; where its value is not known,
 * neither is the length. Caches of uint8 have two elements of 4 bits in each.
 */

/* The larger of the past's length and total_sequence_length, and the latter. */
static bp_rc cache_length(struct bp_infer *infer, struct bp_sym *total, struct bp_sym *out)
{
    const struct bp_fact *past = bp_rule_in(infer, 3), *length = bp_rule_in(infer, 6);
    bool known = false;
    bp_rc rc;

    if (!length || !length->content || length->n_content != 1) {
        rc = bp_rule_from_data(infer, total, 1);
        return rc < 0 ? rc : bp_rule_from_data(infer, out, 1);
    }
    *total = *out = length->content[0];
    if (bp_sym_known(*total) && (total->value < 0 || total->value > INT32_MAX))
        return bp_fail(infer->err, BP_E_INVALID, "total_sequence_length is %" PRId64, total->value);
    if (!past)
        return BP_OK;
    if (bp_rule_ranked(past)) {
        rc = bp_pair_max(infer, past->dims[2], *total, out, &known);
        if (rc < 0)
            return rc;
    }
    return known ? BP_OK : bp_rule_from_data(infer, out, 1);
}

static bp_rc infer_group_query(struct bp_infer *infer)
{
    const struct bp_fact *q = bp_rule_in(infer, 0);
    uint32_t dtype = bp_rule_dtype(infer, 0), cache = bp_rule_dtype(infer, 3);
    int64_t heads, kv_heads;
    struct bp_sym dims[4], head, total, length;
    bp_rc rc = read_heads(infer, "num_heads", &heads);

    if (rc >= 0)
        rc = read_heads(infer, "kv_num_heads", &kv_heads);
    if (rc >= 0 && heads % kv_heads != 0)
        rc = bp_fail(infer->err, BP_E_INVALID,
                     "num_heads is %" PRId64 ", which is not a multiple of kv_num_heads, %" PRId64,
                     heads, kv_heads);
    for (uint32_t i = 0; i < 3 && rc >= 0; i++)
        rc = bp_rule_rank(infer, i, 3, 3);
    for (uint32_t i = 3; i < 5 && rc >= 0; i++)
        rc = bp_rule_rank(infer, i, 4, 4);
    if (rc >= 0)
        rc = bp_rule_scalar(infer, 6);
    if (rc >= 0)
        rc = cache_length(infer, &total, &length);
    if (rc < 0)
        return rc;
    cache = cache == BP_DTYPE_NONE ? dtype : cache;
    if (!bp_rule_ranked(q)) {
        for (uint32_t i = 0; i < 4 && rc >= 0; i++)
            rc = bp_rule_unknown(infer, i, i == 1 || i == 2 ? cache : dtype);
        return rc;
    }
    rc = divide(infer, q->dims[2], bp_rule_in(infer, 1) ? heads : heads + 2 * kv_heads,
                "the last dimension of query", &head);
    dims[0] = q->dims[0];
    dims[1] = q->dims[1];
    if (rc >= 0)
        rc = bp_rule_calc(infer, head, '*', bp_sym_of(heads), &dims[2]);
    if (rc >= 0)
        rc = bp_rule_set(infer, 0, dtype, 3, dims);
    dims[1] = bp_sym_of(kv_heads);
    dims[2] = length;
    dims[3] = head;
    if (cache == BP_DTYPE_U8 && rc >= 0)
        rc = divide(infer, head, 2, "the head size", &dims[3]);
    for (uint32_t i = 1; i < 3 && rc >= 0; i++)
        rc = bp_rule_set(infer, i, cache, 4, dims);
    dims[1] = bp_sym_of(heads);
    dims[2] = q->dims[1];
    dims[3] = total;
    return rc < 0 ? rc : bp_rule_set(infer, 3, dtype, 4, dims);
}

#define CACHE(name) OPT(name, 'C', FLOAT_NO_F64 | BYTE8 | BP_T(F8E4M3FN))

MS_ROW(GroupQueryAttention, 1, INFER(infer_group_query),
       IN(T("query"), OPT_T("key"), OPT_T("value"), CACHE("past_key"), CACHE("past_value"),
          P("seqlens_k", 0, BP_T(I32)), READ("total_sequence_length", 0, BP_T(I32)),
          OPT_T("cos_cache"), OPT_T("sin_cache"), OPT("position_ids", 0, BP_T(I64)),
          OPT_T("attention_bias"), OPT_T("head_sink"), OPT("k_scale", 0, BP_T(F32)),
          OPT("v_scale", 0, BP_T(F32)), OPT_T("q_norm_weight"), OPT_T("k_norm_weight"),
          OPT("query_seqlens", 0, BP_T(I32))),
       OUT(T("output"), CACHE("present_key"), CACHE("present_value"), OPT_T("output_qk")),
       ATTRS(HEADS, A_INT_REQ("kv_num_heads"), SCALE, A_INT("causal", 1), A_INT("do_rotary", 0),
             A_STRING("k_quant_type", "NONE"), A_STRING("v_quant_type", "NONE"),
             A_INT_OPT("kv_cache_bit_width"), A_INT("local_window_size", -1),
             A_FLOAT_OPT("q_norm_epsilon"), A_FLOAT_OPT("k_norm_epsilon"),
             A_FLOAT("qk_norm_epsilon", 1e-6f), A_INT("qk_output", 0),
             A_INT("rotary_interleaved", 0), A_INT("sliding_window_cache", 0),
             A_INT("smooth_softmax", 0), A_FLOAT("softcap", 0.0f)));
