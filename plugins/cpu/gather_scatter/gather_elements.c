/* SPDX-License-Identifier: MIT */
/*
 * gather_elements.c - GatherElements (ai.onnx, opsets 11, 13).
 *
 * Y[i][j][k] = X[i][indices[i][j][k]][k] for axis 1 of rank 3
 *
 * Indices have the rank of X and are no larger than it but along the axis; Y has the shape of the
 * indices. They are int32 or int64 in -dim..dim-1. Types: all of 8 bits and more. The walk is in
 * index_walk.c, the loops in scatter.c.
 */

#include "gather_scatter/scatter.h"
#include "kernels/tensor_data.h"

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = bp_cpu_state(call, sizeof(struct bp_cpu_index_walk), err);

    if (rc < 0)
        return rc;
    if (bp_cpu_count(call->out[0]) != bp_cpu_count(call->in[1]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "the output does not have the shape of the indices");
    return bp_cpu_index_walk_make(call, call->in[0], call->in[1], call->state, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_index_walk *walk = call->state;
    struct bp_cpu_index_walk_job job = {.walk = walk};
    bp_rc rc;

    job.indices = bp_cpu_list_input(call, 1);
    rc = bp_cpu_index_walk_check(call, &job.indices, walk->size, err);
    if (rc < 0)
        return rc;
    job.width = bp_cpu_width(call->in[0]->dtype);
    job.fn = bp_cpu_gather_copy(job.width);
    job.data = bp_cpu_data(call->in[0]);
    job.other = bp_cpu_data(call->out[0]);
    bp_cpu_index_walk_run(call, &job, false);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_gather_elements = {
    .name = "GatherElements",
    .since = 11,
    .types = BP_CPU_MOVABLE,
    .claim = bp_cpu_claim_combine,
    .prepare = prepare,
    .run = run,
};
