/* SPDX-License-Identifier: MIT */
/*
 * ms_attention.c - Attention of com.microsoft.
 * input is [B, S, hidden], weights [hidden, 3 * hidden] (or by qkv_hidden_sizes): Q, K and V are
 * projected by one product.
 * The output is [B, S, hidden of V]; past and present are [2, B, heads, rows, H], K then V.
 * Optional: bias, mask, attention_bias. float32; float16 and bfloat16 are widened.
 */

#include "attention/head_attention.h"
#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"

#include <float.h>
#include <math.h>

enum { X, W, B, MASK, PAST, BIAS, PAST_LENGTH };

/* The plan of a call; `lengths` is filled in by each run. */
struct state {
    int64_t batches, steps, heads;
    int64_t sizes[3]; /* hidden sizes of Q, K and V */
    int64_t cache;    /* rows that present has for each head; 0: there is none */
    struct bp_cpu_gemm gemm;
    int64_t *lengths; /* keys of each batch, then rows of its past */
    /* in the scratch: the projection, the cache where there is no present, then work space */
    size_t qkv_bytes, cache_bytes;
};

/* The projection, for the threads. */
struct job {
    const struct state *state;
    struct bp_cpu_operands operands;
    char *scratch;
};

/* Hidden sizes of Q, K and V, which the heads must divide. */
static bp_rc read_sizes(const struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    uint32_t n;
    const int64_t *sizes = bp_cpu_ints(call->node, "qkv_hidden_sizes", &n);
    const bp_tensor *w = call->in[W];

    for (uint32_t i = 0; i < 3; i++)
        s->sizes[i] = n == 3 ? sizes[i] : w->dims[1] / 3;
    s->heads = bp_cpu_int(call->node, "num_heads", 0);
    if (s->heads < 1 || s->heads > INT32_MAX || s->sizes[0] < 0 || s->sizes[2] < 0 ||
        s->sizes[0] != s->sizes[1] || s->sizes[0] > INT32_MAX || s->sizes[2] > INT32_MAX ||
        s->sizes[0] % s->heads != 0 || s->sizes[2] % s->heads != 0 ||
        s->sizes[0] * 2 + s->sizes[2] != w->dims[1])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "the weights, qkv_hidden_sizes and num_heads do not fit together");
    return BP_OK;
}

/* Shapes of weights, bias, past and present. */
static bp_rc check(const struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    const bp_tensor *x = call->in[X], *w = call->in[W], *bias = bp_cpu_in(call, B);
    const bp_tensor *past = bp_cpu_in(call, PAST), *present = bp_cpu_out(call, 1);
    const int64_t head = s->sizes[0] / s->heads;

    if (x->dims[2] != w->dims[0] || call->out[0]->rank != 3 ||
        call->out[0]->dims[2] != s->sizes[2] || (bias && bp_cpu_count(bias) != w->dims[1]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the input, weights and bias do not fit");
    if ((past || present) && s->sizes[2] != s->sizes[0])
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "with a cache K and V must be alike");
    if (past && (past->rank != 5 || past->dims[0] != 2 || past->dims[1] != s->batches ||
                 past->dims[2] != s->heads || past->dims[4] != head))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "past does not fit");
    if (present && (present->rank != 5 || present->dims[1] != s->batches ||
                    present->dims[2] != s->heads || present->dims[4] != head ||
                    present->dims[3] < s->steps || (past && present->dims[3] < past->dims[3])))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "present does not fit");
    return BP_OK;
}

/*
 * Scratch: the projection, a cache if there is no present, then the larger of the product's and the
 * engine's.
 */
