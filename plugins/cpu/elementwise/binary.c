/* SPDX-License-Identifier: MIT */
/*
 * binary.c - the driver of operators y = f(a, b) with broadcasting.
 *
 * bp_broadcast_make() merges dimensions, so that one innermost run is left in which each input is
 * either contiguous or a single element, and outer dimensions that are walked with strides. A loop
 * is called for each run. Threads share the runs, or parts of runs where there are few.
 */

#include "elementwise/binary.h"

/* What the threads of one run share. */
struct job {
    const struct bp_cpu_spread *spread;
    const char *a, *b;
    char *out;
};

/* Elements from..to of a run, whose inputs begin at a and b. A scalar input stays where it is. */
static void part_of_run(const struct bp_cpu_spread *spread, const char *a, const char *b, char *out,
                        int64_t from, int64_t to)
{
    size_t at = (size_t)from;

    if (spread->kind != BP_CPU_SCALAR_A)
        a += at * spread->a_width;
    if (spread->kind != BP_CPU_SCALAR_B)
        b += at * spread->b_width;
    if (to > from)
        spread->loop(out + at * spread->out_width, a, b, (size_t)(to - from), spread->kind);
}

/* Runs from..to, and of each the elements first..last. */
static void runs(const struct job *job, int64_t from, int64_t to, int64_t first, int64_t last)
{
    const struct bp_cpu_spread *spread = job->spread;
    size_t step = (size_t)spread->inner * spread->out_width;
    char *out = job->out + (size_t)from * step;
    struct bp_broadcast_walk walk;

    bp_broadcast_seek(spread->broadcast, from, &walk);
    for (int64_t run = from; run < to; run++) {
        part_of_run(spread, job->a + (size_t)walk.at[0] * spread->a_width,
                    job->b + (size_t)walk.at[1] * spread->b_width, out, first, last);
        out += step;
        bp_broadcast_next(spread->broadcast, &walk);
    }
}

/* Without a broadcast a slice is a range of elements; else of runs, or a part of one run. */
static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_spread *spread = job->spread;

    (void)worker;
    if (!spread->broadcast) {
        part_of_run(spread, job->a, job->b, job->out,
                    bp_cpu_slice_at(spread->inner, i, spread->slices),
                    bp_cpu_slice_at(spread->inner, i + 1, spread->slices));
    } else if (spread->run_parts > 1) {
        uint32_t part = i % spread->run_parts;
        int64_t run = i / spread->run_parts;

        runs(job, run, run + 1, bp_cpu_slice_at(spread->inner, part, spread->run_parts),
             bp_cpu_slice_at(spread->inner, part + 1, spread->run_parts));
    } else {
        runs(job, spread->outer * i / spread->slices, spread->outer * (i + 1) / spread->slices, 0,
             spread->inner);
    }
}

bp_rc bp_cpu_spread_make(struct bp_cpu_call *call, bp_cpu_binary_loop loop, int64_t cost,
                         const bp_tensor *a, const bp_tensor *b, const bp_tensor *out,
                         struct bp_cpu_spread *spread, bp_err *err)
{
    struct bp_broadcast broadcast, *kept;
    uint32_t last, ranks[] = {a->rank, b->rank};
    const int64_t *dims[] = {a->dims, b->dims};
    int64_t elements = bp_cpu_count(out);

