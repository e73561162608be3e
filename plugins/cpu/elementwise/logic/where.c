/* SPDX-License-Identifier: MIT */
/*
 * where.c - Where (ai.onnx, opsets 9, 16): y = condition ? a : b, with broadcasting of all three
 * inputs.
 *
 * The condition is bool, a and b have one type; version 16 adds bfloat16. Elements are moved by
 * their width, so that five loops serve all types. Types: all of 8 bits and more.
 */

#include <common/broadcast.h>

#include "cpu.h"
#include "kernels/types/loops.h"

#define TEMPLATE "elementwise/logic/where.inc"
#include "kernels/types/width.inc"
#undef TEMPLATE

typedef void (*where_loop)(void *out, const uint8_t *condition, const void *x, const void *y,
                           size_t n, const int64_t *steps);

struct state {
    where_loop loop;
    size_t width;
    int64_t outer;
    int64_t steps
        [BP_BROADCAST_INPUTS]; /* of each input along the innermost dimension: 0 (broadcast) or 1 */
    uint32_t slices;
    struct bp_broadcast broadcast;
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const uint8_t *condition;
    const char *x, *y;
    char *out;
};

static where_loop loop_of(size_t width)
{
    return width == 1   ? where_1
           : width == 2 ? where_2
           : width == 4 ? where_4
           : width == 8 ? where_8
                        : where_16;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *out = call->out[0];
    uint32_t ranks[BP_BROADCAST_INPUTS], last;
    const int64_t *dims[BP_BROADCAST_INPUTS];
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    for (uint32_t k = 0; k < BP_BROADCAST_INPUTS; k++) {
        ranks[k] = call->in[k]->rank;
        dims[k] = call->in[k]->dims;
    }
    if (!bp_broadcast_make(out->rank, out->dims, BP_BROADCAST_INPUTS, ranks, dims,
                           &state->broadcast))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the inputs do not broadcast");
    last = state->broadcast.rank - 1;
    for (uint32_t k = 0; k < BP_BROADCAST_INPUTS; k++)
        state->steps[k] = state->broadcast.strides[k][last];
    state->width = bp_cpu_width(out->dtype);
    state->loop = loop_of(state->width);
    state->outer = state->broadcast.dims[last] > 0 ? 1 : 0;
    for (uint32_t d = 0; d < last; d++)
        state->outer *= state->broadcast.dims[d];
    state->slices = bp_cpu_slices(call, bp_cpu_count(out), 2);
    return BP_OK;
}

/* Runs from..to of the innermost dimension, and of each the elements first..last. */
static void runs(const struct job *job, int64_t from, int64_t to, int64_t first, int64_t last)
{
    const struct state *s = job->state;
    int64_t inner = s->broadcast.dims[s->broadcast.rank - 1];
    struct bp_broadcast_walk walk;

    bp_broadcast_seek(&s->broadcast, from, &walk);
    for (int64_t run = from; run < to && last > first; run++) {
        s->loop(job->out + (size_t)(run * inner + first) * s->width,
                job->condition + walk.at[0] + first * s->steps[0],
                job->x + (size_t)(walk.at[1] + first * s->steps[1]) * s->width,
                job->y + (size_t)(walk.at[2] + first * s->steps[2]) * s->width,
                (size_t)(last - first), s->steps);
        bp_broadcast_next(&s->broadcast, &walk);
    }
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t inner = s->broadcast.dims[s->broadcast.rank - 1];

    (void)worker;
    if (s->outer == 1)
        runs(job, 0, 1, bp_cpu_slice_at(inner, i, s->slices),
             bp_cpu_slice_at(inner, i + 1, s->slices));
    else
        runs(job, s->outer * i / s->slices, s->outer * (i + 1) / s->slices, 0, inner);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    struct job job = {state, bp_tensor_data(call->in[0]), bp_tensor_data(call->in[1]),
                      bp_tensor_data(call->in[2]), bp_tensor_data(call->out[0])};

    (void)err;
    if (state->outer > 0)
        bp_cpu_parallel(call, state->slices, slice, &job);
    return BP_OK;
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *condition = bp_node_in(query->graph, query->node, 0);
    const bp_value *x = bp_node_in(query->graph, query->node, 1);
    const bp_value *y = bp_node_in(query->graph, query->node, 2);

    if (!condition || condition->dtype != BP_DTYPE_BOOL)
        bp_cpu_refuse_dtype(query, 0);
    else if (!x || x->dtype >= BP_DTYPE_END || !(op->types >> x->dtype & 1))
        bp_cpu_refuse_dtype(query, 1);
    else if (!y || y->dtype != x->dtype)
        bp_cpu_refuse_dtype(query, 2);
    else
        bp_accept(query->claims, query->index);
}

const struct bp_cpu_op bp_cpu_op_where = {
    .name = "Where",
    .since = 9,
    .types = BP_CPU_MOVABLE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