static bp_rc plan_scratch(struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    size_t gemm_bytes = (s->gemm.scratch_bytes + 63) / 64 * 64 * call->width, heads_bytes;
    int64_t head = s->sizes[0] / s->heads;
    bp_rc rc = bp_cpu_heads_scratch(call, s->steps, s->cache > s->steps ? s->cache : s->steps,
                                    &heads_bytes, err);

    if (rc < 0)
        return rc;
    if (!bp_cpu_out(call, 1) &&
        (__builtin_mul_overflow((size_t)s->cache * sizeof(float),
                                (size_t)(2 * s->batches * s->heads), &s->cache_bytes) ||
         __builtin_mul_overflow(s->cache_bytes, (size_t)head, &s->cache_bytes)))
        s->cache_bytes = SIZE_MAX;
    if (__builtin_mul_overflow(s->gemm.m * sizeof(float), s->gemm.n, &s->qkv_bytes) ||
        s->qkv_bytes > SIZE_MAX / 8 || heads_bytes > SIZE_MAX / 8 || s->cache_bytes > SIZE_MAX / 8)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    s->qkv_bytes = s->qkv_bytes / 64 * 64 + 64;
    s->cache_bytes = s->cache_bytes / 64 * 64 + 64;
    call->scratch_bytes =
        s->qkv_bytes + s->cache_bytes + (heads_bytes > gemm_bytes ? heads_bytes : gemm_bytes);
    s->lengths = bp_cpu_call_memory(call, ((size_t)s->batches * 2 + 1) * sizeof *s->lengths);
    if (!s->lengths)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the lengths");
    return BP_OK;
}

/* The projection is one product of all tokens with all weights. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[X], *w = call->in[W];
    const bp_tensor *past = bp_cpu_in(call, PAST), *present = bp_cpu_out(call, 1);
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (x->rank != 3 || w->rank != 2)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the input or the weights do not fit");
    s->batches = x->dims[0];
    s->steps = x->dims[1];
    rc = read_sizes(call, s, err);
    if (rc >= 0)
        rc = check(call, s, err);
    if (rc < 0)
        return rc;
    s->cache = present ? present->dims[3] : past ? past->dims[3] + s->steps : 0;
    s->gemm = (struct bp_cpu_gemm){
        .m = (size_t)(s->batches * s->steps),
        .n = (size_t)w->dims[1],
        .k = (size_t)w->dims[0],
        .dtype = BP_DTYPE_F32,
        .add = bp_cpu_in(call, B) != NULL,
        .alpha = 1,
        .width = call->width,
    };
    bp_cpu_gemm_plan(&s->gemm);
    return plan_scratch(call, s, err);
}

/* Task i of the projection. */
static void run_task(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_gemm *gemm = &job->state->gemm;

    bp_cpu_gemm_task(gemm, &job->operands, i,
                     bp_cpu_worker_scratch(job->scratch, worker, gemm->scratch_bytes));
}

/* The part of the scratch that the product and the engine share. */
static char *work_space(const struct bp_cpu_call *call)
{
    const struct state *s = call->state;

    return (char *)call->scratch + s->qkv_bytes + s->cache_bytes;
}

/* Q, K and V of all tokens, one row for each token. */
static float *project(struct bp_cpu_call *call)
{
    const struct state *s = call->state;
    float *qkv = call->scratch;
    struct job job = {.state = s, .scratch = work_space(call)};
    const bp_tensor *bias = bp_cpu_in(call, B);
    const size_t m = s->gemm.m, n = s->gemm.n;

    for (size_t i = 0; i < m && bias; i++)
        memcpy(qkv + i * n, bp_cpu_data(bias), n * sizeof *qkv);
    if (s->gemm.k == 0 && !bias)
        memset(qkv, 0, m * n * sizeof *qkv);
    if (m == 0 || n == 0 || s->gemm.k == 0)
        return qkv;
    job.operands.a = bp_cpu_data(call->in[X]);
    job.operands.b = bp_cpu_data(call->in[W]);
    job.operands.c = qkv;
    bp_cpu_parallel(call, s->gemm.tasks, run_task, &job);
    return qkv;
}

/* Rows of the past; with past_present_share_buffer an input says how many. */
static bp_rc past_rows(const struct bp_cpu_call *call, int64_t *out, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *past = bp_cpu_in(call, PAST), *length = bp_cpu_in(call, PAST_LENGTH);

    *out = past ? past->dims[3] : 0;
    if (!past || bp_cpu_int(call->node, "past_present_share_buffer", 0) == 0)
        return BP_OK;
    if (!length || bp_cpu_count(length) < 1)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "past_sequence_length is missing");
    *out = *(const int32_t *)bp_tensor_data(length);
    if (*out < 0 || *out > past->dims[3] || *out > s->cache - s->steps)
        return bp_cpu_fail(call->node, err, BP_E_INVALID,
                           "past_sequence_length is %lld, the cache has %lld rows", (long long)*out,
                           (long long)s->cache);
    return BP_OK;
}

