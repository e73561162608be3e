/* SPDX-License-Identifier: MIT */
/*
 * hardmax.c - Hardmax (opsets 1, 11, 13): 1 for the first largest element, 0 for the others. From 13
 * on along one axis; before, over all axes from `axis` on.
 */

#include "kernels/data.h"
#include "kernels/loops.h"

enum { COLUMNS = 64 };

struct state {
    int64_t outer, axis, inner; /* x seen as outer x axis x inner */
    int64_t strips;             /* inner in pieces of COLUMNS */
    uint32_t slices;
};

typedef void (*hardmax_loop)(const struct state *s, const void *x, void *y, size_t count);

#define NAME hardmax
#define TEMPLATE "kernels/hardmax.inc"
#include "kernels/types_float.inc"
#undef TEMPLATE

static const hardmax_loop loops[BP_DTYPE_END] = {
#define TEMPLATE "kernels/loop_entry.inc"
#include "kernels/types_float.inc"
#undef TEMPLATE
};

struct job {
    const struct state *state;
    const char *x;
    char *y;
    size_t width;
    hardmax_loop loop;
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    bool is_old = call->node->node->since < 13;
    int64_t axis = bp_cpu_int(call->node, "axis", is_old ? 1 : -1), rank = x->rank;
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    if (axis < 0 && axis >= -rank)
        axis += rank;
    if (rank == 0)
        axis = 0;
    if (axis < 0 || axis > rank || (axis == rank && !is_old && rank > 0))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "axis is out of range for rank %u",
                           x->rank);
    state->outer = bp_dims_count(x->dims, (uint32_t)axis);
    state->axis = bp_dims_count(x->dims + axis, (uint32_t)(rank - axis));
    state->inner = 1;
    if (!is_old && rank > 0) {
        state->axis = x->dims[axis];
        state->inner = bp_dims_count(x->dims + axis + 1, (uint32_t)(rank - axis - 1));
    }
    state->strips = (state->inner + COLUMNS - 1) / COLUMNS;
    state->slices = bp_cpu_slices(call, bp_cpu_count(x), 2);
    return BP_OK;
}

static void run_slice(void *u, uint32_t slice, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t total = s->outer * s->strips, n = s->slices;
    int64_t end = total / n * (slice + 1) + total % n * (slice + 1) / n;

    (void)worker;
    for (int64_t i = total / n * slice + total % n * slice / n; i < end; i++) {
        int64_t column = i % s->strips * COLUMNS;
        int64_t count = s->inner - column < COLUMNS ? s->inner - column : COLUMNS;
        size_t at = (size_t)(i / s->strips * s->axis * s->inner + column) * job->width;

        job->loop(s, job->x + at, job->y + at, (size_t)count);
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const bp_tensor *x = call->in[0];
    struct job job = {state, bp_cpu_data(x), bp_cpu_data(call->out[0]), bp_cpu_width(x->dtype),
                      loops[x->dtype]};

    (void)err;
    if (bp_cpu_count(x) > 0)
        bp_cpu_parallel(call, state->slices, run_slice, &job);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_hardmax = {
    .name = "Hardmax",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .types = BP_CPU_FLOATS,
    .prepare = prepare,
    .run = run,
};
