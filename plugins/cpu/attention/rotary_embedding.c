/* SPDX-License-Identifier: MIT */
/*
 * rotary_embedding.c - RotaryEmbedding (opset 23).
 * X is [B, heads, S, H] or [B, S, heads * H]; Y has its shape.
 * cos_cache and sin_cache are [positions, pairs] with position_ids [B, S], else [B, S, pairs].
 * Pairs of the first rotary_embedding_dim elements of each head are rotated by their position's
 * angles, the rest is copied.
 * float16 and bfloat16 vectors are converted one at a time, because the caches may be far larger
 * than what is used of them.
 */

#include "attention/rotary.h"
#include "kernels/cast/cast.h"
#include "kernels/tensor_data.h"

enum { X, COS, SIN, IDS };

/* The plan of a call. */
struct state {
    int64_t batch, length, heads, head, half; /* half: pairs of a head that are rotated */
    int64_t batch_step, head_step, step;      /* in X and Y, in elements */
    int64_t positions;                        /* of the caches, with ids */
    size_t x_width, width;                    /* of elements, and of those computed with */
    size_t worker_bytes, sin_at, x_at;        /* in a worker's scratch; cosines come first */
    bp_cpu_unary_loop load, store;            /* NULL: no conversion */
    bp_cpu_rotation rotation;
    uint32_t slices;
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const char *x, *cosines, *sines;
    const int64_t *ids; /* or NULL */
    char *y, *scratch;
};

static const struct bp_cpu_params none;

/* ---- prepare --------------------------------------------------------------------------------- */

/* The caches have X's type. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, X);

    for (uint32_t i = COS; i <= SIN; i++) {
        const bp_value *cache = bp_node_in(query->graph, query->node, i);

        if (!x || !cache || cache->dtype != x->dtype) {
            bp_cpu_refuse_dtype(query, i);
            return;
        }
    }
    bp_cpu_claim_types(op, query);
}

/* Sizes and strides of both layouts; false: the attributes do not fit. */
static bool read_sizes(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *x = call->in[X];
    const int64_t *d = x->dims;
    int64_t part = bp_cpu_int(call->node, "rotary_embedding_dim", 0);

    if (x->rank != 3 && x->rank != 4)
        return false;
    s->batch = d[0];
    s->heads = x->rank == 4 ? d[1] : bp_cpu_int(call->node, "num_heads", 0);
    s->length = x->rank == 4 ? d[2] : d[1];
    if (x->rank == 3 && (s->heads < 1 || d[2] % s->heads != 0))
        return false;
    s->head = x->rank == 4 ? d[3] : d[2] / s->heads;
    s->batch_step = s->heads * s->length * s->head;
    s->head_step = x->rank == 4 ? s->length * s->head : s->head;
    s->step = x->rank == 4 ? s->head : s->heads * s->head;
    s->half = (part > 0 ? part : s->head) / 2;
    return part >= 0 && part <= s->head && (part > 0 ? part : s->head) % 2 == 0;
}

/* The caches' shapes depend on whether position_ids is given. */
static bool caches_fit(const struct bp_cpu_call *call, struct state *s)
{
    const bp_tensor *ids = bp_cpu_in(call, IDS);

    s->positions = ids ? call->in[COS]->dims[0] : s->batch * s->length;
    for (uint32_t i = COS; i <= SIN; i++) {
        const bp_tensor *cache = call->in[i];

        if (cache->rank != (ids ? 2 : 3) || cache->dims[cache->rank - 1] != s->half ||
            bp_cpu_count(cache) != s->positions * s->half)
            return false;
    }
    return !ids || bp_cpu_count(ids) == s->batch * s->length;
}

