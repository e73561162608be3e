/* SPDX-License-Identifier: MIT */
/*
 * expand.c - Expand (ai.onnx, opsets 8, 13).
 *
 * Y = X broadcast to the shape in input 1, a 1-D int64 tensor. Unlike Reshape's, that shape may be
 * broadcast as well: a size of 1 there keeps the dimension of X, and the ranks may differ. Version
 * 13 adds bfloat16. Types: all of 8 bits and more.
 */

#include "kernels/runtime_shape.h"
#include "kernels/strided.h"

struct state {
    struct bp_cpu_runtime_shape runtime;
    struct bp_cpu_strided copy;
};

/*
 * Writes the shape of Y to dims and *rank, by the rule of multidirectional broadcasting; trailing
 * dimensions align.
 */
static bp_rc output_shape(struct bp_cpu_call *call, int64_t *dims, uint32_t *rank, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct bp_cpu_list shape = bp_cpu_list_input(call, 1);

    if (bp_cpu_list_is_absent(&shape) || shape.n > BP_CPU_MAX_RANK)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "no shape, or one of too many sizes");
    *rank = x->rank > shape.n ? x->rank : (uint32_t)shape.n;
    for (uint32_t d = 0; d < *rank; d++) {
        int64_t have = d + x->rank < *rank ? 1 : x->dims[d + x->rank - *rank];
        int64_t want =
            d + shape.n < *rank ? 1 : bp_cpu_list_at(&shape, d + shape.n - (int64_t)*rank);

        if (want < 0 || (have != want && have != 1 && want != 1)) {
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "size %lld does not broadcast to %lld",
                               (long long)have, (long long)want);
        }
        dims[d] = have == 1 ? want : have;
    }
    return BP_OK;
}

/* Computes the shape and the strides; for prepare when the shape is constant, else for run. */
static bp_rc solve(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    int64_t dims[BP_CPU_MAX_RANK];
    uint32_t rank = 0;
    bp_rc rc = output_shape(call, dims, &rank, err);

    if (rc >= 0)
        rc = bp_cpu_runtime_shape_output(call, rank, dims, err);
    if (rc >= 0)
        rc = bp_cpu_strided_expand(call, call->in[0], rank, dims, &state->copy, err);
    return rc;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = bp_cpu_runtime_shape_state(call, sizeof(struct state), 1, 1, err);

    if (rc >= 0 && !((struct state *)call->state)->runtime.solves_at_run)
        rc = solve(call, err);
    return rc;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    bp_rc rc = state->runtime.solves_at_run ? solve(call, err) : BP_OK;

    if (rc >= 0)
        bp_cpu_strided_run(call, &state->copy, bp_tensor_data(call->in[0]),
                           bp_tensor_data(call->out[0]));
    return rc;
}

const struct bp_cpu_op bp_cpu_op_expand = {
    .name = "Expand",
    .since = 8,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
