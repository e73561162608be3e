/* SPDX-License-Identifier: MIT */
/*
 * group_query_attention.c - GroupQueryAttention of com.microsoft.
 * query is [B, S, heads * H], key and value [B, S, kv heads * H] or packed in query; the output has
 * the shape of query.
 * The caches past and present are [B, kv heads, rows, H]; quantized_cache.h has those of integers.
 * Groups of heads of Q share a head of K and V.
 * Optional: rotary embedding, norms of Q and K, a local window, softcap, attention_bias, head_sink,
 * smooth softmax, and the scores.
 * seqlens_k gives the index of the last key of each batch. float32; float16 and bfloat16 are
 * widened.
 */

#include "attention/head_attention.h"
#include "attention/quantized_cache.h"
#include "attention/rotary.h"
#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"

#include <math.h>

/* The inputs in com.microsoft's order. */
enum {
    Q,
    K,
    V,
    PAST_K,
    PAST_V,
    SEQLENS,
    TOTAL,
    COS,
    SIN,
    POSITIONS,
    ATTENTION_BIAS,
    SINK,
    K_SCALE,
    V_SCALE,
    Q_NORM,
    K_NORM,
    QUERY_SEQLENS
};

/* The plan of a call; `lengths` is filled in by each run. */
struct state {
    int64_t batches, heads, kv_heads, steps, head;
    int64_t past, cache;                        /* rows of the past's buffer and of present's */
    struct bp_cpu_quantized_cache quantized[3]; /* of K and V, at their indices */
    struct bp_cpu_head_rows in[3];
    bool is_packed, rotates;
    bp_cpu_rotation rotation;
    size_t half; /* pairs that are rotated */
    float q_epsilon, k_epsilon;
    size_t q_bytes, work; /* in the scratch: rotated or normalised Q, then work space */
    int64_t *lengths;     /* keys of each batch, then rows before the new ones */
};

/* Whether a tensor has this shape. */
static bool is_shape(const bp_tensor *tensor, uint32_t rank, const int64_t *dims)
{
    return tensor->rank == rank && memcmp(tensor->dims, dims, rank * sizeof *dims) == 0;
}

/* Sizes, and strides of Q, K and V, packed or apart. */
static bool read_inputs(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *q = call->in[Q], *k = bp_cpu_in(call, K), *v = bp_cpu_in(call, V);
    int64_t all, row;

    s->heads = bp_cpu_int(call->node, "num_heads", 0);
    s->kv_heads = bp_cpu_int(call->node, "kv_num_heads", 0);
    if (q->rank != 3 || s->heads < 1 || s->kv_heads < 1 || s->heads > INT32_MAX ||
        s->heads % s->kv_heads != 0 || (k != NULL) != (v != NULL))
        return false;
    s->batches = q->dims[0];
    s->steps = q->dims[1];
    s->is_packed = !k;
    all = s->is_packed ? s->heads + 2 * s->kv_heads : s->heads;
    if (q->dims[2] % all != 0 || q->dims[2] == 0)
        return false;
    s->head = q->dims[2] / all;
    row = q->dims[2];
    s->in[Q] = (struct bp_cpu_head_rows){NULL, s->steps * row, s->head, row};
    if (k) {
        const int64_t dims[] = {s->batches, s->steps, s->kv_heads * s->head};

        row = dims[2];
        if (!is_shape(k, 3, dims) || !is_shape(v, 3, dims))
            return false;
    }
    s->in[K] = s->in[V] = (struct bp_cpu_head_rows){NULL, s->steps * row, s->head, row};
    return true;
}

/* Quantized caches have scales, one in all or one for each element of each head. */
static bool check_scales(const struct bp_cpu_call *call, struct state *s)
{
    static const char *const names[] = {NULL, "k_quant_type", "v_quant_type"};
    int64_t bits = bp_cpu_int(call->node, "kv_cache_bit_width", 0);

    for (uint32_t i = K; i <= V; i++) {
        const bp_tensor *scale = bp_cpu_in(call, K_SCALE + i - K);
        bool has_one =
            bp_node_string_is(call->node->graph, call->node->node, names[i], "NONE", "PER_TENSOR");

        s->quantized[i] = (struct bp_cpu_quantized_cache){0, s->head, !has_one};
        if (bp_node_string_is(call->node->graph, call->node->node, names[i], "NONE", "NONE"))
            continue;
        s->quantized[i].bits = (uint32_t)bits;
        if (!scale || bp_cpu_count(scale) != (has_one ? 1 : s->kv_heads * s->head) ||
            (bits == 4 && s->head % 2 != 0))
            return false;
    }
    return true;
}

