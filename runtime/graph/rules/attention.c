/* SPDX-License-Identifier: MIT */
/* attention.c - Attention and FlexAttention of ONNX. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_ATTENTION

/* ---- Attention ------------------------------------------------------------------------------- */

/*
 * ONNX: Attention 23, 24, 25.
 * Q, K and V either have their heads as a dimension, (batch, heads, length, head size), or
 * packed side by side in the last one, (batch, length, heads * head size); packed inputs need
 * the attributes q_num_heads and kv_num_heads. Q may have a multiple of the heads of K and V
 * (grouped queries).
 * Y has the layout of Q, with the head size of V. attn_mask broadcasts to the scores (batch,
 * heads of Q, length of Q, total length); its last dimension may be shorter, the rest is
 * masked.
 * past_key and past_value come together and are (batch, heads of K, past length, head size);
 * present_key and present_value are the past with K and V after it. nonpad_kv_seqlen (24) has
 * an element for each sequence of the batch. qk_matmul_output has the shape of the scores.
 * left_window_size and right_window_size (25) are -1, no bound, or a number of positions.
 */

enum { Q, K, V, MASK, PAST_KEY, PAST_VALUE, KEPT };

/* The sizes of an Attention whose inputs have ranks. */
struct sizes {
    struct bp_sym batch, q_heads, kv_heads, q_length, kv_length, past, total, head, v_head;
};

/* Number of heads by an attribute, for packed inputs. */
static bp_rc head_count(struct bp_infer *infer, const char *name, struct bp_sym *out)
{
    int64_t n = bp_ir_attr_int(infer->node, name, 0);

    *out = bp_sym_of(n);
    if (n > 0)
        return BP_OK;
    return bp_fail(infer->err, BP_E_INVALID, "inputs of rank 3 need %s, which is %" PRId64, name,
                   n);
}

/* The size of a head of packed input i. */
static bp_rc head_size(struct bp_infer *infer, uint32_t i, struct bp_sym heads, struct bp_sym *out)
{
    struct bp_sym width = bp_rule_in(infer, i)->dims[2];

    if (bp_sym_known(width) && width.value % heads.value != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "%s has size %" PRId64 " at dimension 2, which is not a multiple of %" PRId64
                       " heads",
                       bp_rule_name(infer, i), width.value, heads.value);
    return bp_rule_calc(infer, width, '/', heads, out);
}

static bp_rc read_packed(struct bp_infer *infer, struct sizes *s)
{
    int64_t width;
    bp_rc rc = head_count(infer, "q_num_heads", &s->q_heads);

    s->q_length = bp_rule_in(infer, Q)->dims[1];
    s->kv_length = bp_rule_in(infer, K)->dims[1];
    if (rc >= 0)
        rc = head_count(infer, "kv_num_heads", &s->kv_heads);
    if (rc >= 0)
        rc = head_size(infer, Q, s->q_heads, &s->head);
    if (rc >= 0)
        rc = head_size(infer, V, s->kv_heads, &s->v_head);
    if (rc < 0)
        return rc;
    if (bp_sym_known(s->head)) {
        if (__builtin_mul_overflow(s->head.value, s->kv_heads.value, &width))
            return bp_fail(infer->err, BP_E_SHAPE, "the heads of K are too large");
        rc = bp_rule_expect(infer, K, 2, bp_sym_of(width), "the size of Q's heads");
    }
    if (rc < 0)
        return rc;
    return bp_rule_expect(infer, V, 1, s->kv_length, "K");
}

static bp_rc read_split(struct bp_infer *infer, struct sizes *s)
{
    const struct bp_sym *q = bp_rule_in(infer, Q)->dims, *k = bp_rule_in(infer, K)->dims;
    bp_rc rc;

    s->q_heads = q[1];
    s->kv_heads = k[1];
    s->q_length = q[2];
    s->kv_length = k[2];
    s->head = q[3];
    s->v_head = bp_rule_in(infer, V)->dims[3];
    rc = bp_rule_expect(infer, K, 3, s->head, "Q");
    if (rc >= 0)
        rc = bp_rule_expect(infer, V, 1, s->kv_heads, "K");
    if (rc < 0)
        return rc;
    return bp_rule_expect(infer, V, 2, s->kv_length, "K");
}

