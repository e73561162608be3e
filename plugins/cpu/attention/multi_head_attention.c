/* SPDX-License-Identifier: MIT */
/*
 * multi_head_attention.c - MultiHeadAttention of com.microsoft.
 * query is [B, S, heads * H], key [B, T, heads * H], value [B, T, heads * Hv].
 * Or key packs K and V ([B, T, heads, 2, H]), or query packs all three ([B, S, heads, 3, H]), or
 * key and value are caches ([B, heads, T, H]).
 * The output is [B, S, heads * Hv].
 * Optional: bias, mask, attention_bias, past and present ([B, heads, rows, H]), and the scores.
 */

#include "attention/head_attention.h"
#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"

#include <float.h>
#include <math.h>

enum { Q, K, V, BIAS, MASK, ATTENTION_BIAS, PAST_K, PAST_V, PAST_LENGTH };

/* The plan of a call; `lengths` is filled in by each run. */
struct state {
    int64_t batches, heads, steps, keys; /* keys: new ones */
    int64_t head, value_head;
    int64_t past, cache;           /* rows of the past and of the cache; cache 0: there is none */
    struct bp_cpu_head_rows in[3]; /* Q, K, V, from the start of the tensor `from` */
    uint32_t from[3];
    int64_t offset[3];
    bool adds_bias[3];
    bool stores[2]; /* K or V goes to a cache, present or ours */
    size_t at[3];   /* of Q with its bias, and of K and V, in the scratch */
    size_t work;    /* the engine's part of the scratch */
    int64_t *lengths;
};

/* Rows of part `i` in a tensor [batch, n, heads * size]. */
static void plain_rows(struct state *s, uint32_t i, int64_t n, int64_t size)
{
    s->in[i] = (struct bp_cpu_head_rows){NULL, n * s->heads * size, size, s->heads * size};
    s->from[i] = i;
}

/* Part `part` of `parts` in a tensor [batch, n, heads, parts, size]. */
static void packed_rows(struct state *s, uint32_t i, uint32_t from, int64_t n, int part, int parts)
{
    int64_t row = s->heads * parts * s->head;

    s->in[i] = (struct bp_cpu_head_rows){NULL, n * row, parts * s->head, row};
    s->from[i] = from;
    s->offset[i] = part * s->head;
}

/* Whether a tensor has this shape. */
static bool is_shape(const bp_tensor *tensor, uint32_t rank, const int64_t *dims)
{
    return tensor->rank == rank && memcmp(tensor->dims, dims, rank * sizeof *dims) == 0;
}

/* K and V in tensors of their own, packed together, or as caches. */
static bool read_separate(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *k = bp_cpu_in(call, K), *v = bp_cpu_in(call, V);

    if (k->rank == 3 && v && v->rank == 3) {
        const int64_t k_dims[] = {s->batches, s->keys = k->dims[1], s->heads * s->head};
        const int64_t v_dims[] = {s->batches, s->keys, v->dims[2]};

        s->value_head = v->dims[2] / s->heads;
        plain_rows(s, K, s->keys, s->head);
        plain_rows(s, V, s->keys, s->value_head);
        return is_shape(k, 3, k_dims) && is_shape(v, 3, v_dims) && v->dims[2] % s->heads == 0;
    }
    if (k->rank == 5 && !v) {
        const int64_t dims[] = {s->batches, s->keys = k->dims[1], s->heads, 2, s->head};

        packed_rows(s, K, K, s->keys, 0, 2);
        packed_rows(s, V, K, s->keys, 1, 2);
        return is_shape(k, 5, dims);
    }
    if (k->rank == 4 && v && v->rank == 4) { /* a cache instead of new keys: the bias is in it */
        const int64_t k_dims[] = {s->batches, s->heads, s->keys = k->dims[2], s->head};
        const int64_t v_dims[] = {s->batches, s->heads, s->keys, s->value_head = v->dims[3]};

        s->in[K] = (struct bp_cpu_head_rows){NULL, s->heads * s->keys * s->head, s->keys * s->head,
                                             s->head};
        s->in[V] = (struct bp_cpu_head_rows){NULL, s->heads * s->keys * s->value_head,
                                             s->keys * s->value_head, s->value_head};
        s->from[K] = K;
        s->from[V] = V;
        s->adds_bias[K] = s->adds_bias[V] = false;
        return is_shape(k, 4, k_dims) && is_shape(v, 4, v_dims) && !bp_cpu_in(call, PAST_K);
    }
    return false;
}

/* Sizes and strides of Q, K and V; false: the shapes contradict each other. */
static bool read_inputs(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *q = call->in[Q], *bias = bp_cpu_in(call, BIAS);

    s->heads = bp_cpu_int(call->node, "num_heads", 0);
    if ((q->rank != 3 && q->rank != 5) || s->heads < 1 || s->heads > INT32_MAX)
        return false;
    s->batches = q->dims[0];
    s->steps = s->keys = q->dims[1];
    s->head = s->value_head = q->rank == 5 ? q->dims[4] : q->dims[2] / s->heads;
    for (int i = 0; i < 3; i++)
        s->adds_bias[i] = bias != NULL;
    if (q->rank == 5) {
        for (uint32_t i = 0; i < 3; i++)
            packed_rows(s, i, Q, s->steps, (int)i, 3);
        return q->dims[2] == s->heads && q->dims[3] == 3 && !bp_cpu_in(call, K);
    }
    plain_rows(s, Q, s->steps, s->head);
    return q->dims[2] % s->heads == 0 && bp_cpu_in(call, K) && read_separate(call, s);
}

