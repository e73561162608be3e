/* SPDX-License-Identifier: MIT */
/*
 * widen.c - see widen.h. The scratch of a call is the operator's own, then the widened tensors,
 * each 64-aligned.
 */

#include "kernels/cast/widen.h"
#include "kernels/tensor_data.h"

#include <common/float16.h>

/* A 16-bit tensor and the float32 tensor that the operator sees instead. */
struct pair {
    bp_tensor wide;
    bp_tensor *narrow;
    size_t at; /* of wide's bytes in the scratch */
    bool is_output;
};

struct state {
    const struct bp_cpu_wide *op;
    struct bp_cpu_call inner; /* what the operator sees */
    uint32_t n_pairs;
    struct pair pairs[];
};

/* Constants may lie at any address. */
typedef uint16_t raw16 __attribute__((aligned(1), may_alias));

struct job {
    const struct pair *pair;
    const void *from;
    void *to;
    int64_t count;
    uint32_t slices;
};

static bool is_narrow(const bp_tensor *tensor)
{
    return tensor && (tensor->dtype == BP_DTYPE_F16 || tensor->dtype == BP_DTYPE_BF16);
}

static void widen(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const raw16 *from = job->from;
    float *to = job->to;
    int64_t end = bp_cpu_slice_at(job->count, i + 1, job->slices);

    (void)worker;
    if (job->pair->narrow->dtype == BP_DTYPE_F16) {
        for (int64_t k = bp_cpu_slice_at(job->count, i, job->slices); k < end; k++)
            to[k] = bp_f16_load(from[k]);
    } else {
        for (int64_t k = bp_cpu_slice_at(job->count, i, job->slices); k < end; k++)
            to[k] = bp_bf16_load(from[k]);
    }
}

static void narrow(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const float *from = job->from;
    uint16_t *to = job->to;
    int64_t end = bp_cpu_slice_at(job->count, i + 1, job->slices);

    (void)worker;
    if (job->pair->narrow->dtype == BP_DTYPE_F16) {
        for (int64_t k = bp_cpu_slice_at(job->count, i, job->slices); k < end; k++)
            to[k] = bp_f16_store(from[k]);
    } else {
        for (int64_t k = bp_cpu_slice_at(job->count, i, job->slices); k < end; k++)
            to[k] = bp_bf16_store(from[k]);
    }
}

/*
 * Replaces *slot by a float32 tensor when its type has 16 bits; *at advances by its size in the
 * scratch.
 */
static bp_rc add_pair(struct bp_cpu_call *call, struct state *state, bp_tensor **slot,
                      bool is_output, size_t *at, bp_err *err)
{
    struct pair *pair = &state->pairs[state->n_pairs];
    size_t bytes;

    if (!is_narrow(*slot))
        return BP_OK;
    if ((*slot)->rank == BP_RANK_UNKNOWN)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "a shape is not known before the run");
    if (__builtin_mul_overflow((size_t)bp_cpu_count(*slot), sizeof(float), &bytes) ||
        __builtin_add_overflow(*at, bytes / 64 * 64 + 64, at))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "a tensor is too large for float32");
    pair->wide = **slot;
    pair->wide.dtype = BP_DTYPE_F32;
    pair->wide.bytes = bytes;
    pair->wide.offset = 0;
    pair->narrow = *slot;
    pair->at = *at - (bytes / 64 * 64 + 64);
    pair->is_output = is_output;
    *slot = &pair->wide;
    state->n_pairs++;
    return BP_OK;
}

bp_rc bp_cpu_widen_prepare(struct bp_cpu_call *call, bp_err *err)
{
    uint32_t n = call->n_in + call->n_out;
    size_t at = 0, head = sizeof(struct state) + n * sizeof(struct pair);
    struct state *state;
    bp_tensor **ends;
    bp_rc rc = bp_cpu_state(call, head + n * sizeof *ends, err);

    if (rc < 0)
        return rc;
    state = call->state;
    ends = (bp_tensor **)(void *)((char *)call->state + head);
    state->op = call->node->op->loops;
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        ends[i] = i < call->n_in ? call->in[i] : call->out[i - call->n_in];
        rc = add_pair(call, state, &ends[i], i >= call->n_in, &at, err);
    }
    if (rc < 0)
        return rc;
    state->inner = *call;
    state->inner.state = NULL;
    state->inner.scratch_bytes = 0;
    state->inner.in = ends;
    state->inner.out = ends + call->n_in;
    if (state->op->prepare)
        rc = state->op->prepare(&state->inner, err);
    if (rc < 0)
        return rc;
    /* the operator's own scratch comes first */
    for (uint32_t i = 0; i < state->n_pairs; i++)
        state->pairs[i].at += state->inner.scratch_bytes / 64 * 64 + 64;
    if (__builtin_add_overflow(at, state->inner.scratch_bytes / 64 * 64 + 64, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the tensors are too large for float32");
    if (state->n_pairs == 0)
        call->scratch_bytes = state->inner.scratch_bytes;
    return BP_OK;
}

static void convert(const struct bp_cpu_call *call, const struct pair *pair)
{
    struct job job = {.pair = pair, .count = bp_cpu_count(pair->narrow)};

    job.slices = bp_cpu_slices(call, job.count, 4);
    if (job.count == 0)
        return;
    job.from = bp_cpu_data(pair->is_output ? &pair->wide : pair->narrow);
    job.to = bp_cpu_data(pair->is_output ? pair->narrow : &pair->wide);
    bp_cpu_parallel(call, job.slices, pair->is_output ? narrow : widen, &job);
}

bp_rc bp_cpu_widen_run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    bp_rc rc;

    state->inner.scratch = call->scratch;
    for (uint32_t i = 0; i < state->n_pairs; i++) {
        struct pair *pair = &state->pairs[i];

        pair->wide.base = (char *)call->scratch + pair->at;
        if (!pair->is_output)
            convert(call, pair);
    }
    rc = state->op->run(&state->inner, err);
    for (uint32_t i = 0; i < state->n_pairs && rc >= 0; i++) {
        if (state->pairs[i].is_output)
            convert(call, &state->pairs[i]);
    }
    return rc;
}