/* Each head of K and V serves as many heads of Q. */
static bp_rc check_groups(struct bp_infer *infer, const struct sizes *s)
{
    if (!bp_sym_known(s->q_heads) || !bp_sym_known(s->kv_heads) ||
        s->q_heads.value == s->kv_heads.value ||
        (s->kv_heads.value > 0 && s->q_heads.value % s->kv_heads.value == 0))
        return BP_OK;
    return bp_fail(infer->err, BP_E_SHAPE,
                   "%" PRId64 " heads of Q are not a multiple of %" PRId64 " heads of K",
                   s->q_heads.value, s->kv_heads.value);
}

static bp_rc check_past(struct bp_infer *infer, uint32_t i, const struct sizes *s,
                        struct bp_sym head)
{
    bp_rc rc = bp_rule_rank(infer, i, 4, 4);

    if (rc >= 0)
        rc = bp_rule_expect(infer, i, 0, s->batch, "Q");
    if (rc >= 0)
        rc = bp_rule_expect(infer, i, 1, s->kv_heads, "the number of heads of K");
    if (rc < 0)
        return rc;
    return bp_rule_expect(infer, i, 3, head, "the size of a head");
}

/* What was kept of earlier runs comes first. */
static bp_rc read_past(struct bp_infer *infer, struct sizes *s)
{
    const struct bp_fact *key = bp_rule_in(infer, PAST_KEY), *value = bp_rule_in(infer, PAST_VALUE);
    bp_rc rc;

    s->past = bp_sym_of(0);
    if (!key != !value)
        return bp_fail(infer->err, BP_E_INVALID, "past_key and past_value come together");
    rc = check_past(infer, PAST_KEY, s, s->head);
    if (rc >= 0)
        rc = check_past(infer, PAST_VALUE, s, s->v_head);
    if (rc >= 0 && key && !bp_rule_ranked(key) && !bp_rule_ranked(value))
        rc = bp_symbols_fresh(infer->symbols, false, &s->past, infer->err);
    else if (rc >= 0 && key)
        s->past = (bp_rule_ranked(key) ? key : value)->dims[2];
    if (rc >= 0)
        rc = bp_rule_expect(infer, PAST_VALUE, 2, s->past, "past_key");
    if (rc < 0)
        return rc;
    return bp_rule_calc(infer, s->past, '+', s->kv_length, &s->total);
}

/* The mask is broadcast to the scores, but its last dimension may be short. */
static bp_rc check_mask(struct bp_infer *infer, const struct sizes *s)
{
    const struct bp_sym dims[4] = {s->batch, s->q_heads, s->q_length, s->total};
    const struct bp_fact *mask = bp_rule_in(infer, MASK);
    bp_rc rc = bp_rule_rank(infer, MASK, 1, 4);

    if (rc < 0 || !bp_rule_ranked(mask))
        return rc;
    for (uint32_t i = 0; i < mask->rank; i++) {
        struct bp_sym from = mask->dims[i], to = dims[4 - mask->rank + i];
        bool is_last = i + 1 == mask->rank;

        if (!bp_sym_known(from) || !bp_sym_known(to) || from.value == to.value ||
            (is_last ? from.value < to.value : from.value == 1))
            continue;
        return bp_fail(infer->err, BP_E_SHAPE,
                       "attn_mask has size %" PRId64 " at dimension %u, the scores have %" PRId64,
                       from.value, i, to.value);
    }
    return BP_OK;
}