/* The shapes of past and present of K (i 0) or V (i 1). */
static bool check_cache(const struct bp_cpu_call *call, const struct state *s, uint32_t i)
{
    const bp_tensor *past = bp_cpu_in(call, PAST_K + i), *present = bp_cpu_out(call, 1 + i);
    int64_t size = i == 0 ? s->head : s->value_head;
    const int64_t past_dims[] = {s->batches, s->heads, s->past, size};
    const int64_t dims[] = {s->batches, s->heads, s->cache, size};

    return (!past || is_shape(past, 4, past_dims)) && (!present || is_shape(present, 4, dims));
}

/* With past_sequence_length, past and present have the same capacity. */
static bp_rc check(const struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const bp_tensor *past = bp_cpu_in(call, PAST_K), *bias = bp_cpu_in(call, BIAS);
    const bp_tensor *scores = bp_cpu_out(call, 3);
    bool shares = bp_cpu_in(call, PAST_LENGTH) != NULL;
    const int64_t out_dims[] = {s->batches, s->steps, s->heads * s->value_head};

    if ((past != NULL) != (bp_cpu_in(call, PAST_V) != NULL) || (past && past->rank != 4))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "past_key and past_value do not fit");
    s->past = past ? past->dims[2] : 0;
    s->cache = past && shares ? s->past : s->past + s->keys;
    if (!is_shape(call->out[0], 3, out_dims) || !check_cache(call, s, 0) ||
        !check_cache(call, s, 1) ||
        (scores && (scores->rank != 4 ||
                    bp_cpu_count(scores) != s->batches * s->heads * s->steps * s->cache)))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the shapes do not fit together");
    if (bias && bp_cpu_count(bias) != s->heads * (2 * s->head + s->value_head))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "bias has %lld elements, not %lld",
                           (long long)bp_cpu_count(bias),
                           (long long)(s->heads * (2 * s->head + s->value_head)));
    return BP_OK;
}

/* Adds the bytes of a float tensor [batches, heads, n, size] to *total. False: too large. */
static bool add_bytes(const struct state *s, int64_t n, int64_t size, size_t *total)
{
    size_t bytes = sizeof(float);

    return !__builtin_mul_overflow(bytes, (size_t)(s->batches * s->heads), &bytes) &&
           !__builtin_mul_overflow(bytes, (size_t)n, &bytes) &&
           !__builtin_mul_overflow(bytes, (size_t)size, &bytes) && bytes < SIZE_MAX / 16 &&
           (*total += bytes / 64 * 64 + 64) < SIZE_MAX / 4;
}

/* Scratch: Q with its bias, K and V unless present holds them, then the engine's. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s;
    size_t bytes = 0;
    bool fits = true;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (!read_inputs(call, s))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "query, key, value and num_heads do not fit together");
    rc = check(call, s, err);
    for (uint32_t i = 0; i < 3 && rc >= 0 && fits; i++) {
        bool has_cache = i > 0 && (bp_cpu_in(call, PAST_K) || bp_cpu_out(call, i));

        s->at[i] = bytes;
        if (i > 0)
            s->stores[i - 1] = has_cache || s->adds_bias[i];
        if (i == 0 ? s->adds_bias[0] : s->stores[i - 1] && !bp_cpu_out(call, i))
            fits =
                add_bytes(s, i == 0 ? s->steps : s->cache, i < 2 ? s->head : s->value_head, &bytes);
    }
    if (rc < 0)
        return rc;
    if (!fits)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    s->work = bytes;
    rc = bp_cpu_heads_scratch(call, s->steps, s->cache, &call->scratch_bytes, err);
    if (rc >= 0 && __builtin_add_overflow(call->scratch_bytes, bytes, &call->scratch_bytes))
        rc = bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    s->lengths = bp_cpu_call_memory(call, ((size_t)s->batches * 2 + 1) * sizeof *s->lengths);
    if (rc >= 0 && !s->lengths)
        rc = bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the lengths");
    return rc;
}

/* The rows of Q, K or V in their input. */
static struct bp_cpu_head_rows part_of(const struct bp_cpu_call *call, uint32_t i)
{
    const struct state *s = call->state;
    struct bp_cpu_head_rows rows = s->in[i];

    rows.data = (float *)bp_cpu_data(call->in[s->from[i]]) + s->offset[i];
    return rows;
}

/* The bias of Q, K or V; NULL: there is none. */
static const float *bias_of(const struct bp_cpu_call *call, uint32_t i)
{
    const struct state *s = call->state;

    if (!s->adds_bias[i])
        return NULL;
    return (const float *)bp_cpu_data(call->in[BIAS]) + i * s->heads * s->head;
}

