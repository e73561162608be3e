/* SPDX-License-Identifier: MIT */
/*
 * tensor_scatter.c - TensorScatter (ai.onnx, opset 24): the update of a key/value cache.
 *
 * Y = past_cache, then Y[b]..[(write_indices[b] + t) % size].. = update[b]..[t]..
 *
 * The update is as large as the cache but along `axis` (default -2), where it has n <= size
 * entries. Input 2, int64 write_indices, has a value for each batch; absent it is 0. Mode linear
 * requires write_indices[b] + n <= size, circular goes on at the start. Types: all; those below 8
 * bits are unpacked around the call.
 */

#include "kernels/cast/sub_byte.h"
#include "kernels/strided.h"
#include "kernels/tensor_data.h"

struct state {
    struct bp_cpu_strided copy; /* the cache to Y */
    bool is_circular;
    int64_t batches, outer; /* outer: product of the dimensions between batch and axis */
    int64_t size, n;        /* entries along the axis of the cache and of the update */
    size_t entry;           /* bytes of the dimensions after the axis */
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *cache = call->in[0], *update = call->in[1],
                    *write_indices = bp_cpu_in(call, 2);
    int64_t axis = bp_cpu_int(call->node, "axis", -2), count = bp_cpu_count(cache), stride = 1;
    struct state *state;
    bool fits = update->rank == cache->rank && cache->rank >= 2;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    axis = axis < 0 ? axis + cache->rank : axis;
    fits = fits && axis > 0 && axis < cache->rank && bp_cpu_count(call->out[0]) == count;
    for (uint32_t d = 0; fits && d < cache->rank; d++)
        fits = d == axis ? update->dims[d] <= cache->dims[d] : update->dims[d] == cache->dims[d];
    if (!fits || (write_indices && bp_cpu_count(write_indices) != cache->dims[0]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the update does not fit the cache");
    state->is_circular =
        bp_node_string_is(call->node->graph, call->node->node, "mode", "linear", "circular");
    state->batches = cache->dims[0];
    state->outer = bp_dims_count(cache->dims + 1, (uint32_t)axis - 1);
    state->size = cache->dims[axis];
    state->n = update->dims[axis];
    state->entry = (size_t)bp_dims_count(cache->dims + axis + 1, cache->rank - (uint32_t)axis - 1) *
                   bp_cpu_width(cache->dtype);
    bp_cpu_strided_make(call, bp_cpu_width(cache->dtype), 1, &count, &stride, &state->copy);
    return BP_OK;
}

/* Write indices are data: all are checked before the first byte is written. */
static bp_rc check_write_indices(const struct bp_cpu_call *call, const int64_t *write_indices,
                                 bp_err *err)
{
    const struct state *state = call->state;

    for (int64_t i = 0; write_indices && i < state->batches; i++) {
        int64_t most = state->is_circular ? INT64_MAX : state->size - state->n;

        if (write_indices[i] < 0 || write_indices[i] > most)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "write_indices has %lld at batch %lld, but the axis has size %lld",
                               (long long)write_indices[i], (long long)i, (long long)state->size);
    }
    return BP_OK;
}

/*
 * Copies the n entries of an update to `position` of one row, the rest of them to its start (mode
 * circular).
 */
static void write_row(const struct state *state, char *row, const char *update, int64_t position)
{
    int64_t before_end = state->size - position;
    int64_t n = state->n < before_end ? state->n : before_end;

    memcpy(row + (size_t)position * state->entry, update, (size_t)n * state->entry);
    memcpy(row, update + (size_t)n * state->entry, (size_t)(state->n - n) * state->entry);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const int64_t *write_indices = bp_cpu_in(call, 2) ? bp_cpu_data(call->in[2]) : NULL;
    char *row = bp_cpu_data(call->out[0]);
    const char *update = bp_cpu_data(call->in[1]);
    bp_rc rc = check_write_indices(call, write_indices, err);

    if (rc < 0)
        return rc;
    bp_cpu_strided_run(call, &state->copy, bp_cpu_data(call->in[0]), row);
    if (state->n == 0 || state->entry == 0)
        return BP_OK;
    for (int64_t b = 0; b < state->batches; b++) {
        for (int64_t i = 0; i < state->outer; i++) {
            write_row(state, row, update, write_indices ? write_indices[b] % state->size : 0);
            row += (size_t)state->size * state->entry;
            update += (size_t)state->n * state->entry;
        }
    }
    return BP_OK;
}

static const struct bp_cpu_mover mover = {prepare, run};

const struct bp_cpu_op bp_cpu_op_tensor_scatter = {
    .name = "TensorScatter",
    .since = 24,
    .loops = &mover,
    .types = BP_CPU_ANY_TYPE,
    .prepare = bp_cpu_sub_byte_prepare,
    .run = bp_cpu_sub_byte_run,
};