/* All inputs have ranks. */
static bp_rc read_sizes(struct bp_infer *infer, struct sizes *s)
{
    uint32_t rank = bp_rule_in(infer, Q)->rank;
    bp_rc rc = bp_rule_rank(infer, K, rank, rank);

    s->batch = bp_rule_in(infer, Q)->dims[0];
    if (rc >= 0)
        rc = bp_rule_rank(infer, V, rank, rank);
    for (uint32_t i = K; i <= V && rc >= 0; i++)
        rc = bp_rule_expect(infer, i, 0, s->batch, "Q");
    if (rc >= 0)
        rc = rank == 3 ? read_packed(infer, s) : read_split(infer, s);
    if (rc < 0)
        return rc;
    return check_groups(infer, s);
}

/* A bound of the window: -1, none, or a number of positions. */
static bp_rc check_window(struct bp_infer *infer, const char *name)
{
    int64_t size = bp_ir_attr_int(infer->node, name, -1);

    if (size >= -1)
        return BP_OK;
    return bp_fail(infer->err, BP_E_INVALID,
                   "%s is %" PRId64 ", which is neither -1 nor a number of positions", name, size);
}

static bp_rc check_attrs(struct bp_infer *infer)
{
    int64_t mode = bp_ir_attr_int(infer->node, "qk_matmul_output_mode", 0);
    int64_t precision = bp_ir_attr_int(infer->node, "softmax_precision", BP_DTYPE_F32);
    bp_rc rc;

    if (mode < 0 || mode > 3)
        return bp_fail(infer->err, BP_E_INVALID,
                       "qk_matmul_output_mode is %" PRId64 ", outside 0..3", mode);
    if (precision < 0 || precision >= BP_DTYPE_END || !(FLOAT >> precision & 1))
        return bp_fail(infer->err, BP_E_INVALID,
                       "softmax_precision is %" PRId64 ", which is not a floating-point type",
                       precision);
    rc = check_window(infer, "left_window_size");
    return rc < 0 ? rc : check_window(infer, "right_window_size");
}

static bp_rc set_unknown(struct bp_infer *infer)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < infer->node->n_out && rc >= 0; i++)
        rc = bp_rule_unknown(infer, i, bp_rule_dtype(infer, i == 2 ? V : Q));
    return rc;
}

static bp_rc set_result(struct bp_infer *infer, const struct sizes *s)
{
    struct bp_sym dims[4] = {s->batch, s->q_heads, s->q_length, s->v_head};
    bp_rc rc;

    if (bp_rule_in(infer, Q)->rank == 4)
        return bp_rule_set(infer, 0, bp_rule_dtype(infer, Q), 4, dims);
    dims[1] = s->q_length;
    rc = bp_rule_calc(infer, s->v_head, '*', s->q_heads, &dims[2]);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, Q), 3, dims);
}

static bool are_ranked(const struct bp_infer *infer)
{
    return bp_rule_ranked(bp_rule_in(infer, Q)) && bp_rule_ranked(bp_rule_in(infer, K)) &&
           bp_rule_ranked(bp_rule_in(infer, V));
}

static bp_rc infer_attention(struct bp_infer *infer)
{
    struct sizes s;
    bp_rc rc = check_attrs(infer);

    for (uint32_t i = Q; i <= V && rc >= 0; i++)
        rc = bp_rule_rank(infer, i, 3, 4);
    if (rc < 0)
        return rc;
    if (!are_ranked(infer))
        return set_unknown(infer);
    rc = read_sizes(infer, &s);
    if (rc >= 0)
        rc = read_past(infer, &s);
    if (rc >= 0)
        rc = check_mask(infer, &s);
    if (rc >= 0)
        rc = bp_rule_rank(infer, KEPT, 1, 1);
    if (rc >= 0)
        rc = bp_rule_expect(infer, KEPT, 0, s.batch, "Q");
    if (rc >= 0)
        rc = set_result(infer, &s);
    if (rc >= 0)
        rc = bp_rule_set(infer, 1, bp_rule_dtype(infer, K), 4,
                         (struct bp_sym[]){s.batch, s.kv_heads, s.total, s.head});
    if (rc >= 0)
        rc = bp_rule_set(infer, 2, bp_rule_dtype(infer, V), 4,
                         (struct bp_sym[]){s.batch, s.kv_heads, s.total, s.v_head});
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 3, bp_rule_dtype(infer, Q), 4,
                       (struct bp_sym[]){s.batch, s.q_heads, s.q_length, s.total});
}