/* past and present have the same layout, but maybe different capacities. */
static bool check_caches(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *past = bp_cpu_in(call, PAST_K), *present = bp_cpu_out(call, 1);
    const bp_tensor *past_v = bp_cpu_in(call, PAST_V), *present_v = bp_cpu_out(call, 2);

    if ((past != NULL) != (past_v != NULL) || (present != NULL) != (present_v != NULL) ||
        (past && past->rank != 4) || (present && present->rank != 4))
        return false;
    s->past = past ? past->dims[2] : 0;
    s->cache = present ? present->dims[2] : s->past + s->steps;
    {
        int64_t width = bp_cpu_quantized_row_bytes(&s->quantized[K]); /* is head if not quantized */
        const int64_t past_dims[] = {s->batches, s->kv_heads, s->past, width};
        const int64_t dims[] = {s->batches, s->kv_heads, s->cache, width};

        return (!past || (is_shape(past, 4, past_dims) && is_shape(past_v, 4, past_dims))) &&
               (!present || (is_shape(present, 4, dims) && is_shape(present_v, 4, dims)));
    }
}

/* cos_cache and sin_cache are [positions, pairs]. */
static bool check_rotary(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *cosines = bp_cpu_in(call, COS), *sines = bp_cpu_in(call, SIN);
    const bp_tensor *ids = bp_cpu_in(call, POSITIONS);

    s->rotates = bp_cpu_int(call->node, "do_rotary", 0) != 0;
    s->rotation =
        bp_cpu_rotation_of(BP_DTYPE_F32, bp_cpu_int(call->node, "rotary_interleaved", 0) != 0);
    if (!s->rotates)
        return true;
    if (!cosines || !sines || cosines->rank != 2 || sines->rank != 2 ||
        sines->dims[0] != cosines->dims[0] || sines->dims[1] != cosines->dims[1] ||
        cosines->dims[1] * 2 > s->head || (ids && bp_cpu_count(ids) != s->batches * s->steps))
        return false;
    s->half = (size_t)cosines->dims[1];
    return true;
}

/* Norm weights have one element for each element of a head. */
static bool check_norms(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *q = bp_cpu_in(call, Q_NORM), *k = bp_cpu_in(call, K_NORM);
    const bp_tensor *sink = bp_cpu_in(call, SINK);

    s->q_epsilon = s->k_epsilon = bp_cpu_float(call->node, "qk_norm_epsilon", 1e-6f);
    s->q_epsilon = bp_cpu_float(call->node, "q_norm_epsilon", s->q_epsilon);
    s->k_epsilon = bp_cpu_float(call->node, "k_norm_epsilon", s->k_epsilon);
    return (q != NULL) == (k != NULL) && (!q || bp_cpu_count(q) == s->head) &&
           (!k || bp_cpu_count(k) == s->head) && (!sink || bp_cpu_count(sink) == s->heads);
}

/* Does the scratch hold K and V? Else present does. */
static bool has_own_cache(const struct bp_cpu_call *call)
{
    const struct state *s = call->state;

    return s->quantized[K].bits || !bp_cpu_out(call, 1);
}

/* Scratch: Q if it is changed, K and V if present does not hold them, then the engine's. */
static bp_rc plan_scratch(struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    size_t rows = (size_t)(s->batches * s->steps), own = 0, bytes;
    bool is_copied = s->rotates || bp_cpu_in(call, Q_NORM);
    bp_rc rc = bp_cpu_heads_scratch(call, s->steps, s->cache, &bytes, err);

    if (rc < 0)
        return rc;
    if (__builtin_mul_overflow((size_t)(s->heads * s->head) * sizeof(float), rows, &s->q_bytes) ||
        (has_own_cache(call) &&
         __builtin_mul_overflow((size_t)(s->kv_heads * s->head) * 2 * sizeof(float),
                                (size_t)(s->batches * s->cache), &own)) ||
        s->q_bytes > SIZE_MAX / 8 || own > SIZE_MAX / 8 || bytes > SIZE_MAX / 8)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    s->q_bytes = is_copied ? s->q_bytes / 64 * 64 + 64 : 0;
    s->work = s->q_bytes + own / 64 * 64 + 64;
    call->scratch_bytes = s->work + bytes;
    s->lengths = bp_cpu_call_memory(call, ((size_t)s->batches * 2 + 1) * sizeof *s->lengths);
    if (!s->lengths)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the lengths");
    return BP_OK;
}