/* Copies K (part 0) or V (part 1) to the cache, after the past. */
static struct bp_cpu_head_rows store(const struct bp_cpu_call *call, int part, int64_t past_rows_,
                                     const struct bp_cpu_head_rows *fresh, float *cache)
{
    const struct state *s = call->state;
    const bp_tensor *past = bp_cpu_in(call, PAST);
    int64_t head = s->sizes[0] / s->heads, pairs = s->batches * s->heads;
    struct bp_cpu_head_rows to = {cache + part * pairs * s->cache * head,
                                  s->heads * s->cache * head, s->cache * head, head};
    struct bp_cpu_head_rows after = to;

    if (past && past_rows_ > 0) {
        int64_t rows = past->dims[3];
        struct bp_cpu_head_rows from = {(float *)bp_tensor_data(past) + part * pairs * rows * head,
                                        s->heads * rows * head, rows * head, head};

        if (from.data != to.data || rows != s->cache)
            bp_cpu_heads_copy(&from, &to, s->batches, s->heads, past_rows_, head, NULL);
    }
    after.data += past_rows_ * head;
    bp_cpu_heads_copy(fresh, &after, s->batches, s->heads, s->steps, head, NULL);
    return to;
}

/* Fills the engine's description, and runs it. */
static bp_rc attend(struct bp_cpu_call *call, float *qkv, int64_t past, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *present = bp_cpu_out(call, 1);
    int64_t all = s->gemm.n > 0 ? (int64_t)s->gemm.n : 0, head = s->sizes[0] / s->heads;
    int64_t value_head = s->sizes[2] / s->heads;
    struct bp_cpu_heads h = {
        .batches = s->batches,
        .heads = s->heads,
        .group = 1,
        .queries = s->steps,
        .head = head,
        .value_head = value_head,
        .most_keys = past + s->steps,
        .keys = s->lengths,
        .past = s->lengths + s->batches,
        .q = {qkv, s->steps * all, head, all},
        .k = {qkv + s->sizes[0], s->steps * all, head, all},
        .v = {qkv + 2 * s->sizes[0], s->steps * all, value_head, all},
        .out = {bp_cpu_data(call->out[0]), s->steps * s->sizes[2], value_head, s->sizes[2]},
        .scale = bp_cpu_float(call->node, "scale", 0),
        .is_causal = bp_cpu_int(call->node, "unidirectional", 0) != 0,
        .filter = bp_cpu_float(call->node, "mask_filter_value", -10000.0f),
    };
    bp_rc rc;

    if (h.scale == 0)
        h.scale = 1 / sqrtf((float)head);
    if (s->cache > 0) {
        char *own = (char *)call->scratch + s->qkv_bytes;
        float *cache = present ? bp_cpu_data(present) : (void *)own;

        h.k = store(call, 0, past, &h.k, cache);
        h.v = store(call, 1, past, &h.v, cache);
    }
    rc = bp_cpu_heads_mask(call, bp_cpu_in(call, MASK), s->steps, &h, err);
    if (rc >= 0)
        rc = bp_cpu_heads_bias(call, bp_cpu_in(call, BIAS), &h, err);
    if (rc < 0)
        return rc;
    return bp_cpu_heads_run(call, &h, work_space(call), err);
}

/* All batches have the same number of past rows. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    int64_t past;
    bp_rc rc = past_rows(call, &past, err);

    if (rc < 0 || s->batches == 0)
        return rc;
    for (int64_t b = 0; b < s->batches; b++) {
        s->lengths[b] = past + s->steps;
        s->lengths[s->batches + b] = past;
    }
    return attend(call, project(call), past, err);
}

static const struct bp_cpu_wide wide = {prepare, run};

/* Rotary embedding is not implemented here. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (bp_node_int(query->graph, query->node, "do_rotary", 0) != 0)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "do_rotary", "do_rotary is not implemented");
    else
        bp_cpu_claim_types(op, query);
}

const struct bp_cpu_op bp_cpu_op_ms_attention = {
    .name = "Attention",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS & ~(UINT64_C(1) << BP_DTYPE_F64),
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
