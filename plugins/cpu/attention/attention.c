/* SPDX-License-Identifier: MIT */
/*
 * attention.c - Attention (opsets 23, 24, 25) and FlexAttention (ai.onnx.preview 1) without subgraphs.
 * Y = softmax(softcap(scale * Q K') + mask) V.
 * Q is [B, heads, S, H] or [B, S, heads * H], K and V likewise with kv heads and T keys; Y has Q's
 * layout.
 * Optional: attn_mask, is_causal, past_key and past_value, which precede K and V, present_key and
 * present_value, and the scores. Opset 24 added nonpad_kv_seqlen, 25 left_window_size and
 * right_window_size.
 * Scores are float32, or float64 if an input or softmax_precision is; a smaller softmax_precision
 * changes nothing. A row that may see no key gives 0.
 */

#include "attention/blocked_attention.h"
#include "kernels/tensor_data.h"

#include <math.h>

enum { Q, K, V, MASK, PAST_KEY, PAST_VALUE, LENGTHS };
enum { Y, PRESENT_KEY, PRESENT_VALUE, SCORES };

/* Keys or values, which may need a conversion to the computation's type. */
struct operand {
    uint32_t input;
    bp_cpu_unary_loop convert; /* NULL: it has the type */
    size_t at;                 /* of its converted elements in the scratch */
    int64_t count;
    size_t from_width, to_width;
};

/* The plan of a call. */
struct state {
    struct bp_cpu_attention attention;
    struct operand k[2], v[2]; /* by BP_CPU_PAST, BP_CPU_NEW */
};

static const struct bp_cpu_params none;

/* ---- claim ----------------------------------------------------------------------------------- */

/* Other element types, and subgraphs, which the host replaces before. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *mask = bp_node_in(query->graph, query->node, MASK);

    for (uint32_t i = 0; i < query->node->n_in && i < LENGTHS; i++) {
        const bp_value *value = bp_node_in(query->graph, query->node, i);

        if (value && i != MASK &&
            (value->dtype >= BP_DTYPE_END || !(op->types >> value->dtype & 1))) {
            bp_cpu_refuse_dtype(query, i);
            return;
        }
    }
    if (mask && !bp_cpu_cast_loop(mask->dtype, BP_DTYPE_F32))
        bp_cpu_refuse_dtype(query, MASK);
    else if (bp_node_attr(query->graph, query->node, "score_mod") ||
             bp_node_attr(query->graph, query->node, "prob_mod"))
        bp_cpu_refuse(query, BP_R_CONTROL_FLOW, "score_mod", "subgraphs are the host's");
    else
        bp_cpu_claim_types(op, query);
}

/* ---- prepare --------------------------------------------------------------------------------- */

/* Strides of [batch, heads, length, size], or of [batch, length, heads * size]. */
static struct bp_cpu_heads layout(const bp_tensor *tensor, int64_t heads)
{
    const int64_t *d = tensor->dims;

    if (tensor->rank == 4)
        return (struct bp_cpu_heads){d[1] * d[2] * d[3], d[2] * d[3], d[3], d[2]};
    return (struct bp_cpu_heads){d[1] * d[2], d[2] / heads, d[2], d[1]};
}

/*
 * Sizes from the shapes of Q, K and V; packed ones need the attributes q_num_heads and
 * kv_num_heads.
 */
