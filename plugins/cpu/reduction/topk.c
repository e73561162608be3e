/* SPDX-License-Identifier: MIT */
/*
 * topk.c - TopK (ai.onnx, opsets 1, 10, 11, 24).
 *
 * The k largest (largest=0: smallest) elements of X along `axis` (default -1), best first, and
 * their indices as int64; of equal elements the one with the smaller index comes first. NaN counts
 * as the largest. k is an attribute in version 1, else input 1. sorted=0 permits any order; the
 * result is sorted all the same. Types: floats and integers.
 *
 * Elements become unsigned keys of the same order (kernels/sort_keys.h). A heap of k items serves
 * small k, in O(n log k); for larger k the whole lane is sorted, in O(n).
 */

#include "kernels/runtime_shape.h"
#include "kernels/sort_keys.h"
#include "kernels/tensor_data.h"

/* X seen as outer x n x inner; a lane is the n elements for one outer and inner index. */
struct state {
    int64_t outer, n, inner, k;
    bool largest, by_heap;
    size_t keys_bytes, worker_bytes; /* of a worker's scratch: its keys, and all of it */
    uint32_t slices;
    bp_cpu_sort_keys_fn keys;
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const char *x;
    char *values;     /* NULL: not wanted */
    int64_t *indices; /* NULL: not wanted */
    char *scratch;
    size_t width;
};

/*
 * Sizes the scratch of a worker: the keys of a lane and its items, twice as many where they are
 * sorted.
 */
static bp_rc state_scratch(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    size_t items = state->by_heap ? (size_t)state->k : 2 * (size_t)state->n, bytes;

    if (__builtin_mul_overflow((size_t)state->n, sizeof(uint64_t), &state->keys_bytes) ||
        __builtin_add_overflow(state->keys_bytes, 63, &state->keys_bytes) ||
        __builtin_mul_overflow(items, sizeof(struct bp_cpu_sort_key), &bytes) ||
        __builtin_add_overflow(bytes, state->keys_bytes + 64, &bytes) ||
        __builtin_mul_overflow(bytes / 64 * 64 + 64, call->width, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "an axis of %lld elements is too long",
                           (long long)state->n);
    state->keys_bytes = state->keys_bytes / 64 * 64;
    state->worker_bytes = bytes;
    return BP_OK;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    const bp_tensor *y = bp_cpu_out(call, 0) ? call->out[0] : call->out[1];
    struct state *state;
    uint32_t axis;
    bp_rc rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", -1), x->rank, &axis, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof *state, err);
    if (rc < 0)
        return rc;
    state = call->state;
    state->outer = bp_dims_count(x->dims, axis);
    state->n = x->dims[axis];
    state->inner = bp_dims_count(x->dims + axis + 1, x->rank - axis - 1);
    state->k = y->rank == x->rank ? y->dims[axis] : -1;
    if (state->k < 0 || state->k > state->n ||
        bp_cpu_count(y) != state->outer * state->k * state->inner)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "%lld elements are wanted of an axis of %lld", (long long)state->k,
                           (long long)state->n);
    state->largest = bp_cpu_int(call->node, "largest", 1) != 0;
    state->by_heap = state->k <= 32 || state->k < state->n / 16;
    state->keys = bp_cpu_sort_keys_of(x->dtype);
    state->slices = bp_cpu_slices(call, bp_cpu_count(x), 8);
    return state_scratch(call, err);
}

/*
 * Leaves the best k elements of a lane in items[0..k-1], in order. Inverted keys make the largest
 * the first.
 */
static void choose(const struct state *s, const char *lane, uint64_t *keys,
                   struct bp_cpu_sort_key *items)
{
    s->keys(lane, s->inner, s->n, keys);
    if (s->largest) {
        for (int64_t i = 0; i < s->n; i++)
            keys[i] = ~keys[i];
    }
    if (s->by_heap) {
        bp_cpu_sort_keys_first(keys, s->n, items, s->k);
        return;
    }
    for (int64_t i = 0; i < s->n; i++)
        items[i] = (struct bp_cpu_sort_key){keys[i], i};
    bp_cpu_sort_keys_sort(items, items + s->n, s->n);
}

/* A slice is a range of lanes. Elements are copied by their width, whatever their type. */
static void run_slice(void *u, uint32_t slice, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    uint64_t *keys = bp_cpu_worker_scratch(job->scratch, worker, s->worker_bytes);
    struct bp_cpu_sort_key *items =
        (struct bp_cpu_sort_key *)(void *)((char *)keys + s->keys_bytes);
    int64_t lanes = s->outer * s->inner, n = s->slices;
    int64_t end = lanes / n * (slice + 1) + lanes % n * (slice + 1) / n;

    for (int64_t i = lanes / n * slice + lanes % n * slice / n; i < end; i++) {
        int64_t outer = i / s->inner, inner = i % s->inner;
        const char *lane = job->x + (size_t)(outer * s->n * s->inner + inner) * job->width;

        choose(s, lane, keys, items);
        for (int64_t k = 0; k < s->k; k++) {
            int64_t to = (outer * s->k + k) * s->inner + inner;

            if (job->values)
                memcpy(job->values + (size_t)to * job->width,
                       lane + (size_t)(items[k].at * s->inner) * job->width, job->width);
            if (job->indices)
                job->indices[to] = items[k].at;
        }
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    struct job job = {.state = state, .width = bp_cpu_width(call->in[0]->dtype)};

    (void)err;
    if (state->outer * state->inner == 0 || state->k == 0)
        return BP_OK;
    job.x = bp_cpu_data(call->in[0]);
    job.values = bp_cpu_out(call, 0) ? bp_cpu_data(call->out[0]) : NULL;
    job.indices = bp_cpu_out(call, 1) ? bp_cpu_data(call->out[1]) : NULL;
    job.scratch = call->scratch;
    bp_cpu_parallel(call, state->slices, run_slice, &job);
    return BP_OK;
}

#define BIT(dtype) UINT64_C(1) << BP_DTYPE_##dtype

const struct bp_cpu_op bp_cpu_op_topk = {
    .name = "TopK",
    .since = 1,
    .types = BP_CPU_FLOATS | BIT(I8) | BIT(I16) | BIT(I32) | BIT(I64) | BIT(U8) | BIT(U16) |
             BIT(U32) | BIT(U64),
    .prepare = prepare,
    .run = run,
};
