/* SPDX-License-Identifier: MIT */
/* sub_byte.c - see sub_byte.h. */

#include "kernels/cast/sub_byte.h"

#include "kernels/cast/low_precision.h"
#include "kernels/tensor_data.h"

#include <stddef.h>

/* A packed tensor and the tensor of bytes that the operator sees instead. */
struct pair {
    bp_tensor bytes;
    bp_tensor *packed;
    uint32_t dtype;             /* of `packed`; only its width matters, as codes are moved */
    bool is_output, is_dynamic; /* dynamic: the operator allocates it at run time */
    size_t at;                  /* of bytes in the scratch */
};

struct state {
    const struct bp_cpu_mover *op;
    struct bp_cpu_call *outer;
    struct bp_cpu_call inner; /* what the operator sees; its state is this one's neighbour */
    uint32_t n_pairs;
    struct pair *pairs;
};

/* alloc() gets nothing but the inner call, so that the state is found from its address. */
static struct state *state_of(struct bp_cpu_call *inner)
{
    return (struct state *)(void *)((char *)inner - offsetof(struct state, inner));
}

static bp_rc alloc(struct bp_cpu_call *inner, uint32_t out, uint32_t rank, const int64_t *dims,
                   bp_err *err)
{
    struct state *state = state_of(inner);
    bp_tensor *tensor = inner->out[out];
    bp_rc rc = bp_cpu_alloc_output(state->outer, out, rank, dims, err);

    inner->run_memory = state->outer->run_memory;
    for (uint32_t i = 0; i < state->n_pairs && rc >= 0; i++) {
        struct pair *pair = &state->pairs[i];

        if (&pair->bytes != tensor)
            continue;
        tensor->rank = rank;
        tensor->dims = pair->packed->dims;
        tensor->bytes = (size_t)bp_cpu_count(pair->packed);
        tensor->base = bp_cpu_run_memory(inner, tensor->bytes);
        if (!tensor->base)
            rc = bp_cpu_fail(inner->node, err, BP_E_NOMEM, "no memory for %zu unpacked elements",
                             tensor->bytes);
    }
    state->outer->run_memory = inner->run_memory;
    return rc;
}

/*
 * Replaces *slot by a tensor of bytes when its type is packed; *at advances by their size in the
 * scratch.
 */
static bp_rc add_pair(struct bp_cpu_call *call, struct state *state, bp_tensor **slot,
                      uint32_t dtype, bool is_output, size_t *at, bp_err *err)
{
    struct pair *pair = &state->pairs[state->n_pairs];
    size_t n = 0;

    if (!*slot || !bp_cpu_is_packed(dtype))
        return BP_OK;
    *pair = (struct pair){.bytes = **slot, .packed = *slot, .dtype = dtype, .at = *at};
    pair->is_output = is_output;
    pair->is_dynamic = (*slot)->rank == BP_RANK_UNKNOWN;
    if (!pair->is_dynamic)
        n = (size_t)bp_cpu_count(*slot);
    if (__builtin_add_overflow(*at, n / 64 * 64 + 64, at))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "a tensor is too large to unpack");
    pair->bytes.dtype = BP_DTYPE_U8;
    pair->bytes.bytes = n;
    pair->bytes.offset = 0;
    *slot = &pair->bytes;
    state->n_pairs++;
    return BP_OK;
}

/*
 * The type of input or output i; taken from the graph, because a dynamic output has no tensor type
 * yet.
 */
static uint32_t dtype_of(const struct bp_cpu_call *call, uint32_t i)
{
    const struct bp_cpu_node *node = call->node;
    const bp_value *value = i < call->n_in ? bp_node_in(node->graph, node->node, i)
                                           : bp_node_out(node->graph, node->node, i - call->n_in);

    return value ? value->dtype : BP_DTYPE_NONE;
}

static bp_rc replace_packed(struct bp_cpu_call *call, struct state *state, size_t *at, bp_err *err)
{
    uint32_t n = call->n_in + call->n_out;
    bp_tensor **ends = bp_cpu_call_memory(call, n * sizeof *ends);
    bp_rc rc = BP_OK;

    state->pairs = bp_cpu_call_memory(call, n * sizeof *state->pairs);
    if (!ends || !state->pairs)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for %u tensors", n);
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        ends[i] = i < call->n_in ? call->in[i] : call->out[i - call->n_in];
        rc = add_pair(call, state, &ends[i], dtype_of(call, i), i >= call->n_in, at, err);
    }
    state->inner = *call;
    state->inner.in = ends;
    state->inner.out = ends + call->n_in;
    state->inner.alloc = alloc;
    return rc;
}