/* All shapes are checked; the lengths come with the data. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (!read_inputs(call, s))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "query, key, value and the head counts do not fit together");
    if (!check_scales(call, s))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "k_scale, v_scale or the head size does not fit a quantized cache");
    if (!check_caches(call, s))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "past or present does not fit");
    if (!check_rotary(call, s))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "cos_cache, sin_cache or position_ids does not fit");
    if (!check_norms(call, s))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "a norm's weight or head_sink does not fit");
    return plan_scratch(call, s, err);
}

/* Keys of each batch, and how many of them are from the past. In a prompt all keys are new. */
static bp_rc read_lengths(const struct bp_cpu_call *call, int64_t total, bp_err *err)
{
    const struct state *s = call->state;
    const int32_t *last = bp_cpu_data(call->in[SEQLENS]);
    bool is_prompt = total == s->steps;

    if (bp_cpu_count(call->in[SEQLENS]) != s->batches)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "seqlens_k has not one element for each batch");
    if (total < s->steps || (bp_cpu_out(call, 1) && total > s->cache))
        return bp_cpu_fail(call->node, err, BP_E_INVALID,
                           "total_sequence_length is %lld, with %lld new keys and a cache of %lld",
                           (long long)total, (long long)s->steps, (long long)s->cache);
    for (int64_t b = 0; b < s->batches; b++) {
        int64_t keys = (int64_t)last[b] + 1, past = is_prompt ? 0 : keys - s->steps;

        if (keys < 0 || past < 0 || past > s->past || keys > total || past + s->steps > s->cache)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "seqlens_k of batch %lld is %d, with %lld new keys of %lld and %lld "
                               "in the past",
                               (long long)b, (int)last[b], (long long)s->steps, (long long)total,
                               (long long)s->past);
        s->lengths[b] = keys;
        s->lengths[s->batches + b] = past;
    }
    return BP_OK;
}

/* The position of a new token. A token that is padding may have any: 0. */
static bp_rc position(const struct bp_cpu_call *call, int64_t b, int64_t i, int64_t *out,
                      bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *ids = bp_cpu_in(call, POSITIONS);
    int64_t known = call->in[COS]->dims[0], at = s->lengths[s->batches + b] + i;

    if (ids)
        at = ((const int64_t *)bp_tensor_data(ids))[b * s->steps + i];
    else if (at >= s->lengths[b])
        at = 0;
    if (at < 0 || at >= known)
        return bp_cpu_fail(call->node, err, BP_E_INVALID,
                           "position %lld is outside of the caches, which have %lld", (long long)at,
                           (long long)known);
    *out = at;
    return BP_OK;
}

/* RMS normalisation of one row of a head. */
static void normalize(const struct state *s, float epsilon, const float *weight, float *row)
{
    const struct bp_cpu_simd *simd = bp_cpu_simd(BP_DTYPE_F32);
    double mean = simd->sum_squares(row, (size_t)s->head, 0) / (double)s->head;
    float factor = (float)(1 / sqrt(mean + (double)epsilon));

    for (int64_t i = 0; i < s->head; i++)
        row[i] *= factor * weight[i];
}

