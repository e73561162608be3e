/* SPDX-License-Identifier: MIT */
/* attention_linear.c - LinearAttention and RotaryEmbedding. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_ATTENTION

/* ---- LinearAttention ------------------------------------------------------------------------- */

/*
 * ONNX: LinearAttention 27.
 * query, key and value are (batch, length, heads * size), where q_num_heads is a multiple of
 * kv_num_heads. The state that is carried from call to call is (batch, kv_num_heads, head
 * size of key, head size of value), whatever the length.
 * update_rule says which gates are inputs: decay for gated, beta for delta, both for
 * gated_delta. A gate has an element for each head, or for each element of a key. output is
 * (batch, length, q_num_heads * head size of value).
 */

enum { QUERY, KEY, VALUE, PAST, DECAY, BETA, ERASE };

/* Which inputs the rule of the state needs, and which it does not take. */
static bp_rc check_update(struct bp_infer *infer)
{
    static const struct {
        const char *name;
        bool decay, beta;
    } rules[] = {{"linear", false, false},
                 {"gated", true, false},
                 {"delta", false, true},
                 {"gated_delta", true, true}};

    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (!bp_ir_attr_is(infer->node, "update_rule", "gated_delta", rules[i].name))
            continue;
        if (rules[i].decay != (bp_rule_in(infer, DECAY) != NULL))
            return bp_fail(infer->err, BP_E_INVALID, "update_rule %s %s decay", rules[i].name,
                           rules[i].decay ? "needs" : "takes no");
        if (rules[i].beta != (bp_rule_in(infer, BETA) != NULL))
            return bp_fail(infer->err, BP_E_INVALID, "update_rule %s %s beta", rules[i].name,
                           rules[i].beta ? "needs" : "takes no");
        if (!rules[i].beta && bp_rule_in(infer, ERASE))
            return bp_fail(infer->err, BP_E_INVALID, "update_rule %s takes no erase_gate",
                           rules[i].name);
        return BP_OK;
    }
    return bp_fail(infer->err, BP_E_INVALID,
                   "update_rule is none of linear, gated, delta and gated_delta");
}

static bp_rc check_heads(struct bp_infer *infer, int64_t q_heads, int64_t kv_heads)
{
    if (kv_heads > 0 && q_heads > 0 && q_heads % kv_heads == 0)
        return BP_OK;
    return bp_fail(infer->err, BP_E_INVALID,
                   "q_num_heads is %" PRId64 ", which is not a multiple of kv_num_heads, %" PRId64,
                   q_heads, kv_heads);
}

/* The size of one of `heads` heads in the last dimension of input i. */
static bp_rc packed_size(struct bp_infer *infer, uint32_t i, int64_t heads, struct bp_sym *out)
{
    struct bp_sym width = bp_rule_in(infer, i)->dims[2];

    if (bp_sym_known(width) && width.value % heads != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "%s has size %" PRId64 " at dimension 2, which is not a multiple of %" PRId64
                       " heads",
                       bp_rule_name(infer, i), width.value, heads);
    return bp_rule_calc(infer, width, '/', bp_sym_of(heads), out);
}

/* Input i has one of these sizes in its last dimension; `all` is one for each element of a key. */
static bp_rc check_gate(struct bp_infer *infer, uint32_t i, int64_t few, struct bp_sym all)
{
    const struct bp_fact *gate = bp_rule_in(infer, i);

    if (!bp_rule_ranked(gate) || !bp_sym_known(gate->dims[2]) || gate->dims[2].value == few)
        return BP_OK;
    return bp_rule_expect(infer, i, 2, all, "the number of heads or of their elements");
}

static bp_rc check_linear_inputs(struct bp_infer *infer, const struct bp_fact *q, int64_t kv_heads)
{
    const struct bp_fact *key = bp_rule_in(infer, KEY);
    bp_rc rc = BP_OK;

    for (uint32_t i = KEY; i <= ERASE && rc >= 0; i++) {
        if (i == PAST)
            continue;
        rc = bp_rule_rank(infer, i, 3, 3);
        if (rc >= 0)
            rc = bp_rule_expect(infer, i, 0, q->dims[0], "query");
        if (rc >= 0)
            rc = bp_rule_expect(infer, i, 1, q->dims[1], "query");
    }
    if (rc >= 0)
        rc = check_gate(infer, BETA, 1, bp_sym_of(kv_heads));
    if (rc < 0 || !bp_rule_ranked(key))
        return rc;
    rc = check_gate(infer, DECAY, kv_heads, key->dims[2]);
    if (rc < 0)
        return rc;
    return bp_rule_expect(infer, ERASE, 2, key->dims[2], "key");
}