static bp_rc read_heads(const struct bp_cpu_call *call, struct bp_cpu_attention *a, bp_err *err)
{
    const bp_tensor *q = call->in[Q], *k = call->in[K], *v = call->in[V];
    bool is_packed = q->rank == 3;

    if (q->rank < 3 || q->rank > 4 || k->rank != q->rank || v->rank != q->rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "Q, K and V have no common rank of 3 or 4");
    a->batch = q->dims[0];
    a->q_heads = is_packed ? bp_cpu_int(call->node, "q_num_heads", 0) : q->dims[1];
    a->kv_heads = is_packed ? bp_cpu_int(call->node, "kv_num_heads", 0) : k->dims[1];
    if (a->kv_heads < 1 || a->q_heads < 1 || a->q_heads % a->kv_heads != 0) {
        if (bp_cpu_count(call->out[Y]) == 0 && !is_packed) {
            a->batch = 0; /* no head: nothing to do */
            a->q_heads = a->kv_heads = 1;
        } else {
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the heads of Q and K do not fit");
        }
    }
    a->q = layout(q, a->q_heads);
    a->k[BP_CPU_NEW] = layout(k, a->kv_heads);
    a->v[BP_CPU_NEW] = layout(v, a->kv_heads);
    a->y = layout(call->out[Y], a->q_heads);
    a->head = is_packed ? q->dims[2] / a->q_heads : q->dims[3];
    a->v_head = is_packed ? v->dims[2] / a->kv_heads : v->dims[3];
    if (k->dims[0] != q->dims[0] || v->dims[0] != q->dims[0] ||
        a->k[BP_CPU_NEW].length != a->v[BP_CPU_NEW].length ||
        (is_packed ? k->dims[2] != a->head * a->kv_heads : k->dims[3] != a->head) ||
        (!is_packed && v->dims[1] != k->dims[1]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "Q, K and V do not fit together");
    return BP_OK;
}

/* The layout of past_key and past_value. */
static bp_rc read_past(const struct bp_cpu_call *call, struct bp_cpu_attention *a, bp_err *err)
{
    const bp_tensor *key = bp_cpu_in(call, PAST_KEY), *value = bp_cpu_in(call, PAST_VALUE);

    if (!key && !value)
        return BP_OK;
    if (!key || !value || key->rank != 4 || value->rank != 4 || key->dims[2] != value->dims[2] ||
        key->dims[0] != call->in[Q]->dims[0] || value->dims[0] != key->dims[0] ||
        key->dims[1] != a->kv_heads || value->dims[1] != a->kv_heads || key->dims[3] != a->head ||
        value->dims[3] != a->v_head)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "past_key and past_value do not fit K and V");
    a->k[BP_CPU_PAST] = layout(key, a->kv_heads);
    a->v[BP_CPU_PAST] = layout(value, a->kv_heads);
    return BP_OK;
}

/*
 * Strides of a mask that broadcasts to [batch, heads, rows, keys]; its last dimension may be
 * shorter, and keys beyond it are masked.
 */
static bp_rc read_mask(const struct bp_cpu_call *call, struct bp_cpu_attention *a, bp_err *err)
{
    const bp_tensor *mask = bp_cpu_in(call, MASK);
    const int64_t want[3] = {call->in[Q]->dims[0], a->q_heads, a->q.length};
    int64_t step, total = a->k[BP_CPU_PAST].length + a->k[BP_CPU_NEW].length;

    a->mask_dtype = mask ? mask->dtype : BP_DTYPE_F32;
    if (!mask)
        return BP_OK;
    a->has_mask = true;
    if (mask->rank < 1 || mask->rank > 4 || mask->dims[mask->rank - 1] > total)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "attn_mask does not fit the scores");
    a->mask_length = step = mask->dims[mask->rank - 1];
    for (uint32_t i = 3; i-- > 0;) {
        int64_t dim = i + mask->rank >= 4 ? mask->dims[i + mask->rank - 4] : 1;

        if (dim != 1 && dim != want[i])
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "attn_mask does not fit the scores");
        a->mask_steps[i] = dim == 1 ? 0 : step;
        step *= dim;
    }
    return BP_OK;
}

/* Whether an optional tensor is float64. */
static bool is_double(const bp_tensor *tensor)
{
    return tensor && tensor->dtype == BP_DTYPE_F64;
}

/* A bound of the window; one beyond all keys and queries is none, so that no sum overflows. */
static int64_t window_size(const struct bp_cpu_call *call, const struct bp_cpu_attention *a,
                           const char *name)
{
    int64_t size = bp_cpu_int(call->node, name, BP_CPU_NO_WINDOW);
    int64_t most = a->k[BP_CPU_PAST].length + a->k[BP_CPU_NEW].length + a->q.length;

    return size < 0 || size > most ? BP_CPU_NO_WINDOW : size;
}