/* Normalises and rotates new rows of Q or K, in place. */
static bp_rc finish_rows(const struct bp_cpu_call *call, uint32_t norm, int64_t heads,
                         const struct bp_cpu_head_rows *rows, bool after_past, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *weight = bp_cpu_in(call, norm);
    int64_t at = 0;

    for (int64_t i = 0; i < s->batches * s->steps; i++) {
        int64_t b = i / s->steps, step = i % s->steps;
        int64_t first = after_past ? s->lengths[s->batches + b] : 0;
        bp_rc rc = s->rotates ? position(call, b, step, &at, err) : BP_OK;

        if (rc < 0)
            return rc;
        for (int64_t h = 0; h < heads; h++) {
            float *row = rows->data + b * rows->batch + h * rows->head + (first + step) * rows->row;

            if (weight)
                normalize(s, norm == Q_NORM ? s->q_epsilon : s->k_epsilon, bp_cpu_data(weight),
                          row);
            if (s->rotates)
                bp_cpu_rotate(s->rotation, row, row, (size_t)s->head, s->half,
                              (const float *)bp_cpu_data(call->in[COS]) + (size_t)at * s->half,
                              (const float *)bp_cpu_data(call->in[SIN]) + (size_t)at * s->half);
        }
    }
    return BP_OK;
}

/* The new rows of K (i 1) or V (i 2) in their input. */
static struct bp_cpu_head_rows fresh_rows(const struct bp_cpu_call *call, uint32_t i)
{
    const struct state *s = call->state;
    struct bp_cpu_head_rows rows = s->in[i];

    rows.data = bp_cpu_data(call->in[s->is_packed ? Q : i]);
    if (s->is_packed)
        rows.data += (s->heads + (i == V ? s->kv_heads : 0)) * s->head;
    return rows;
}

/* Where the rows of K (i 1) or V (i 2) are as float32: in present, or in scratch. */
static struct bp_cpu_head_rows cache_rows(const struct bp_cpu_call *call, uint32_t i)
{
    const struct state *s = call->state;
    int64_t pairs = s->kv_heads * s->head;
    float *own = (float *)(void *)((char *)call->scratch + s->q_bytes) +
                 (i == V ? s->batches * pairs * s->cache : 0);
    float *data = has_own_cache(call) ? own : bp_cpu_data(bp_cpu_out(call, i));

    return (struct bp_cpu_head_rows){data, pairs * s->cache, s->cache * s->head, s->head};
}

/*
 * Past and new rows of K (i 1) or V (i 2) in present or in scratch; rows beyond them are zeroed. A
 * cache that past and present share needs only the new rows.
 */
static struct bp_cpu_head_rows fill_cache(const struct bp_cpu_call *call, uint32_t i)
{
    const struct state *s = call->state;
    const bp_tensor *old = s->quantized[i].bits ? NULL : bp_cpu_in(call, PAST_K + i - 1);
    struct bp_cpu_head_rows to = cache_rows(call, i);
    struct bp_cpu_head_rows past = {old ? bp_cpu_data(old) : NULL, s->kv_heads * s->head * s->past,
                                    s->past * s->head, s->head};
    struct bp_cpu_head_rows fresh = fresh_rows(call, i);
    bool is_shared = past.data == to.data && s->past == s->cache;

    for (int64_t b = 0; b < s->batches; b++) {
        int64_t n = s->lengths[s->batches + b];
        struct bp_cpu_head_rows from = past, new_rows = fresh, at = to;

        if (old)
            from.data += b * past.batch;
        at.data += b * to.batch;
        if (n > 0 && old && !is_shared)
            bp_cpu_heads_copy(&from, &at, 1, s->kv_heads, n, s->head, NULL);
        at.data += n * s->head;
        new_rows.data += b * fresh.batch;
        bp_cpu_heads_copy(&new_rows, &at, 1, s->kv_heads, s->steps, s->head, NULL);
        at.data += s->steps * s->head;
        for (int64_t h = 0; h < s->kv_heads && !is_shared; h++)
            memset(at.data + h * to.head, 0,
                   (size_t)((s->cache - n - s->steps) * s->head) * sizeof(float));
    }
    return to;
}

/*
 * One head of a quantized cache: past rows are copied to present, new ones quantized, those beyond
 * zeroed. `rows` gets what present then holds. Keys are used as they are kept.
 */