/* `state`: (batch, heads of key, size of a key, size of a value) */
static bp_rc set_linear(struct bp_infer *infer, const struct bp_fact *q, int64_t q_heads,
                        const struct bp_sym *state)
{
    uint32_t dtype = bp_rule_dtype(infer, QUERY);
    struct bp_sym dims[3] = {q->dims[0], q->dims[1]};
    bp_rc rc = bp_rule_rank(infer, PAST, 4, 4);

    for (uint32_t i = 0; i < 4 && rc >= 0; i++)
        rc = bp_rule_expect(infer, PAST, i, state[i], "the size of the state");
    if (rc >= 0)
        rc = bp_rule_calc(infer, state[3], '*', bp_sym_of(q_heads), &dims[2]);
    if (rc >= 0)
        rc = bp_rule_set(infer, 0, dtype, 3, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 1, bp_rule_in(infer, PAST) ? bp_rule_dtype(infer, PAST) : dtype, 4,
                       state);
}

static bp_rc infer_linear_attention(struct bp_infer *infer)
{
    const struct bp_fact *q = bp_rule_in(infer, QUERY), *v = bp_rule_in(infer, VALUE);
    int64_t q_heads = bp_ir_attr_int(infer->node, "q_num_heads", 0);
    int64_t kv_heads = bp_ir_attr_int(infer->node, "kv_num_heads", 0);
    struct bp_sym state[4];
    bp_rc rc = check_update(infer);

    if (rc >= 0)
        rc = check_heads(infer, q_heads, kv_heads);
    if (rc >= 0)
        rc = bp_rule_rank(infer, QUERY, 3, 3);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(q) || !bp_rule_ranked(v)) {
        rc = bp_rule_unknown(infer, 0, bp_rule_dtype(infer, QUERY));
        return rc < 0 ? rc : bp_rule_unknown(infer, 1, bp_rule_dtype(infer, QUERY));
    }
    rc = check_linear_inputs(infer, q, kv_heads);
    state[0] = q->dims[0];
    state[1] = bp_sym_of(kv_heads);
    if (rc >= 0)
        rc = packed_size(infer, QUERY, q_heads, &state[2]);
    if (rc >= 0)
        rc = packed_size(infer, VALUE, kv_heads, &state[3]);
    if (rc >= 0 && bp_sym_known(state[2]))
        rc = bp_rule_expect(infer, KEY, 2, bp_sym_of(state[2].value * kv_heads),
                            "the size of query's heads");
    if (rc < 0)
        return rc;
    return set_linear(infer, q, q_heads, state);
}

ROW(LinearAttention, 27, INFER(infer_linear_attention),
    IN(P("query", 'T', FLOAT), P("key", 'T', FLOAT), P("value", 'T', FLOAT),
       OPT("past_state", 'S', FLOAT), OPT("decay", 'T', FLOAT), OPT("beta", 'T', FLOAT),
       OPT("erase_gate", 'T', FLOAT)),
    OUT(P("output", 'T', FLOAT), OPT("present_state", 'S', FLOAT)),
    ATTRS(A_INT("chunk_size", 64), A_INT_REQ("kv_num_heads"), A_INT_REQ("q_num_heads"),
          A_FLOAT("scale", 0.0f), A_STRING("update_rule", "gated_delta")));

/* ---- RotaryEmbedding ------------------------------------------------------------------------- */

/*
 * ONNX: RotaryEmbedding 23.
 * com.microsoft: RotaryEmbedding 1.
 * X is (batch, heads, length, head size), or (batch, length, heads * head size) with
 * num_heads; Y has its shape. Pairs of elements of a head are rotated, so
 * rotary_embedding_dim, or the head size where it is 0, is even, and the last dimension of
 * the caches is half of it.
 * With position_ids (batch, length) the caches are (positions, half), else (batch, length,
 * half). In the operator of com.microsoft position_ids is input 1, of rank 2 at most, and the
 * caches have rank 2; their sizes are checked by the provider.
 */

