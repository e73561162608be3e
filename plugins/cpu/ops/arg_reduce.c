/* SPDX-License-Identifier: MIT */
/*
 * arg_reduce.c - ArgMax and ArgMin (opsets 1, 11, 12, 13): the index along one axis of the largest
 * or smallest element; of equal ones the first, or the last with select_last_index. NaN is taken
 * for the extreme.
 */

#include "cpu.h"
#include "kernels/data.h"
#include "kernels/loops.h"

enum { COLUMNS = 64 };

struct state {
    int64_t outer, axis, inner; /* x seen as outer x axis x inner */
    int64_t strips;             /* inner in pieces of COLUMNS */
    bool is_min, takes_last;
    uint32_t slices;
};

struct loops {
    void (*strip)(const struct state *s, const void *x, size_t count, int64_t *y);
    int64_t (*line)(const struct state *s, const void *x);
};

struct job {
    const struct state *state;
    const char *x;
    int64_t *y;
    size_t width;
    const struct loops *loops;
};

#define TEMPLATE "kernels/arg_line.inc"
#include "kernels/types_number.inc"
#undef TEMPLATE

#define NAME indices
#define TEMPLATE "kernels/arg_reduce.inc"
#include "kernels/types_number.inc"
#undef TEMPLATE

static const struct loops loops[BP_DTYPE_END] = {
#define TEMPLATE "kernels/strip_entry.inc"
#include "kernels/types_number.inc"
#undef TEMPLATE
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    int64_t axis = bp_cpu_int(call->node, "axis", 0);
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    if (axis < 0)
        axis += x->rank;
    if (axis < 0 || axis >= x->rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "axis is out of range for rank %u",
                           x->rank);
    state->outer = bp_dims_count(x->dims, (uint32_t)axis);
    state->axis = x->dims[axis];
    state->inner = bp_dims_count(x->dims + axis + 1, x->rank - (uint32_t)axis - 1);
    state->strips = (state->inner + COLUMNS - 1) / COLUMNS;
    state->is_min = strcmp(call->node->op->name, "ArgMin") == 0;
    state->takes_last = bp_cpu_int(call->node, "select_last_index", 0) != 0;
    state->slices = bp_cpu_slices(call, bp_cpu_count(x), 2);
    if (bp_cpu_count(call->out[0]) != state->outer * state->inner)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output has another size");
    if (state->axis == 0 && bp_cpu_count(call->out[0]) > 0)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the axis has no elements");
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
        int64_t outer = i / s->strips, column = i % s->strips * COLUMNS;
        int64_t count = s->inner - column < COLUMNS ? s->inner - column : COLUMNS;
        const char *x = job->x + (size_t)(outer * s->axis * s->inner + column) * job->width;
        int64_t *y = job->y + outer * s->inner + column;

        if (s->inner == 1)
            *y = job->loops->line(s, x);
        else
            job->loops->strip(s, x, (size_t)count, y);
    }
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    const bp_tensor *x = call->in[0];
    struct job job = {.state = state, .width = bp_cpu_width(x->dtype), .loops = &loops[x->dtype]};

    (void)err;
    if (bp_cpu_count(call->out[0]) == 0)
        return BP_OK;
    job.x = bp_cpu_data(x);
    job.y = bp_cpu_data(call->out[0]);
    bp_cpu_parallel(call, state->slices, run_slice, &job);
    return BP_OK;
}

#define BIT(dtype) UINT64_C(1) << BP_DTYPE_##dtype
#define NUMBERS                                                                                    \
    (BIT(F32) | BIT(F64) | BIT(F16) | BIT(BF16) | BIT(I8) | BIT(I16) | BIT(I32) | BIT(I64) |       \
     BIT(U8) | BIT(U16) | BIT(U32) | BIT(U64))

const struct bp_cpu_op bp_cpu_op_arg_max = {
    .name = "ArgMax",
    .since = 1,
    .types = NUMBERS,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_arg_min = {
    .name = "ArgMin",
    .since = 1,
    .types = NUMBERS,
    .prepare = prepare,
    .run = run,
};