/* Attributes and types; the default scale is 1 / sqrt(H). */
static void read_attrs(const struct bp_cpu_call *call, struct bp_cpu_attention *a)
{
    const bp_tensor *scores = bp_cpu_out(call, SCORES);
    bool has_scale = bp_node_attr(call->node->graph, call->node->node, "scale") != NULL;

    a->scale = has_scale ? (double)bp_cpu_float(call->node, "scale", 1)
                         : 1 / sqrt(a->head > 0 ? (double)a->head : 1);
    a->softcap = (double)bp_cpu_float(call->node, "softcap", 0);
    a->is_causal = bp_cpu_int(call->node, "is_causal", 0) != 0;
    a->left = window_size(call, a, "left_window_size");
    a->right = window_size(call, a, "right_window_size");
    a->wants_scores = scores != NULL;
    a->scores_mode = (uint32_t)bp_cpu_int(call->node, "qk_matmul_output_mode", 0);
    a->scores_dtype = scores ? scores->dtype : BP_DTYPE_F32;
    a->q_dtype = call->in[Q]->dtype;
    a->y_dtype = call->out[Y]->dtype;
    a->dtype = BP_DTYPE_F32;
    if (is_double(call->in[Q]) || is_double(call->in[V]) ||
        bp_cpu_int(call->node, "softmax_precision", 0) == BP_DTYPE_F64)
        a->dtype = BP_DTYPE_F64;
}

/* Scratch for a converted copy, if one is needed. False: too large. */
static bool plan_operand(struct bp_cpu_call *call, uint32_t dtype, uint32_t input,
                         struct operand *out)
{
    const bp_tensor *tensor = bp_cpu_in(call, input);
    size_t bytes;

    out->input = input;
    if (!tensor || tensor->dtype == dtype)
        return true;
    out->convert = bp_cpu_cast_loop(tensor->dtype, dtype);
    out->count = bp_cpu_count(tensor);
    out->from_width = bp_cpu_width(tensor->dtype);
    out->to_width = bp_cpu_width(dtype);
    out->at = call->scratch_bytes;
    return !__builtin_mul_overflow((size_t)out->count, out->to_width, &bytes) &&
           !__builtin_add_overflow(call->scratch_bytes, bytes / 64 * 64 + 64, &call->scratch_bytes);
}

/* Whether all outputs have the sizes that follow from the inputs. */
static bool outputs_fit(const struct bp_cpu_call *call, const struct bp_cpu_attention *a)
{
    const bp_tensor *q = call->in[Q], *y = call->out[Y], *key = bp_cpu_out(call, PRESENT_KEY);
    const bp_tensor *value = bp_cpu_out(call, PRESENT_VALUE), *scores = bp_cpu_out(call, SCORES);
    int64_t total = a->k[BP_CPU_PAST].length + a->k[BP_CPU_NEW].length, batch = q->dims[0];

    return y->rank == q->rank && bp_cpu_count(y) == batch * a->q_heads * a->q.length * a->v_head &&
           (!key || bp_cpu_count(key) == batch * a->kv_heads * total * a->head) &&
           (!value || bp_cpu_count(value) == batch * a->kv_heads * total * a->v_head) &&
           (!scores || bp_cpu_count(scores) == batch * a->q_heads * a->q.length * total);
}

/* Reads all shapes and attributes to the engine's description, then plans. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *lengths = bp_cpu_in(call, LENGTHS);
    struct state *s;
    struct bp_cpu_attention *a;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    a = &s->attention;
    rc = read_heads(call, a, err);
    if (rc >= 0)
        rc = read_past(call, a, err);
    if (rc >= 0)
        rc = read_mask(call, a, err);
    if (rc < 0)
        return rc;
    read_attrs(call, a);
    if (a->batch > 0 && (!outputs_fit(call, a) || (lengths && bp_cpu_count(lengths) != a->batch)))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "inputs and outputs do not fit together");
    rc = bp_cpu_attention_plan(call, a, err);
    if (rc < 0)
        return rc;
    call->scratch_bytes = a->worker_bytes * call->width;
    if (!plan_operand(call, a->dtype, K, &s->k[BP_CPU_NEW]) ||
        !plan_operand(call, a->dtype, V, &s->v[BP_CPU_NEW]) ||
        !plan_operand(call, a->dtype, PAST_KEY, &s->k[BP_CPU_PAST]) ||
        !plan_operand(call, a->dtype, PAST_VALUE, &s->v[BP_CPU_PAST]))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "keys and values are too large");
    return BP_OK;
}

/* ---- run ------------------------------------------------------------------------------------- */

/* A conversion on the threads. */
struct conversion {
    const struct operand *operand;
    const char *from;
    char *to;
    uint32_t slices;
};

/* Slice i of a conversion. */
static void convert_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct conversion *c = u;
    size_t from = (size_t)bp_cpu_slice_at(c->operand->count, i, c->slices);
    size_t to = (size_t)bp_cpu_slice_at(c->operand->count, i + 1, c->slices);

    (void)worker;
    c->operand->convert(c->to + from * c->operand->to_width,
                        c->from + from * c->operand->from_width, to - from, &none);
}