static void store_head(const struct bp_cpu_call *call, uint32_t i, int64_t pair, float *rows)
{
    const struct state *s = call->state;
    const struct bp_cpu_quantized_cache *cache = &s->quantized[i];
    const float *scales = bp_cpu_data(call->in[K_SCALE + i - K]);
    int64_t bytes = bp_cpu_quantized_row_bytes(cache), h = pair % s->kv_heads;
    int64_t n = s->lengths[s->batches + pair / s->kv_heads];
    const char *past = (char *)bp_cpu_data(call->in[PAST_K + i - K]) + pair * s->past * bytes;
    char *to = (char *)bp_cpu_data(call->out[i]) + pair * s->cache * bytes;

    if (n > 0 && past != to)
        memmove(to, past, (size_t)(n * bytes));
    for (int64_t r = n; r < n + s->steps; r++)
        bp_cpu_quantized_write(cache, scales, h, rows + r * s->head, to + r * bytes);
    for (int64_t r = 0; r < n + s->steps; r++)
        bp_cpu_quantized_read(cache, scales, h, to + r * bytes, rows + r * s->head);
    if (past != to)
        memset(to + (n + s->steps) * bytes, 0, (size_t)((s->cache - n - s->steps) * bytes));
}

/* The new rows of K or V, with what their cache holds before them: a task for each head. */
struct store {
    const struct bp_cpu_call *call;
    uint32_t i;
    const struct bp_cpu_head_rows *rows;
};

static void store_task(void *u, uint32_t pair, uint32_t worker)
{
    const struct store *store = u;

    (void)worker;
    store_head(store->call, store->i, pair, store->rows->data + pair * store->rows->head);
}

/* K or V, when its new rows are final: goes to its quantized cache if it has one. */
static void store_cache(const struct bp_cpu_call *call, uint32_t i,
                        const struct bp_cpu_head_rows *rows)
{
    const struct state *s = call->state;
    struct store store = {call, i, rows};

    if (s->quantized[i].bits)
        bp_cpu_parallel(call, (uint32_t)(s->batches * s->kv_heads), store_task, &store);
}

/* Q itself, or a rotated or normalised copy. */
static bp_rc query_rows(const struct bp_cpu_call *call, struct bp_cpu_head_rows *out, bp_err *err)
{
    const struct state *s = call->state;
    struct bp_cpu_head_rows from = s->in[Q];

    from.data = bp_cpu_data(call->in[Q]);
    *out = from;
    if (s->q_bytes == 0)
        return BP_OK;
    *out = (struct bp_cpu_head_rows){call->scratch, s->steps * s->heads * s->head, s->head,
                                     s->heads * s->head};
    bp_cpu_heads_copy(&from, out, s->batches, s->heads, s->steps, s->head, NULL);
    return finish_rows(call, Q_NORM, s->heads, out, false, err);
}

/* Fills the engine's description, and runs it. */
static bp_rc attend(struct bp_cpu_call *call, int64_t total, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *sink = bp_cpu_in(call, SINK), *scores = bp_cpu_out(call, 3);
    int64_t hidden = s->heads * s->head;
    struct bp_cpu_heads h = {
        .batches = s->batches,
        .heads = s->heads,
        .group = s->heads / s->kv_heads,
        .queries = s->steps,
        .head = s->head,
        .value_head = s->head,
        .most_keys = total,
        .keys = s->lengths,
        .past = s->lengths + s->batches,
        .out = {bp_cpu_data(call->out[0]), s->steps * hidden, s->head, hidden},
        .scale = bp_cpu_float(call->node, "scale", 0),
        .softcap = bp_cpu_float(call->node, "softcap", 0),
        .is_causal = bp_cpu_int(call->node, "causal", 1) != 0,
        .window = bp_cpu_int(call->node, "local_window_size", -1),
        .sink = sink ? bp_cpu_data(sink) : NULL,
        .is_smooth = bp_cpu_int(call->node, "smooth_softmax", 0) != 0,
        .scores_kind = (uint32_t)bp_cpu_int(call->node, "qk_output", 0),
    };
    bp_rc rc = query_rows(call, &h.q, err);

    if (rc < 0)
        return rc;
    if (h.scale == 0)
        h.scale = 1 / sqrtf((float)s->head);
    if (scores && bp_cpu_count(scores) != s->batches * s->heads * s->steps * total)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "output_qk does not fit");
    h.scores = scores ? bp_cpu_data(scores) : NULL;
    h.k = fill_cache(call, K);
    h.v = fill_cache(call, V);
    if (s->rotates || bp_cpu_in(call, K_NORM))
        rc = finish_rows(call, K_NORM, s->kv_heads, &h.k, true, err);
    store_cache(call, K, &h.k);
    store_cache(call, V, &h.v);
    if (rc >= 0)
        rc = bp_cpu_heads_bias(call, bp_cpu_in(call, ATTENTION_BIAS), &h, err);
    return rc < 0 ? rc : bp_cpu_heads_run(call, &h, (char *)call->scratch + s->work, err);
}

