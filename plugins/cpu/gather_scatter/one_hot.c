/* SPDX-License-Identifier: MIT */
/*
 * one_hot.c - OneHot (ai.onnx, opsets 9, 11, 28).
 *
 * Y[outer][d][inner] = d == indices[outer][inner] ? values[1] : values[0], for d = 0..depth-1
 *
 * Y has the rank of the indices plus 1; the new dimension is at `axis` (default -1, the last).
 * Indices of any number type count from the back when they are negative; outside of -depth..depth-1
 * all of Y is values[0]. Version 11 says what negative indices mean. Types of values: all of 8 bits
 * and more.
 *
 * Y is filled with the off value first, then the on values are put in: two passes of stores are
 * cheaper than a comparison for each element.
 */

#include "kernels/cast/cast.h"
#include "kernels/fill.h"
#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"

enum { CHUNK = 256 }; /* indices that are cast to int64 at once */

struct state {
    int64_t outer, depth, inner;
    size_t width; /* of a value */
    bp_cpu_unary_loop cast;
    bool wraps; /* uint64 indices: negative int64 ones are too large, not negative */
    uint32_t slices;
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const char *indices, *off;
    char *out;
    size_t index_width;
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *indices = call->in[0], *y = call->out[0];
    struct state *state;
    uint32_t axis;
    bp_rc rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", -1), indices->rank + 1, &axis, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof *state, err);
    if (rc < 0)
        return rc;
    state = call->state;
    state->cast = bp_cpu_cast_loop(indices->dtype, BP_DTYPE_I64);
    state->wraps = indices->dtype == BP_DTYPE_U64;
    state->width = bp_cpu_width(y->dtype);
    state->outer = bp_dims_count(indices->dims, axis);
    state->inner = bp_dims_count(indices->dims + axis, indices->rank - axis);
    state->depth = y->rank == indices->rank + 1 ? y->dims[axis] : -1;
    if (state->depth < 0 || bp_cpu_count(y) != state->outer * state->depth * state->inner ||
        bp_cpu_count(call->in[2]) != 2)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output does not fit the indices");
    state->slices = bp_cpu_slices(call, bp_cpu_count(y), 1);
    if (state->slices > state->outer)
        state->slices = state->outer > 0 ? (uint32_t)state->outer : 1;
    return BP_OK;
}

/* Writes the on values of one block of Y, which is depth x inner elements. */
static void put_on_values(const struct job *job, int64_t outer)
{
    const struct state *s = job->state;
    const struct bp_cpu_params none = {0};
    const char *from = job->indices + (size_t)(outer * s->inner) * job->index_width;
    char *block = job->out + (size_t)(outer * s->depth * s->inner) * s->width;
    int64_t at[CHUNK];

    for (int64_t column = 0; column < s->inner; column += CHUNK) {
        int64_t n = s->inner - column < CHUNK ? s->inner - column : CHUNK;

        s->cast(at, from + (size_t)column * job->index_width, (size_t)n, &none);
        for (int64_t i = 0; i < n; i++) {
            int64_t position = at[i] < 0 && !s->wraps ? at[i] + s->depth : at[i];

            if (position >= 0 && position < s->depth)
                memcpy(block + (size_t)(position * s->inner + column + i) * s->width,
                       job->off + s->width, s->width);
        }
    }
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t from = s->outer * i / s->slices, to = s->outer * (i + 1) / s->slices;
    size_t block = (size_t)(s->depth * s->inner);

    (void)worker;
    bp_cpu_fill(job->out + (size_t)from * block * s->width, job->off, s->width,
                (size_t)(to - from) * block);
    for (; from < to; from++)
        put_on_values(job, from);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    struct job job = {.state = state, .index_width = bp_cpu_width(call->in[0]->dtype)};

    (void)err;
    if (bp_cpu_count(call->out[0]) == 0)
        return BP_OK;
    job.indices = bp_cpu_data(call->in[0]);
    job.off = bp_cpu_data(call->in[2]);
    job.out = bp_cpu_data(call->out[0]);
    bp_cpu_parallel(call, state->slices, slice, &job);
    return BP_OK;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *indices = bp_node_in(query->graph, query->node, 0);
    const bp_value *values = bp_node_in(query->graph, query->node, 2);

    if (!indices || !bp_cpu_cast_loop(indices->dtype, BP_DTYPE_I64))
        bp_cpu_refuse_dtype(query, 0);
    else if (!values || values->dtype >= BP_DTYPE_END || !(op->types >> values->dtype & 1))
        bp_cpu_refuse_dtype(query, 2);
    else
        bp_accept(query->claims, query->index);
}

const struct bp_cpu_op bp_cpu_op_one_hot = {
    .name = "OneHot",
    .since = 9,
    .types = BP_CPU_MOVABLE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
