/* SPDX-License-Identifier: MIT */
/*
 * ms_rotary_embedding.c - RotaryEmbedding of com.microsoft.
 * input is [B, S, hidden] or [B, heads, S, H]; the output has its shape.
 * position_ids is [B, S] or [1] (the first position), cos_cache and sin_cache are [positions,
 * pairs].
 * Pairs are adjacent with interleaved, else half a head apart.
 */

#include "attention/rotary.h"
#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"

/* The plan of a call. */
struct state {
    int64_t batches, heads, steps;
    size_t head, half; /* elements of a head; pairs that are rotated */
    int64_t batch_step, head_step, row_step;
    int64_t positions; /* rows of the caches */
    bp_cpu_rotation rotation;
    uint32_t slices;
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    const float *x, *cosines, *sines;
    const int64_t *ids;
    bool has_all_ids;
    float *y;
};

/* Shapes of the caches and of position_ids. */
static bp_rc check(const struct bp_cpu_call *call, const struct state *s, bp_err *err)
{
    const bp_tensor *ids = call->in[1], *cosines = call->in[2], *sines = call->in[3];
    int64_t n = bp_cpu_count(ids);

    if (cosines->rank != 2 || sines->rank != 2 || sines->dims[1] != cosines->dims[1] ||
        sines->dims[0] != cosines->dims[0] || s->half * 2 > s->head)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the caches do not fit the heads");
    if (n != 1 && n != s->batches * s->steps)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "position_ids has %lld elements, not 1 or one for each step",
                           (long long)n);
    return BP_OK;
}

/* Without num_heads the size of the caches tells how large a head is. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    int64_t heads = bp_cpu_int(call->node, "num_heads", 0), head;
    int64_t rotated = bp_cpu_int(call->node, "rotary_embedding_dim", 0);
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    if ((x->rank != 3 && x->rank != 4) || call->in[2]->rank != 2)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the input or cos_cache does not fit");
    s->half = (size_t)call->in[2]->dims[1];
    if (rotated < 0 || (rotated > 0 && (uint64_t)rotated != 2 * s->half))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "rotary_embedding_dim is %lld, the caches "
                           "are for %zu",
                           (long long)rotated, 2 * s->half);
    /* without num_heads the caches tell how large a head is */
    if (x->rank == 4)
        head = x->dims[3];
    else if (heads > 0)
        head = x->dims[2] % heads == 0 ? x->dims[2] / heads : -1;
    else
        head = (int64_t)s->half * 2;
    if (head < 1 || (x->rank == 3 && x->dims[2] % head != 0))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the heads do not fit the hidden size");
    s->head = (size_t)head;
    s->batches = x->dims[0];
    s->heads = x->rank == 4 ? x->dims[1] : x->dims[2] / head;
    s->steps = x->dims[x->rank - 2];
    s->row_step = x->rank == 4 ? head : x->dims[2];
    s->head_step = x->rank == 4 ? head * s->steps : head;
    s->batch_step = s->heads * s->steps * head;
    s->positions = call->in[2]->dims[0];
    s->rotation = bp_cpu_rotation_of(BP_DTYPE_F32, bp_cpu_int(call->node, "interleaved", 0) != 0);
    s->slices = bp_cpu_slices(call, bp_cpu_count(x), 2);
    if (s->slices > s->batches * s->steps)
        s->slices = s->batches * s->steps > 0 ? (uint32_t)(s->batches * s->steps) : 1;
    return check(call, s, err);
}

/* The position of a token: given, or counted from the first. */
static int64_t position(const struct job *job, int64_t token)
{
    return job->has_all_ids ? job->ids[token] : job->ids[0] + token % job->state->steps;
}

/* Tokens are shared out to the threads. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t tokens = s->batches * s->steps, n = s->slices;
    int64_t end = tokens / n * (i + 1) + tokens % n * (i + 1) / n;

    (void)worker;
    for (int64_t t = tokens / n * i + tokens % n * i / n; t < end; t++) {
        size_t angles = (size_t)position(job, t) * s->half;
        int64_t at = t / s->steps * s->batch_step + t % s->steps * s->row_step;

        for (int64_t h = 0; h < s->heads; h++, at += s->head_step)
            bp_cpu_rotate(s->rotation, job->y + at, job->x + at, s->head, s->half,
                          job->cosines + angles, job->sines + angles);
    }
}

/* position_ids come with the data: all are checked against the caches. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    struct job job = {s,
                      bp_cpu_data(call->in[0]),
                      bp_cpu_data(call->in[2]),
                      bp_cpu_data(call->in[3]),
                      bp_cpu_data(call->in[1]),
                      false,
                      bp_cpu_data(call->out[0])};

    if (bp_cpu_count(call->in[0]) == 0)
        return BP_OK;
    job.has_all_ids = bp_cpu_count(call->in[1]) == s->batches * s->steps;
    for (int64_t t = 0; t < s->batches * s->steps; t++) {
        int64_t at = job.has_all_ids ? job.ids[t] : job.ids[0];

        if (at < 0 || at >= s->positions || position(&job, t) >= s->positions)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "position %lld is outside of the caches, which have %lld",
                               (long long)at, (long long)s->positions);
    }
    bp_cpu_parallel(call, s->slices, slice, &job);
    return BP_OK;
}

static const struct bp_cpu_wide wide = {prepare, run};

/* A scale other than 1 and packed batches are not implemented. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    float scale = bp_node_float(query->graph, query->node, "scale", 1);

    if (scale < 1 || scale > 1)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "scale", "only a scale of 1 is implemented");
    else if (bp_node_int(query->graph, query->node, "is_packed_batching", 0) != 0)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "is_packed_batching",
                      "packed batches are not implemented");
    else
        bp_cpu_claim_types(op, query);
}

const struct bp_cpu_op bp_cpu_op_ms_rotary_embedding = {
    .name = "RotaryEmbedding",
    .domain = "com.microsoft",
    .since = 1,
    .loops = &wide,
    .claim = claim,
    .types = BP_CPU_FLOATS & ~(UINT64_C(1) << BP_DTYPE_F64),
    .prepare = bp_cpu_widen_prepare,
    .run = bp_cpu_widen_run,
};