#define MASKS (NUMBER | BP_T(BOOL))
#define LENGTHS OPT("nonpad_kv_seqlen", 'N', BP_T(I64))
#define ATTENTION(since, more_in, ...)                                                             \
    ROW(Attention, since, INFER(infer_attention),                                                  \
        IN(P("Q", '1', FLOAT), P("K", '1', FLOAT), P("V", '2', FLOAT),                             \
           OPT("attn_mask", 'U', MASKS), OPT("past_key", '1', FLOAT),                              \
           OPT("past_value", '2', FLOAT), more_in),                                                \
        OUT(P("Y", '1', FLOAT), OPT("present_key", '1', FLOAT), OPT("present_value", '2', FLOAT),  \
            OPT("qk_matmul_output", '1', FLOAT)),                                                  \
        ATTRS(A_INT("is_causal", 0), A_INT_OPT("kv_num_heads"), A_INT_OPT("q_num_heads"),          \
              A_INT("qk_matmul_output_mode", 0), A_FLOAT_OPT("scale"), A_FLOAT("softcap", 0.0f),   \
              A_INT_OPT("softmax_precision"), __VA_ARGS__))

ATTENTION(23, , );
ATTENTION(24, LENGTHS, );
ATTENTION(25, LENGTHS, A_INT("left_window_size", -1), A_INT("right_window_size", -1));

/* ---- FlexAttention --------------------------------------------------------------------------- */

/*
 * ai.onnx.preview: FlexAttention 1.
 * Q, K and V have rank 4, (batch, heads, length, head size); Y has the shape of Q with the
 * head size of V. What score_mod and prob_mod compute is not looked at here: flex_attention.c
 * writes nodes for one that has them, so a provider sees a plain one only.
 */

static bp_rc infer_flex(struct bp_infer *infer)
{
    struct sizes s;
    bp_rc rc = check_attrs(infer);

    for (uint32_t i = Q; i <= V && rc >= 0; i++)
        rc = bp_rule_rank(infer, i, 4, 4);
    if (rc < 0)
        return rc;
    if (!are_ranked(infer))
        return set_unknown(infer);
    rc = read_sizes(infer, &s);
    if (rc < 0)
        return rc;
    return set_result(infer, &s);
}

PREVIEW_ROW(FlexAttention, 1, INFER(infer_flex),
            IN(P("Q", 'T', FLOAT), P("K", 'T', FLOAT), P("V", 'T', FLOAT)), OUT(P("Y", 'T', FLOAT)),
            ATTRS(A_FLOAT_OPT("scale"), A_INT_OPT("softmax_precision"), A_GRAPH_OPT("score_mod"),
                  A_GRAPH_OPT("prob_mod")));

/* ---- FlexInputs, FlexWeights ----------------------------------------------------------------- */

/*
 * org.backplane: FlexInputs 1; FlexWeights 1.
 * Operators of this host alone, at the two ends of a FlexAttention with subgraphs. FlexInputs
 * gives Q, K and V in the type that is computed in, float64 where softmax_precision or Q says
 * so, else float32; query heads that share a head of K become the rows of one matrix.
 * FlexWeights takes the probabilities as the subgraphs left them, (batch, heads of Q, length
 * of Q, length of K), and gives them in the layout of the first output of FlexInputs.
 */

