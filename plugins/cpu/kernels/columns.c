/* SPDX-License-Identifier: MIT */
/*
 * columns.c - see columns.h: an outer index and a strip of adjacent columns is the unit of work
 * that threads share.
 */

#include "kernels/columns.h"
#include "kernels/tensor_data.h"

/* What the threads of one run share. */
struct job {
    const struct bp_cpu_columns *columns;
    const struct bp_cpu_column_loops *loops;
    const void *state;
    const char *x;
    char *y;
    size_t x_width, y_width;
    int64_t y_axis; /* elements of a column of y: 1 when the axis is reduced */
};

static void split(const struct bp_cpu_call *call, int64_t cost, struct bp_cpu_columns *columns)
{
    columns->strips = (columns->inner + BP_CPU_COLUMNS - 1) / BP_CPU_COLUMNS;
    columns->slices = bp_cpu_slices(call, bp_cpu_count(call->in[0]), cost);
}

void bp_cpu_columns_make(const struct bp_cpu_call *call, uint32_t axis, int64_t cost,
                         struct bp_cpu_columns *out)
{
    const bp_tensor *x = call->in[0];

    out->outer = bp_dims_count(x->dims, axis);
    out->axis = x->dims[axis];
    out->inner = bp_dims_count(x->dims + axis + 1, x->rank - axis - 1);
    split(call, cost, out);
}

bp_rc bp_cpu_columns_from(const struct bp_cpu_call *call, int64_t cost, struct bp_cpu_columns *out,
                          bp_err *err)
{
    const bp_tensor *x = call->in[0];
    bool is_old = call->node->node->since < 13;
    int64_t axis = bp_cpu_int(call->node, "axis", is_old ? 1 : -1), rank = x->rank;

    if (axis < 0 && axis >= -rank)
        axis += rank;
    if (rank == 0)
        axis = 0;
    if (axis < 0 || axis > rank || (axis == rank && !is_old && rank > 0))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "axis is out of range for rank %u",
                           x->rank);
    if (!is_old && rank > 0) {
        bp_cpu_columns_make(call, (uint32_t)axis, cost, out);
        return BP_OK;
    }
    out->outer = bp_dims_count(x->dims, (uint32_t)axis);
    out->axis = bp_dims_count(x->dims + axis, (uint32_t)(rank - axis));
    out->inner = 1;
    split(call, cost, out);
    return BP_OK;
}

/* A slice is a range of strips; the loops get the first element of a strip in x and in y. */
static void run_slice(void *u, uint32_t slice, uint32_t worker)
{
    const struct job *job = u;
    const struct bp_cpu_columns *c = job->columns;
    int64_t total = c->outer * c->strips, n = c->slices;
    int64_t end = total / n * (slice + 1) + total % n * (slice + 1) / n;

    (void)worker;
    for (int64_t i = total / n * slice + total % n * slice / n; i < end; i++) {
        int64_t outer = i / c->strips, column = i % c->strips * BP_CPU_COLUMNS;
        int64_t left = c->inner - column;
        const char *x = job->x + (size_t)(outer * c->axis * c->inner + column) * job->x_width;
        char *y = job->y + (size_t)(outer * job->y_axis * c->inner + column) * job->y_width;

        if (c->inner == 1)
            job->loops->line(job->state, x, y);
        else
            job->loops->strip(job->state, x, y,
                              (size_t)(left < BP_CPU_COLUMNS ? left : BP_CPU_COLUMNS));
    }
}

void bp_cpu_columns_run(struct bp_cpu_call *call, const struct bp_cpu_columns *columns,
                        const struct bp_cpu_column_loops *loops, const void *state)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    bool is_folded = bp_cpu_count(y) == columns->outer * columns->inner;
    struct job job = {
        .columns = columns,
        .loops = loops,
        .state = state,
        .x_width = bp_cpu_width(x->dtype),
        .y_width = bp_cpu_width(y->dtype),
        .y_axis = is_folded ? 1 : columns->axis,
    };

    if (bp_cpu_count(x) == 0)
        return;
    job.x = bp_cpu_data(x);
    job.y = bp_cpu_data(y);
    bp_cpu_parallel(call, columns->slices, run_slice, &job);
}
