/* SPDX-License-Identifier: MIT */
/*
 * scatter_elements.c - ScatterElements (ai.onnx, opsets 11, 13, 16, 18) and Scatter (9, 11), its
 * deprecated name.
 *
 * Y = X, then Y[i][indices[i][j][k]][k] = updates[i][j][k] for axis 1 of rank 3
 *
 * Updates have the shape of the indices (int32 or int64). From 16 on `reduction` adds or multiplies
 * instead, from 18 on max and min too. Several updates of one element are applied in the order of
 * the indices. Types: all of 8 bits and more; reductions: number types.
 */

#include "gather_scatter/scatter.h"
#include "kernels/strided.h"
#include "kernels/tensor_data.h"

struct state {
    struct bp_cpu_index_walk walk;
    struct bp_cpu_strided copy; /* X to Y */
    bp_cpu_index_walk_fn fn;
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *data = call->in[0];
    int64_t count = bp_cpu_count(data), stride = 1;
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    if (bp_cpu_count(call->out[0]) != count ||
        bp_cpu_count(call->in[2]) != bp_cpu_count(call->in[1]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "updates do not have the shape of the indices");
    state->fn =
        bp_cpu_scatter_copy(bp_cpu_combine_of(call->node->graph, call->node->node), data->dtype);
    bp_cpu_strided_make(call, bp_cpu_width(data->dtype), 1, &count, &stride, &state->copy);
    return bp_cpu_index_walk_make(call, data, call->in[1], &state->walk, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    struct bp_cpu_index_walk_job job = {.walk = &state->walk, .fn = state->fn};
    bp_rc rc;

    job.indices = bp_cpu_list_input(call, 1);
    rc = bp_cpu_index_walk_check(call, &job.indices, state->walk.size, err);
    if (rc < 0)
        return rc;
    job.width = bp_cpu_width(call->in[0]->dtype);
    job.data = bp_cpu_data(call->out[0]);
    job.other = bp_cpu_data(call->in[2]);
    bp_cpu_strided_run(call, &state->copy, bp_cpu_data(call->in[0]), job.data);
    bp_cpu_index_walk_run(call, &job, true);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_scatter = {
    .name = "Scatter",
    .since = 9,
    .types = BP_CPU_MOVABLE,
    .claim = bp_cpu_claim_combine,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_scatter_elements = {
    .name = "ScatterElements",
    .since = 11,
    .types = BP_CPU_MOVABLE,
    .claim = bp_cpu_claim_combine,
    .prepare = prepare,
    .run = run,
};