/* Q itself, or a copy with its bias. */
static struct bp_cpu_head_rows query_rows(const struct bp_cpu_call *call)
{
    const struct state *s = call->state;
    struct bp_cpu_head_rows from = part_of(call, Q);
    struct bp_cpu_head_rows to = {(float *)call->scratch, s->heads * s->steps * s->head,
                                  s->steps * s->head, s->head};

    if (!s->adds_bias[Q])
        return from;
    bp_cpu_heads_copy(&from, &to, s->batches, s->heads, s->steps, s->head, bias_of(call, Q));
    return to;
}

/* K (i 1) or V (i 2): the input itself, or the cache with the past and the new rows. */
static struct bp_cpu_head_rows key_rows(const struct bp_cpu_call *call, uint32_t i, int64_t past)
{
    const struct state *s = call->state;
    int64_t size = i == K ? s->head : s->value_head;
    const bp_tensor *old = bp_cpu_in(call, PAST_K + i - 1), *present = bp_cpu_out(call, i);
    char *own = (char *)call->scratch + s->at[i];
    struct bp_cpu_head_rows from = part_of(call, i), after;
    struct bp_cpu_head_rows to = {present ? bp_cpu_data(present) : (void *)own,
                                  s->heads * s->cache * size, s->cache * size, size};

    if (!s->stores[i - 1])
        return from;
    if (old && past > 0) {
        struct bp_cpu_head_rows rows = {bp_cpu_data(old), s->heads * s->past * size, s->past * size,
                                        size};

        if (rows.data != to.data || s->past != s->cache)
            bp_cpu_heads_copy(&rows, &to, s->batches, s->heads, past, size, NULL);
    }
    after = to;
    after.data += past * size;
    bp_cpu_heads_copy(&from, &after, s->batches, s->heads, s->keys, size, bias_of(call, i));
    return to;
}

/* Rows of the past; past_sequence_length says how many if past and present share a buffer. */
static bp_rc past_rows(const struct bp_cpu_call *call, int64_t *out, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *length = bp_cpu_in(call, PAST_LENGTH);

    *out = s->past;
    if (!length || !bp_cpu_in(call, PAST_K))
        return BP_OK;
    if (bp_cpu_count(length) < 1)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "past_sequence_length is empty");
    *out = *(const int32_t *)bp_tensor_data(length);
    if (*out < 0 || *out > s->cache - s->keys)
        return bp_cpu_fail(call->node, err, BP_E_INVALID,
                           "past_sequence_length is %lld, the cache has %lld rows", (long long)*out,
                           (long long)s->cache);
    return BP_OK;
}

/* All batches have the same number of keys; masks hide the padding. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    int64_t past, hidden = s->heads * s->value_head;
    struct bp_cpu_heads h = {
        .batches = s->batches,
        .heads = s->heads,
        .group = 1,
        .queries = s->steps,
        .head = s->head,
        .value_head = s->value_head,
        .keys = s->lengths,
        .past = s->lengths + s->batches,
        .out = {bp_cpu_data(call->out[0]), s->steps * hidden, s->value_head, hidden},
        .scale = bp_cpu_float(call->node, "scale", 0),
        .is_causal = bp_cpu_int(call->node, "unidirectional", 0) != 0,
        .filter = bp_cpu_float(call->node, "mask_filter_value", -10000.0f),
        .scores = bp_cpu_out(call, 3) ? bp_cpu_data(call->out[3]) : NULL,
        .scores_kind = BP_CPU_SCORES_BEFORE,
        .hidden_score = -FLT_MAX,
    };
    bp_rc rc = past_rows(call, &past, err);

    if (rc < 0 || s->batches == 0)
        return rc;
    h.most_keys = past + s->keys;
    if (h.scores && h.most_keys != s->cache)
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED, "qk with a shared buffer");
    for (int64_t b = 0; b < s->batches; b++) {
        s->lengths[b] = h.most_keys;
        s->lengths[s->batches + b] = past;
    }
    if (h.scale == 0)
        h.scale = 1 / sqrtf((float)s->head);
    h.q = query_rows(call);
    h.k = key_rows(call, K, past);
    h.v = key_rows(call, V, past);
    rc = bp_cpu_heads_mask(call, bp_cpu_in(call, MASK), s->keys, &h, err);
    if (rc >= 0)
        rc = bp_cpu_heads_bias(call, bp_cpu_in(call, ATTENTION_BIAS), &h, err);
    return rc < 0 ? rc : bp_cpu_heads_run(call, &h, (char *)call->scratch + s->work, err);
}

static const struct bp_cpu_wide wide = {prepare, run};

/* Beam search's cache_indirection is not implemented. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (bp_node_in(query->graph, query->node, 9))
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "cache_indirection",
                      "cache_indirection is not implemented");
    else
        bp_cpu_claim_types(op, query);
}

const struct bp_cpu_op bp_cpu_op_multi_head_attention = {
    .name = "MultiHeadAttention",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS & ~(UINT64_C(1) << BP_DTYPE_F64),
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
