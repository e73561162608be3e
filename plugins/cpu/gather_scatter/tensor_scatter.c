/* SPDX-License-Identifier: MIT */
/*
 * tensor_scatter.c - TensorScatter (opset 24): the cache with an update written along an axis, for
 * each batch from its own place on; mode circular begins again at the end.
 */

#include "kernels/cast/sub_byte.h"
#include "kernels/strided.h"
#include "kernels/tensor_data.h"

struct state {
    struct bp_cpu_strided copy; /* of the cache */
    bool is_circular;
    int64_t batches, outer; /* outer: rows of the axis in each batch */
    int64_t size, n;        /* entries along the axis of the cache and of the update */
    size_t entry;           /* bytes */
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *cache = call->in[0], *update = call->in[1], *places = bp_cpu_in(call, 2);
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
    if (!fits || (places && bp_cpu_count(places) != cache->dims[0]))
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

static bp_rc check_places(const struct bp_cpu_call *call, const int64_t *places, bp_err *err)
{
    const struct state *state = call->state;

    for (int64_t i = 0; places && i < state->batches; i++) {
        int64_t most = state->is_circular ? INT64_MAX : state->size - state->n;

        if (places[i] < 0 || places[i] > most)
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "write_indices has %lld at batch %lld, but the axis has size %lld",
                               (long long)places[i], (long long)i, (long long)state->size);
    }
    return BP_OK;
}

/* An update of one row, from `place` on. */
static void write_row(const struct state *state, char *row, const char *update, int64_t place)
{
    int64_t before_end = state->size - place;
    int64_t n = state->n < before_end ? state->n : before_end;

    memcpy(row + (size_t)place * state->entry, update, (size_t)n * state->entry);
    memcpy(row, update + (size_t)n * state->entry, (size_t)(state->n - n) * state->entry);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const int64_t *places = bp_cpu_in(call, 2) ? bp_cpu_data(call->in[2]) : NULL;
    char *row = bp_cpu_data(call->out[0]);
    const char *update = bp_cpu_data(call->in[1]);
    bp_rc rc = check_places(call, places, err);

    if (rc < 0)
        return rc;
    bp_cpu_strided_run(call, &state->copy, bp_cpu_data(call->in[0]), row);
    if (state->n == 0 || state->entry == 0)
        return BP_OK;
    for (int64_t b = 0; b < state->batches; b++) {
        for (int64_t i = 0; i < state->outer; i++) {
            write_row(state, row, update, places ? places[b] % state->size : 0);
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