/* Rows of Q for each head of K: those of all heads that share it. */
static bp_rc shared_rows(struct bp_infer *infer, const struct sizes *s, struct bp_sym *out)
{
    struct bp_sym q = s->q_heads, kv = s->kv_heads;

    *out = s->q_length;
    if (bp_sym_equal(q, kv))
        return BP_OK;
    if (!bp_sym_known(q) || !bp_sym_known(kv))
        return bp_symbols_fresh(infer->symbols, false, out, infer->err);
    return bp_rule_calc(infer, s->q_length, '*', bp_sym_of(kv.value > 0 ? q.value / kv.value : 0),
                        out);
}

/* Q, K and V in the type that is computed in; Q as (batch, heads of K, rows, size). */
static bp_rc infer_flex_inputs(struct bp_infer *infer)
{
    uint32_t dtype = bp_rule_dtype(infer, Q);
    struct bp_sym rows;
    struct sizes s;
    bp_rc rc = check_attrs(infer);

    if (bp_ir_attr_int(infer->node, "softmax_precision", BP_DTYPE_NONE) == BP_DTYPE_F64)
        dtype = BP_DTYPE_F64;
    else if (dtype != BP_DTYPE_NONE && dtype != BP_DTYPE_F64)
        dtype = BP_DTYPE_F32;
    for (uint32_t i = Q; i <= V && rc >= 0; i++)
        rc = bp_rule_rank(infer, i, 4, 4);
    for (uint32_t i = Q; i <= V && rc >= 0; i++)
        rc = bp_rule_like(infer, i, dtype, i == Q ? NULL : bp_rule_in(infer, i));
    if (rc < 0 || !are_ranked(infer))
        return rc;
    rc = read_sizes(infer, &s);
    if (rc >= 0)
        rc = shared_rows(infer, &s, &rows);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, Q, dtype, 4, (struct bp_sym[]){s.batch, s.kv_heads, rows, s.head});
}

/* (batch, heads, length, keys), as score_mod and prob_mod have left them, in FlexInputs' layout. */
static bp_rc infer_flex_weights(struct bp_infer *infer)
{
    const struct bp_fact *q = bp_rule_in(infer, 1), *k = bp_rule_in(infer, 2);
    struct bp_sym rows;
    struct sizes s;
    bp_rc rc = bp_rule_rank(infer, 0, 4, 4);

    if (rc < 0 || !bp_rule_ranked(q) || !bp_rule_ranked(k))
        return rc < 0 ? rc : bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    s = (struct sizes){.batch = q->dims[0], .q_heads = q->dims[1], .q_length = q->dims[2]};
    s.kv_heads = k->dims[1];
    s.kv_length = k->dims[2];
    for (uint32_t i = 0; i < 3 && rc >= 0; i++)
        rc = bp_rule_expect(infer, 0, i, q->dims[i], "Q");
    if (rc >= 0)
        rc = bp_rule_expect(infer, 0, 3, s.kv_length, "the length of K");
    if (rc >= 0)
        rc = shared_rows(infer, &s, &rows);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 4,
                       (struct bp_sym[]){s.batch, s.kv_heads, rows, s.kv_length});
}

/* What flex_attention.c makes of one with subgraphs. */
#define COMPUTED (BP_T(F32) | BP_T(F64))

OWN_ROW(FlexInputs, 1, INFER(infer_flex_inputs),
        IN(P("Q", 'T', FLOAT), P("K", 'T', FLOAT), P("V", 'T', FLOAT)),
        OUT(P("q", 'C', COMPUTED), P("k", 'C', COMPUTED), P("v", 'C', COMPUTED)),
        ATTRS(A_FLOAT_OPT("scale"), A_INT_OPT("softmax_precision")));
OWN_ROW(FlexWeights, 1, INFER(infer_flex_weights),
        IN(P("probabilities", 'C', FLOAT), P("Q", 'T', FLOAT), P("K", 'T', FLOAT)),
        OUT(P("weights", 'C', FLOAT)));