/* A worker's scratch for conversions: cosines, sines, one head. */
static bp_rc plan_scratch(struct bp_cpu_call *call, struct state *s, bp_err *err)
{
    size_t half, head;

    if (!s->load)
        return BP_OK;
    if (__builtin_mul_overflow((size_t)s->half, s->width, &half) ||
        __builtin_mul_overflow((size_t)s->head, s->width, &head) || half > SIZE_MAX / 8 ||
        head > SIZE_MAX / 8)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the heads are too large");
    s->sin_at = half / 64 * 64 + 64;
    s->x_at = 2 * s->sin_at;
    s->worker_bytes = s->x_at + head / 64 * 64 + 64;
    if (__builtin_mul_overflow(s->worker_bytes, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the heads are too large");
    return BP_OK;
}

/* float16 and bfloat16 are computed in float32. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[X];
    uint32_t dtype = x->dtype == BP_DTYPE_F64 ? BP_DTYPE_F64 : BP_DTYPE_F32;
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if (!read_sizes(call, s) || !caches_fit(call, s) ||
        bp_cpu_count(call->out[0]) != bp_cpu_count(x))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "X and the caches do not fit together");
    s->x_width = bp_cpu_width(x->dtype);
    s->width = bp_cpu_width(dtype);
    if (x->dtype != dtype) {
        s->load = bp_cpu_cast_loop(x->dtype, dtype);
        s->store = bp_cpu_cast_loop(dtype, x->dtype);
    }
    s->rotation = bp_cpu_rotation_of(dtype, bp_cpu_int(call->node, "interleaved", 0) != 0);
    s->slices = bp_cpu_slices(call, bp_cpu_count(x), 2);
    return plan_scratch(call, s, err);
}

/* ---- run ------------------------------------------------------------------------------------- */

/* All heads of one position of one batch. */
static void run_position(const struct job *job, int64_t batch, int64_t position, char *own)
{
    const struct state *s = job->state;
    int64_t id = batch * s->length + position, first = batch * s->batch_step + position * s->step;
    size_t cache = (size_t)((job->ids ? job->ids[id] : id) * s->half) * s->x_width;
    size_t rotated = (size_t)s->half * 2, rest = ((size_t)s->head - rotated) * s->x_width;
    const char *cosines = job->cosines + cache, *sines = job->sines + cache;

    if (s->load) {
        s->load(own, cosines, (size_t)s->half, &none);
        s->load(own + s->sin_at, sines, (size_t)s->half, &none);
        cosines = own;
        sines = own + s->sin_at;
    }
    for (int64_t h = 0; h < s->heads; h++) {
        size_t at = (size_t)(first + h * s->head_step) * s->x_width;
        const char *x = job->x + at;
        char *y = job->y + at;

        if (rest > 0)
            memcpy(y + rotated * s->x_width, x + rotated * s->x_width, rest);
        if (s->load) {
            s->load(own + s->x_at, x, rotated, &none);
            s->rotation(own + s->x_at, own + s->x_at, cosines, sines, s->half);
            s->store(y, own + s->x_at, rotated, &none);
        } else {
            s->rotation(y, x, cosines, sines, s->half);
        }
    }
}

/* Positions of all batches are shared out to the threads. */
static void run_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t all = s->batch * s->length, n = s->slices;
    int64_t end = all / n * (i + 1) + all % n * (i + 1) / n;
    char *own = s->load ? job->scratch + worker * s->worker_bytes : NULL;

    for (int64_t k = all / n * i + all % n * i / n; k < end; k++)
        run_position(job, k / s->length, k % s->length, own);
}

/* position_ids come with the data: all are checked against the caches. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *ids = bp_cpu_in(call, IDS);
    struct job job = {.state = s, .scratch = call->scratch};

    if (bp_cpu_count(call->in[X]) == 0)
        return BP_OK;
    job.x = bp_cpu_data(call->in[X]);
    job.cosines = bp_cpu_data(call->in[COS]);
    job.sines = bp_cpu_data(call->in[SIN]);
    job.y = bp_cpu_data(call->out[0]);
    job.ids = ids ? bp_cpu_data(ids) : NULL;
    for (int64_t i = 0; job.ids && i < s->batch * s->length; i++) {
        if (job.ids[i] < 0 || job.ids[i] >= s->positions)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "position_ids has %lld, but the caches have %lld positions",
                               (long long)job.ids[i], (long long)s->positions);
    }
    bp_cpu_parallel(call, s->slices, run_slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_rotary_embedding = {
    .name = "RotaryEmbedding",
    .since = 23,
    .types = BP_CPU_FLOATS,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