/* Keys or values in the computation's type: the input, or a converted copy. */
static const void *load_operand(struct bp_cpu_call *call, const struct operand *operand)
{
    const bp_tensor *tensor = bp_cpu_in(call, operand->input);
    struct conversion c = {.operand = operand};

    if (!tensor)
        return NULL;
    c.from = bp_cpu_data(tensor);
    if (!operand->convert)
        return c.from;
    c.to = (char *)call->scratch + operand->at;
    c.slices = bp_cpu_slices(call, operand->count, 2);
    if (operand->count > 0)
        bp_cpu_parallel(call, c.slices, convert_slice, &c);
    return c.to;
}

/*
 * Writes present_key or present_value, [batch, heads, length, size]: the past, then the new ones.
 */
static void keep(const struct bp_cpu_call *call, uint32_t output, uint32_t past, uint32_t fresh,
                 const struct bp_cpu_heads *layouts, int64_t size)
{
    const bp_tensor *out = bp_cpu_out(call, output);
    const struct bp_cpu_attention *a = &((const struct state *)call->state)->attention;
    char *to;
    size_t width, row;

    if (!out || bp_cpu_count(out) == 0)
        return;
    to = bp_cpu_data(out);
    width = bp_cpu_width(out->dtype);
    row = (size_t)size * width;
    for (int64_t i = 0; i < a->batch * a->kv_heads * 2; i++) {
        const struct bp_cpu_heads *from = &layouts[i % 2];
        const bp_tensor *in = bp_cpu_in(call, i % 2 == BP_CPU_PAST ? past : fresh);
        int64_t at = i / 2 / a->kv_heads * from->batch_step + i / 2 % a->kv_heads * from->head_step;
        const char *x = in ? (const char *)bp_cpu_data(in) + (size_t)at * width : NULL;
        bool is_dense = from->step == size;
        int64_t n = is_dense ? 1 : from->length;
        size_t bytes = is_dense ? row * (size_t)from->length : row;

        for (int64_t k = 0; x && bytes > 0 && k < n; k++, to += bytes)
            memcpy(to, x + (size_t)(k * from->step) * width, bytes);
    }
}

/* nonpad_kv_seqlen comes with the data. */
static bp_rc check_lengths(const struct bp_cpu_call *call, const struct bp_cpu_attention *a,
                           bp_err *err)
{
    const bp_tensor *lengths = bp_cpu_in(call, LENGTHS);
    const int64_t *n = lengths ? bp_cpu_data(lengths) : NULL;

    for (int64_t i = 0; n && i < a->batch; i++) {
        if (n[i] < 0 || n[i] > a->total)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "nonpad_kv_seqlen has %lld, but there are %lld keys",
                               (long long)n[i], (long long)a->total);
    }
    return BP_OK;
}

/* Conversions and caches first, then the engine. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const struct bp_cpu_attention *a = &s->attention;
    struct bp_cpu_attention_run job = {.plan = a, .scratch = call->scratch};
    bp_rc rc = check_lengths(call, a, err);

    if (rc < 0 || a->batch == 0)
        return rc;
    job.q = bp_cpu_data(call->in[Q]);
    job.y = bp_cpu_data(call->out[Y]);
    job.mask = a->has_mask ? bp_cpu_data(call->in[MASK]) : NULL;
    job.scores = a->wants_scores ? bp_cpu_data(call->out[SCORES]) : NULL;
    job.lengths = bp_cpu_in(call, LENGTHS) ? bp_cpu_data(call->in[LENGTHS]) : NULL;
    for (uint32_t i = BP_CPU_PAST; i <= BP_CPU_NEW; i++) {
        job.k[i] = load_operand(call, &s->k[i]);
        job.v[i] = load_operand(call, &s->v[i]);
    }
    keep(call, PRESENT_KEY, PAST_KEY, K, a->k, a->head);
    keep(call, PRESENT_VALUE, PAST_VALUE, V, a->v, a->v_head);
    bp_cpu_attention_run(call, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_attention = {
    .name = "Attention",
    .since = 23,
    .types = BP_CPU_FLOATS,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_flex_attention = {
    .name = "FlexAttention",
    .domain = "ai.onnx.preview",
    .since = 1,
    .types = BP_CPU_FLOATS,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
