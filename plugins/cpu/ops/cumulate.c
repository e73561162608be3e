/* SPDX-License-Identifier: MIT */
/*
 * cumulate.c - CumSum (opsets 11, 14) and CumProd (opset 26): the sum or product of all elements up
 * to each along an axis; exclusive=1 leaves out the element itself, reverse=1 begins at the end.
 * Integers wrap; float16 and bfloat16 keep what is summed in float32.
 */

#include "kernels/data.h"
#include "kernels/late.h"
#include "kernels/loops.h"

enum { COLUMNS = 64 };

struct state {
    int64_t outer, axis, inner; /* x seen as outer x axis x inner */
    int64_t strips;             /* inner in pieces of COLUMNS */
    bool is_exclusive, is_reverse;
};

struct loops {
    void (*strip)(const struct state *s, const void *x, void *y, size_t count);
    void (*line)(const struct state *s, const void *x, void *y);
};

#define TEMPLATE "kernels/cumulate.inc"
#define NAME sum
#define FIRST 0
#define EXPR(x, y) (WRAP(x) + WRAP(y))
#include "kernels/types_number.inc"
#undef NAME
#undef FIRST
#undef EXPR
#define NAME product
#define FIRST 1
#define EXPR(x, y) (WRAP(x) * WRAP(y))
#include "kernels/types_number.inc"
#undef NAME
#undef FIRST
#undef EXPR
#undef TEMPLATE

#define TEMPLATE "kernels/cumulate_entry.inc"
static const struct loops sums[BP_DTYPE_END] = {
#define NAME sum
#include "kernels/types_number.inc"
#undef NAME
};
static const struct loops products[BP_DTYPE_END] = {
#define NAME product
#include "kernels/types_number.inc"
#undef NAME
};
#undef TEMPLATE

struct job {
    const struct state *state;
    const struct loops *loops;
    const char *x;
    char *y;
    size_t width;
    uint32_t slices;
};

static void run_slice(void *u, uint32_t slice, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;
    int64_t total = s->outer * s->strips, n = job->slices;
    int64_t end = total / n * (slice + 1) + total % n * (slice + 1) / n;

    (void)worker;
    for (int64_t i = total / n * slice + total % n * slice / n; i < end; i++) {
        int64_t column = i % s->strips * COLUMNS;
        int64_t count = s->inner - column < COLUMNS ? s->inner - column : COLUMNS;
        size_t at = (size_t)(i / s->strips * s->axis * s->inner + column) * job->width;

        if (s->inner == 1)
            job->loops->line(s, job->x + at, job->y + at);
        else
            job->loops->strip(s, job->x + at, job->y + at, (size_t)count);
    }
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->is_exclusive = bp_cpu_int(call->node, "exclusive", 0) != 0;
    state->is_reverse = bp_cpu_int(call->node, "reverse", 0) != 0;
    return BP_OK;
}

static bp_rc read_axis(const struct bp_cpu_call *call, uint32_t *out, bp_err *err)
{
    struct bp_cpu_list axis = bp_cpu_list_input(call, 1);

    if (bp_cpu_list_is_absent(&axis) || axis.n != 1)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "axis is not a single number");
    return bp_cpu_axis(call, bp_cpu_list_at(&axis, 0), call->in[0]->rank, out, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state state = *(const struct state *)call->state; /* the axis comes with each run */
    struct job job = {.state = &state,
                      .loops = (const struct loops *)call->node->op->loops + x->dtype,
                      .width = bp_cpu_width(x->dtype)};
    uint32_t axis;
    bp_rc rc = read_axis(call, &axis, err);

    if (rc < 0 || bp_cpu_count(x) == 0)
        return rc;
    state.outer = bp_dims_count(x->dims, axis);
    state.axis = x->dims[axis];
    state.inner = bp_dims_count(x->dims + axis + 1, x->rank - axis - 1);
    state.strips = (state.inner + COLUMNS - 1) / COLUMNS;
    job.slices = bp_cpu_slices(call, bp_cpu_count(x), 2);
    job.x = bp_cpu_data(x);
    job.y = bp_cpu_data(call->out[0]);
    bp_cpu_parallel(call, job.slices, run_slice, &job);
    return BP_OK;
}

#define BIT(dtype) UINT64_C(1) << BP_DTYPE_##dtype
#define NUMBERS (BP_CPU_FLOATS | BIT(I32) | BIT(I64) | BIT(U32) | BIT(U64))

const struct bp_cpu_op bp_cpu_op_cum_prod = {
    .name = "CumProd",
    .since = 26,
    .flags = BP_CPU_IN_PLACE,
    .loops = products,
    .types = NUMBERS,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_cum_sum = {
    .name = "CumSum",
    .since = 11,
    .flags = BP_CPU_IN_PLACE,
    .loops = sums,
    .types = NUMBERS,
    .prepare = prepare,
    .run = run,
};
