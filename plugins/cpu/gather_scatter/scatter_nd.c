/* SPDX-License-Identifier: MIT */
/*
 * scatter_nd.c - ScatterND (ai.onnx, opsets 11, 13, 16, 18).
 *
 * Y = X, then Y[indices[i..][0], indices[i..][1], ...] = updates[i..]
 *
 * The last dimension of the int64 indices is a tuple that names a slice of X. From 16 on
 * `reduction` adds or multiplies instead, from 18 on max and min too. Several updates of one slice
 * are applied in their order: threads therefore share the elements of a slice, at least 64 each,
 * and every thread walks all tuples. Types: all of 8 bits and more; reductions: number types.
 */

#include "gather_scatter/nd_slices.h"
#include "gather_scatter/scatter.h"
#include "kernels/strided.h"
#include "kernels/tensor_data.h"

struct state {
    struct bp_cpu_nd_slices tuples;
    struct bp_cpu_strided copy; /* X to Y */
    bp_cpu_combine_run combine; /* NULL: slices are replaced */
    size_t width;
    uint32_t slices; /* of the work, for the threads */
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const int64_t *indices;
    const char *updates;
    char *out;
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *data = call->in[0];
    int64_t count = bp_cpu_count(data), stride = 1, most;
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    rc = bp_cpu_nd_slices_make(call, data, call->in[1], 0, &state->tuples, err);
    if (rc < 0)
        return rc;
    if (bp_cpu_count(call->out[0]) != count ||
        bp_cpu_count(call->in[2]) != state->tuples.count * state->tuples.inner)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "updates do not fit indices and data");
    state->width = bp_cpu_width(data->dtype);
    state->combine =
        bp_cpu_combine_run_of(bp_cpu_combine_of(call->node->graph, call->node->node), data->dtype);
    bp_cpu_strided_make(call, state->width, 1, &count, &stride, &state->copy);
    most = state->tuples.inner / 64;
    state->slices = bp_cpu_slices(call, bp_cpu_count(call->in[2]), 2);
    if (state->slices > most)
        state->slices = most > 0 ? (uint32_t)most : 1;
    return BP_OK;
}

/* Applies all updates to one range of the elements of every slice. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *state = job->state;
    int64_t inner = state->tuples.inner, first = bp_cpu_slice_at(inner, i, state->slices);
    int64_t n = bp_cpu_slice_at(inner, i + 1, state->slices) - first;
    size_t row = (size_t)inner * state->width, skip = (size_t)first * state->width;

    (void)worker;
    for (int64_t k = 0; k < state->tuples.count; k++) {
        int64_t at = bp_cpu_nd_slices_at(&state->tuples, job->indices, k);
        char *to = job->out + (size_t)at * row + skip;
        const char *from = job->updates + (size_t)k * row + skip;

        if (state->combine)
            state->combine(to, from, n);
        else
            memcpy(to, from, (size_t)n * state->width);
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    struct job job = {state, bp_cpu_data(call->in[1]), bp_cpu_data(call->in[2]),
                      bp_cpu_data(call->out[0])};
    bp_rc rc = bp_cpu_nd_slices_check(call, &state->tuples, job.indices, err);

    if (rc < 0)
        return rc;
    bp_cpu_strided_run(call, &state->copy, bp_cpu_data(call->in[0]), job.out);
    if (state->tuples.inner > 0)
        bp_cpu_parallel(call, state->slices, slice, &job);
    return BP_OK;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *indices = bp_node_in(query->graph, query->node, 1);

    if (!indices || indices->dtype != BP_DTYPE_I64)
        bp_cpu_refuse_dtype(query, 1);
    else
        bp_cpu_claim_combine(op, query);
}

const struct bp_cpu_op bp_cpu_op_scatter_nd = {
    .name = "ScatterND",
    .since = 11,
    .types = BP_CPU_MOVABLE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