bp_rc bp_cpu_sub_byte_prepare(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_mover *op = call->node->op->loops;
    bool is_packed = false;
    struct state *state;
    size_t at = 0;
    bp_rc rc;

    for (uint32_t i = 0; i < call->n_in + call->n_out; i++)
        is_packed = is_packed || bp_cpu_is_packed(dtype_of(call, i));
    if (!is_packed)
        return op->prepare ? op->prepare(call, err) : BP_OK;
    rc = bp_cpu_state(call, sizeof *state, err);
    if (rc < 0)
        return rc;
    state = call->state;
    state->op = op;
    state->outer = call;
    rc = replace_packed(call, state, &at, err);
    if (rc < 0)
        return rc;
    state->inner.state = NULL;
    if (op->prepare)
        rc = op->prepare(&state->inner, err);
    if (rc < 0)
        return rc;
    /* the operator's own scratch comes first */
    for (uint32_t i = 0; i < state->n_pairs; i++)
        state->pairs[i].at += state->inner.scratch_bytes / 64 * 64 + 64;
    if (__builtin_add_overflow(at, state->inner.scratch_bytes / 64 * 64 + 64, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the tensors are too large to unpack");
    return BP_OK;
}

/*
 * The elements of one pair, shared among threads; slices begin at multiples of 64 elements, thus at
 * whole bytes.
 */
struct job {
    const struct pair *pair;
    int64_t count;
    uint32_t slices;
};

static void convert_slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct pair *pair = job->pair;
    size_t from = (size_t)bp_cpu_slice_at(job->count, i, job->slices);
    size_t n = (size_t)bp_cpu_slice_at(job->count, i + 1, job->slices) - from;
    uint8_t *bytes = (uint8_t *)bp_tensor_data(&pair->bytes) + from;
    /* codes are moved, whatever they stand for */
    uint32_t codes = bp_dtype_width(pair->dtype) == 2 ? BP_DTYPE_U2 : BP_DTYPE_U4;

    (void)worker;
    if (pair->is_output)
        bp_cpu_low_precision_store(codes, bp_tensor_data(pair->packed), bytes, from, n,
                                   (struct bp_cpu_rounding){0});
    else
        bp_cpu_low_precision_load(codes, bytes, bp_tensor_data(pair->packed), from, n);
}

static void convert(const struct bp_cpu_call *call, const struct pair *pair)
{
    struct job job = {.pair = pair, .count = bp_cpu_count(pair->packed)};

    job.slices = bp_cpu_slices(call, job.count, 1);
    if (job.count > 0)
        bp_cpu_parallel(call, job.slices, convert_slice, &job);
}

static bp_rc run_unpacked(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    bp_rc rc;

    state->inner.scratch = call->scratch;
    state->inner.run_memory = call->run_memory;
    for (uint32_t i = 0; i < state->n_pairs; i++) {
        struct pair *pair = &state->pairs[i];

        if (!pair->is_dynamic)
            pair->bytes.base = (char *)call->scratch + pair->at;
        if (!pair->is_output)
            convert(call, pair);
    }
    rc = state->op->run(&state->inner, err);
    call->run_memory = state->inner.run_memory;
    for (uint32_t i = 0; i < state->n_pairs && rc >= 0; i++) {
        if (state->pairs[i].is_output)
            convert(call, &state->pairs[i]);
    }
    return rc;
}

bp_rc bp_cpu_sub_byte_run(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_mover *op = call->node->op->loops;

    for (uint32_t i = 0; i < call->n_in + call->n_out; i++) {
        if (bp_cpu_is_packed(dtype_of(call, i)))
            return run_unpacked(call, err);
    }
    return op->run(call, err);
}

void bp_cpu_sub_byte_fill(uint32_t dtype, void *to, const void *element, size_t n)
{
    uint32_t bits = bp_dtype_width(dtype), byte = *(const uint8_t *)element & ((1u << bits) - 1);
    size_t whole = n / (8 / bits), rest = n % (8 / bits);

    for (uint32_t at = bits; at < 8; at *= 2)
        byte |= byte << at;
    memset(to, (int)byte, whole);
    if (rest > 0)
        ((uint8_t *)to)[whole] = (uint8_t)(byte & ((1u << rest * bits) - 1));
}