    if (!bp_broadcast_make(out->rank, out->dims, 2, ranks, dims, &broadcast))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the inputs do not broadcast");
    last = broadcast.rank - 1;
    /*
     * The innermost dimension comes from one of the inputs, unless the output was given a larger
     * shape.
     */
    if (broadcast.strides[0][last] == 0 && broadcast.strides[1][last] == 0)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output is larger than its inputs");
    *spread = (struct bp_cpu_spread){.loop = loop,
                                     .a_width = bp_cpu_width(a->dtype),
                                     .b_width = bp_cpu_width(b->dtype),
                                     .out_width = bp_cpu_width(out->dtype),
                                     .outer = 1,
                                     .inner = broadcast.dims[last],
                                     .kind = BP_CPU_BOTH,
                                     .run_parts = 1};
    if (broadcast.strides[0][last] == 0)
        spread->kind = BP_CPU_SCALAR_A;
    else if (broadcast.strides[1][last] == 0)
        spread->kind = BP_CPU_SCALAR_B;
    for (uint32_t d = 0; d < last; d++)
        spread->outer *= broadcast.dims[d];
    spread->slices = bp_cpu_slices(call, elements, cost);
    if (spread->outer < spread->slices && broadcast.rank > 1) {
        spread->run_parts = spread->slices / (uint32_t)spread->outer;
        spread->slices = spread->run_parts * (uint32_t)spread->outer;
    }
    if (broadcast.rank == 1)
        return BP_OK;
    kept = bp_cpu_call_memory(call, sizeof *kept);
    if (!kept)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for its broadcasting");
    *kept = broadcast;
    spread->broadcast = kept;
    return BP_OK;
}

void bp_cpu_spread_run(struct bp_cpu_call *call, const struct bp_cpu_spread *spread, const void *a,
                       const void *b, void *out)
{
    struct job job = {spread, a, b, out};

    if (spread->slices > 1)
        bp_cpu_parallel_stoppable(call, spread->slices, slice, &job);
    else if (spread->broadcast)
        runs(&job, 0, spread->outer, 0, spread->inner);
    else if (spread->inner > 0)
        spread->loop(out, a, b, (size_t)spread->inner, spread->kind);
}

void bp_cpu_claim_binary(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const struct bp_cpu_binary *family = op->loops;

    for (uint32_t i = 0; i < 2; i++) {
        const bp_value *value = bp_node_in(query->graph, query->node, i);
        const bp_value *first = bp_node_in(query->graph, query->node, 0);

        if (!value || value->dtype >= BP_DTYPE_END || !family->loops[value->dtype] ||
            value->dtype != first->dtype) {
            bp_cpu_refuse_dtype(query, i);
            return;
        }
    }
    bp_accept(query->claims, query->index);
}

bp_rc bp_cpu_old_broadcast(struct bp_cpu_call *call, bool is_per_channel, int64_t *dims_buffer,
                           bp_tensor *out, bp_err *err)
{
    const bp_tensor *a = call->in[0], *b = call->in[1];
    int64_t axis;

    *out = *b;
    if (call->node->node->since >= 7)
        return BP_OK;
    if (is_per_channel)
        axis = b->rank == 1 && a->rank > 1 && b->dims[0] != 1 ? 1 : (int64_t)a->rank - b->rank;
    else
        axis = bp_cpu_int(call->node, "axis", (int64_t)a->rank - b->rank);
    if (axis < 0)
        axis += a->rank;
    if (axis < 0 || axis > (int64_t)a->rank - b->rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "axis %lld does not fit the inputs' ranks",
                           (long long)axis);
    for (uint32_t d = 0; d < a->rank - axis; d++)
        dims_buffer[d] = d < b->rank ? b->dims[d] : 1;
    out->dims = dims_buffer;
    out->rank = a->rank - (uint32_t)axis;
    return BP_OK;
}

/* The state is a struct bp_cpu_spread, which bp_cpu_run_binary() reads. */
bp_rc bp_cpu_prepare_binary(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_binary *family = call->node->op->loops;
    int64_t dims_buffer[BP_CPU_MAX_RANK];
    bp_tensor b;
    bp_rc rc = bp_cpu_state(call, sizeof(struct bp_cpu_spread), err);

    if (rc >= 0)
        rc = bp_cpu_old_broadcast(call, family->is_per_channel, dims_buffer, &b, err);
    if (rc >= 0)
        rc = bp_cpu_spread_make(call, family->loops[b.dtype], family->cost, call->in[0], &b,
                                call->out[0], call->state, err);
    return rc;
}

bp_rc bp_cpu_run_binary(struct bp_cpu_call *call, bp_err *err)
{
    (void)err;
    bp_cpu_spread_run(call, call->state, bp_tensor_data(call->in[0]), bp_tensor_data(call->in[1]),
                      bp_tensor_data(call->out[0]));
    return BP_OK;
}