/* The caches are (positions, half) with position_ids, else (batch, length, half). */
static bp_rc check_caches(struct bp_infer *infer, const struct bp_fact *x)
{
    bool by_id = bp_rule_in(infer, 3) != NULL;
    uint32_t length_at = x->rank == 4 ? 2 : 1, cache_rank = by_id ? 2 : 3;
    bp_rc rc = by_id ? bp_rule_rank(infer, 3, 2, 2) : BP_OK;

    if (rc >= 0)
        rc = bp_rule_expect(infer, 3, 0, x->dims[0], "X");
    if (rc >= 0)
        rc = bp_rule_expect(infer, 3, 1, x->dims[length_at], "X");
    for (uint32_t i = 1; i < 3 && rc >= 0; i++) {
        rc = bp_rule_rank(infer, i, cache_rank, cache_rank);
        if (rc >= 0 && !by_id)
            rc = bp_rule_expect(infer, i, 0, x->dims[0], "X");
        if (rc >= 0 && !by_id)
            rc = bp_rule_expect(infer, i, 1, x->dims[length_at], "X");
    }
    return rc;
}

/* How many elements of a head are rotated; *out unknown where the head's size is. */
static bp_rc rotary_size(struct bp_infer *infer, const struct bp_fact *x, struct bp_sym *out)
{
    int64_t part = bp_ir_attr_int(infer->node, "rotary_embedding_dim", 0);
    int64_t heads = bp_ir_attr_int(infer->node, "num_heads", 0);
    struct bp_sym head = x->dims[x->rank - 1];

    *out = head;
    if (x->rank == 3 && heads < 1)
        return bp_fail(infer->err, BP_E_INVALID,
                       "an input of rank 3 needs num_heads, which is "
                       "%" PRId64,
                       heads);
    if (x->rank == 3 && bp_sym_known(head) && head.value % heads != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "X has size %" PRId64 " at dimension 2, which is not a multiple of %" PRId64
                       " heads",
                       head.value, heads);
    if (x->rank == 3 && bp_sym_known(head))
        head.value /= heads;
    if (part < 0 || (bp_sym_known(head) && part > head.value))
        return bp_fail(infer->err, BP_E_INVALID,
                       "rotary_embedding_dim is %" PRId64 ", more than a head or less than 0",
                       part);
    *out = part > 0 ? bp_sym_of(part) : head;
    if (bp_sym_known(*out) && out->value % 2 != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "%" PRId64 " elements of a head cannot be rotated in pairs", out->value);
    return BP_OK;
}

static bp_rc infer_rotary(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bp_rc rc = bp_rule_rank(infer, 0, 3, 4);

    if (rc >= 0 && bp_rule_ranked(x)) {
        struct bp_sym size;

        rc = check_caches(infer, x);
        if (rc >= 0)
            rc = rotary_size(infer, x, &size);
        for (uint32_t i = 1; i < 3 && rc >= 0; i++) {
            const struct bp_fact *cache = bp_rule_in(infer, i);

            if (bp_sym_known(size) && bp_rule_ranked(cache))
                rc = bp_rule_expect(infer, i, cache->rank - 1, bp_sym_of(size.value / 2),
                                    "half of what is rotated");
        }
    }
    if (rc < 0)
        return rc;
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), x);
}

ROW(RotaryEmbedding, 23, INFER(infer_rotary),
    IN(P("X", 'T', FLOAT), P("cos_cache", 'T', FLOAT), P("sin_cache", 'T', FLOAT),
       OPT("position_ids", 'M', BP_T(I64))),
    OUT(P("Y", 'T', FLOAT)),
    ATTRS(A_INT("interleaved", 0), A_INT_OPT("num_heads"), A_INT("rotary_embedding_dim", 0)));

static bp_rc infer_ms_rotary(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_rank(infer, 0, 3, 4);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 0, 2);
    for (uint32_t i = 2; i < 4 && rc >= 0; i++)
        rc = bp_rule_rank(infer, i, 2, 2);
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

#define T(name) P(name, 'T', FLOAT_NO_F64)

MS_ROW(RotaryEmbedding, 1, INFER(infer_ms_rotary),
       IN(T("input"), P("position_ids", 0, BP_T(I64)), T("cos_cache"), T("sin_cache")),
       OUT(T("output")),
       ATTRS(A_INT("interleaved", 0), A_INT("is_packed_batching", 0), A_INT("num_heads", 0),
             A_INT("rotary_embedding_dim", 0), A_FLOAT("scale", 1.0f)));
