/* SPDX-License-Identifier: MIT */
/*
 * gather.c - Gather (ai.onnx, opsets 1, 11, 13).
 *
 * Y[outer][i..][inner] = X[outer][indices[i..]][inner]
 *
 * X has rank r >= 1 and `axis` (default 0) splits it into outer, axis and inner dimensions; indices
 * of rank q are int32 or int64 in -dim..dim-1. Y has rank q + r - 1. Version 11 allows a negative
 * axis. Types: all of 8 bits and more.
 */

#include "kernels/runtime_shape.h"

struct state {
    size_t inner;  /* bytes of a slice: of the dimensions after the axis */
    int64_t outer; /* product of the dimensions before the axis */
    int64_t dim;   /* size along the axis */
    int64_t n;     /* number of indices */
    uint32_t slices;
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const char *data;
    char *out;
    struct bp_cpu_list indices;
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *indices = call->in[1];
    struct state *state;
    uint32_t axis;
    bp_rc rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", 0), x->rank, &axis, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof *state, err);
    if (rc < 0)
        return rc;
    state = call->state;
    state->inner =
        (size_t)bp_dims_count(x->dims + axis + 1, x->rank - axis - 1) * bp_cpu_width(x->dtype);
    state->outer = bp_dims_count(x->dims, axis);
    state->dim = x->dims[axis];
    state->n = bp_cpu_count(indices);
    if (state->inner == 0)
        state->outer = 0;
    state->slices = bp_cpu_slices(call, state->outer * state->n, (int64_t)(state->inner / 4) + 4);
    return BP_OK;
}

/* Index i, counted from the front. */
static inline int64_t index_at(const struct job *job, int64_t i)
{
    int64_t index = bp_cpu_list_at(&job->indices, i);

    return index < 0 ? index + job->state->dim : index;
}

/*
 * Copies slices from..to of the outer * n of Y. Slices of 4 and 8 bytes are copied with a constant
 * size, which the compiler turns into one load and one store.
 */
static void copy(const struct job *job, int64_t from, int64_t to)
{
    const struct state *state = job->state;
    size_t inner = state->inner;
    int64_t i = from % state->n;
    const char *data = job->data + (size_t)(from / state->n) * (size_t)state->dim * inner;
    char *out = job->out + (size_t)from * inner;

    for (int64_t k = from; k < to; k++) {
        const char *at = data + (size_t)index_at(job, i) * inner;

        if (inner == 4)
            memcpy(out, at, 4);
        else if (inner == 8)
            memcpy(out, at, 8);
        else
            memcpy(out, at, inner);
        out += inner;
        if (++i == state->n) {
            i = 0;
            data += (size_t)state->dim * inner;
        }
    }
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    int64_t total = job->state->outer * job->state->n;

    (void)worker;
    copy(job, bp_cpu_slice_at(total, i, job->state->slices),
         bp_cpu_slice_at(total, i + 1, job->state->slices));
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    struct job job = {state, bp_tensor_data(call->in[0]), bp_tensor_data(call->out[0]),
                      bp_cpu_list_input(call, 1)};

    /* Indices are data: all are checked before the threads copy. */
    for (int64_t i = 0; i < state->n; i++) {
        int64_t index = index_at(&job, i);

        if (index < 0 || index >= state->dim) {
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "index %lld, at position %lld, is outside of the axis of size %lld",
                               (long long)bp_cpu_list_at(&job.indices, i), (long long)i,
                               (long long)state->dim);
        }
    }
    if (state->outer * state->n == 0)
        return BP_OK;
    if (state->slices > 1)
        bp_cpu_parallel(call, state->slices, slice, &job);
    else
        copy(&job, 0, state->outer * state->n);
    return BP_OK;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *indices = bp_node_in(query->graph, query->node, 1);

    if (!indices || (indices->dtype != BP_DTYPE_I64 && indices->dtype != BP_DTYPE_I32))
        bp_cpu_refuse_dtype(query, 1);
    else
        bp_cpu_claim_types(op, query);
}

const struct bp_cpu_op bp_cpu_op_gather = {
    .name = "Gather",
    .since = 1,
    .types = BP_CPU_MOVABLE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