/* total_sequence_length and seqlens_k come with the data. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    int64_t total;
    bp_rc rc;

    if (bp_cpu_count(call->in[TOTAL]) != 1)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "total_sequence_length has not one element");
    total = *(const int32_t *)bp_tensor_data(call->in[TOTAL]);
    rc = read_lengths(call, total, err);
    if (rc < 0 || s->batches == 0)
        return rc;
    return attend(call, total, err);
}

static const struct bp_cpu_wide wide = {prepare, run};

/* Is `name` one of the kinds of quantization? */
static bool is_kind(const struct bp_cpu_query *query, const char *name)
{
    return bp_node_string_is(query->graph, query->node, name, "NONE", "PER_TENSOR") ||
           bp_node_string_is(query->graph, query->node, name, "NONE", "PER_CHANNEL");
}

/* Why the caches are refused; NULL: they are not. Both are of integers, or of the type of query. */
static const char *refused_cache(const struct bp_cpu_query *query)
{
    const bp_value *q = bp_node_in(query->graph, query->node, Q);
    const bp_value *past = bp_node_in(query->graph, query->node, PAST_K);
    bool is_plain = bp_node_string_is(query->graph, query->node, "k_quant_type", "NONE", "NONE");
    int64_t bits = bp_node_int(query->graph, query->node, "kv_cache_bit_width", 0);

    if (is_plain != bp_node_string_is(query->graph, query->node, "v_quant_type", "NONE", "NONE"))
        return "one cache is quantized and the other is not";
    if (is_plain)
        return q && past && past->dtype != q->dtype ? "past_key has another type than query" : NULL;
    if (!is_kind(query, "k_quant_type") || !is_kind(query, "v_quant_type"))
        return "k_quant_type or v_quant_type is none of NONE, PER_TENSOR and PER_CHANNEL";
    if (bits != 4 && bits != 8)
        return "kv_cache_bit_width is neither 4 nor 8";
    if (!past || past->dtype != (bits == 8 ? BP_DTYPE_I8 : BP_DTYPE_U8))
        return "a quantized cache has int8 of 8 bits, or uint8 of 4 bits";
    if (!bp_node_in(query->graph, query->node, PAST_V) ||
        !bp_node_in(query->graph, query->node, K_SCALE) ||
        !bp_node_in(query->graph, query->node, V_SCALE) ||
        !bp_node_out(query->graph, query->node, 1) || !bp_node_out(query->graph, query->node, 2))
        return "a quantized cache needs past, present, k_scale and v_scale";
    return NULL;
}

/* Caches of the window's size and right-padded queries are not implemented. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *past = bp_node_in(query->graph, query->node, PAST_K);
    int64_t scores = bp_node_int(query->graph, query->node, "qk_output", 0);
    const char *why = refused_cache(query);

    if (past && past->dtype == BP_DTYPE_F8E4M3FN)
        bp_cpu_refuse(query, BP_R_DTYPE, past->name, "a cache of float8 is not implemented");
    else if (why)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "k_quant_type", "%s", why);
    else if (bp_node_int(query->graph, query->node, "sliding_window_cache", 0) != 0)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "sliding_window_cache",
                      "a cache as large as the window is not implemented");
    else if (bp_node_in(query->graph, query->node, QUERY_SEQLENS))
        bp_cpu_refuse(query, BP_R_OTHER, "query_seqlens",
                      "queries that are padded at the end are not implemented");
    else if (scores < 0 || scores > BP_CPU_SCORES_AFTER)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "qk_output", "qk_output is none of 0, 1 and 2");
    else
        bp_cpu_claim_types(op, query);
}

const struct bp_cpu_op bp_cpu_op_group_query_attention = {
    .name = "GroupQueryAttention",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS & ~(UINT64_C(1) << BP_DTYPE_F64),
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
