/* SPDX-License-Identifier: MIT */
/*
 * pad.c - Pad (ai.onnx, opsets 1, 2, 11, 13, 18, 19, ...; com.microsoft 1).
 *
 * Y = X with pads[d] elements before and pads[r + d] elements after each dimension d of rank r;
 * pads below 0 crop. The elements are `value` (mode constant, default 0) or taken from X: its edge,
 * its reflection (the edge is not repeated), or from 19 on the other end (wrap).
 *
 * Version 1 has attribute `paddings`, 2 has `pads`, both with a float `value`; from 11 on pads and
 * value are inputs, 18 adds input `axes`. Types: all. Those below 8 bits are unpacked around the
 * call (kernels/cast/sub_byte.h). The row of com.microsoft is version 13.
 */

#include "kernels/cast/cast.h"
#include "kernels/cast/sub_byte.h"
#include "kernels/fill.h"
#include "kernels/runtime_shape.h"
#include "kernels/same_operator.h"

enum mode { CONSTANT, EDGE, REFLECT, WRAP_AROUND };

struct state {
    struct bp_cpu_runtime_shape runtime;
    enum mode mode;
    uint32_t rank; /* at least 1, without trailing dimensions that are not padded */
    size_t unit;   /* bytes of an element together with those trailing dimensions */
    uint32_t slices;
    uint8_t value[16]; /* for mode constant, in the tensor's type */
    size_t width;      /* bytes of an element */
    int64_t rows;      /* of the output: all but the innermost dimension */
    int64_t in_dims[BP_CPU_MAX_RANK + 1], out_dims[BP_CPU_MAX_RANK + 1];
    int64_t before[BP_CPU_MAX_RANK + 1];
    int64_t strides[BP_CPU_MAX_RANK + 1]; /* of the input, in units */
};

/* What the threads of one run share. */
struct job {
    const struct state *state;
    const char *in;
    char *out;
};

/*
 * The index in the input, along a dimension of `dim` elements, for index `at` that may lie outside
 * of 0..dim-1. -1: mode constant, the element is not in the input.
 */
static int64_t source_index(enum mode mode, int64_t at, int64_t dim)
{
    int64_t period;

    if (at >= 0 && at < dim)
        return at;
    switch (mode) {
    case EDGE:
        return at < 0 ? 0 : dim - 1;
    case REFLECT: /* there and back: 0 1 2 1 0 1 ... */
        period = dim > 1 ? 2 * (dim - 1) : 1;
        at %= period;
        if (at < 0)
            at += period;
        return at < dim ? at : period - at;
    case WRAP_AROUND:
        at %= dim;
        return at < 0 ? at + dim : at;
    default:
        return -1;
    }
}

/* Writes n units of `value` to out. */
static void fill_units(const struct state *s, char *out, int64_t n)
{
    bp_cpu_fill(out, s->value, s->width, (size_t)n * (s->unit / s->width));
}

/* Writes units first..last of a row of the output that lie before or after the input's row. */
static void pad_row(const struct state *s, const char *in, char *out, int64_t first, int64_t last)
{
    uint32_t d = s->rank - 1;

    if (s->mode == CONSTANT) {
        fill_units(s, out + (size_t)first * s->unit, last - first);
        return;
    }
    for (int64_t i = first; i < last; i++) {
        int64_t at = source_index(s->mode, i - s->before[d], s->in_dims[d]);

        memcpy(out + (size_t)i * s->unit, in + (size_t)at * s->unit, s->unit);
    }
}

/* Writes one row of the output: padding, a memcpy of the part of `in` that stays, padding. */
static void copy_row(const struct state *s, const char *in, char *out)
{
    uint32_t d = s->rank - 1;
    int64_t n = s->out_dims[d], before = s->before[d], dim = s->in_dims[d];
    int64_t from = before > 0 ? before : 0; /* the output's first and last unit of the input */
    int64_t to = before + dim < n ? before + dim : n;

    if (from > n)
        from = n;
    if (to < from)
        to = from;
    pad_row(s, in, out, 0, from);
    if (to > from)
        memcpy(out + (size_t)from * s->unit, in + (size_t)(from - before) * s->unit,
               (size_t)(to - from) * s->unit);
    pad_row(s, in, out, to, n);
}

/*
 * Writes rows begin..end of the output. A row whose outer coordinates lie outside of the input is
 * all padding in mode constant; in the other modes there is always a row of the input to take it
 * from.
 */
static void copy_rows(const struct job *job, int64_t begin, int64_t end)
{
    const struct state *s = job->state;
    uint32_t last = s->rank - 1;
    size_t row_bytes = (size_t)s->out_dims[last] * s->unit;

    for (int64_t row = begin; row < end; row++) {
        char *out = job->out + (size_t)row * row_bytes;
        int64_t rest = row, from = 0;
        bool is_outside = false;

        for (uint32_t d = last; d-- > 0;) {
            int64_t at = source_index(s->mode, rest % s->out_dims[d] - s->before[d], s->in_dims[d]);

            rest /= s->out_dims[d];
            is_outside = is_outside || at < 0;
            from += at * s->strides[d];
        }
        if (is_outside)
            fill_units(s, out, s->out_dims[last]);
        else
            copy_row(s, job->in ? job->in + from * (int64_t)s->unit : NULL, out);
    }
}

static void slice(void *u, uint32_t i, uint32_t worker)
{
    const struct job *job = u;
    const struct state *s = job->state;

    (void)worker;
    copy_rows(job, s->rows * i / s->slices, s->rows * (i + 1) / s->slices);
}

/* ---- solving --------------------------------------------------------------------------------- */

static bp_rc read_mode(struct bp_cpu_call *call, bp_err *err)
{
    static const char *const names[] = {"constant", "edge", "reflect", "wrap"};
    struct state *state = call->state;

    for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (bp_node_string_is(call->node->graph, call->node->node, "mode", "constant", names[i])) {
            state->mode = (enum mode)i;
            return BP_OK;
        }
    }
    return bp_cpu_fail(call->node, err, BP_E_INVALID,
                       "mode is none of constant, edge, reflect and wrap");
}

/*
 * Reads before[d] and after[d] for all dimensions of X; axes that the node does not name get 0.
 * When `axes` names one twice, the last entry counts.
 */
static bp_rc read_pads(struct bp_cpu_call *call, int64_t *before, int64_t *after, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    uint32_t since = call->node->node->since;
    struct bp_cpu_list axes = {0};
    struct bp_cpu_list pads = since < 2    ? bp_cpu_list_attr(call, "paddings")
                              : since < 11 ? bp_cpu_list_attr(call, "pads")
                                           : bp_cpu_list_input(call, 1);
    int64_t n;

    if (since >= 18)
        axes = bp_cpu_list_input(call, 3);
    n = bp_cpu_list_is_absent(&axes) ? x->rank : axes.n;
    if (bp_cpu_list_is_absent(&pads) ? n > 0 : pads.n != 2 * n)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "pads must have two values an axis");
    for (uint32_t d = 0; d < x->rank; d++)
        before[d] = after[d] = 0;
    for (int64_t i = 0; i < n; i++) {
        int64_t axis = bp_cpu_list_is_absent(&axes) ? i : bp_cpu_list_at(&axes, i);
        uint32_t d;
        bp_rc rc = bp_cpu_axis(call, axis, x->rank, &d, err);

        if (rc < 0)
            return rc;
        before[d] = bp_cpu_list_at(&pads, i);
        after[d] = bp_cpu_list_at(&pads, n + i);
    }
    return BP_OK;
}

/*
 * Sums up the sizes with checks for overflow. An empty axis cannot be padded from its own elements.
 */
static bp_rc output_shape(struct bp_cpu_call *call, const int64_t *before, const int64_t *after,
                          int64_t *dims, bp_err *err)
{
    const struct state *state = call->state;
    const bp_tensor *x = call->in[0];

    for (uint32_t d = 0; d < x->rank; d++) {
        if (__builtin_add_overflow(x->dims[d], before[d], &dims[d]) ||
            __builtin_add_overflow(dims[d], after[d], &dims[d]) || dims[d] < 0) {
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "pads %lld and %lld do not fit axis %u", (long long)before[d],
                               (long long)after[d], d);
        }
        if (x->dims[d] == 0 && dims[d] > 0 && state->mode != CONSTANT) {
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "axis %u is empty, there is nothing to pad it with", d);
        }
    }
    return BP_OK;
}

/*
 * Merges trailing dimensions that are not padded into the unit, so that rows are long, and computes
 * the strides of the input in units.
 */
static void merge(struct state *state, const bp_tensor *x, const int64_t *before,
                  const int64_t *dims)
{
    int64_t stride = 1;
    uint32_t rank = x->rank;

    state->unit = state->width;
    while (rank > 0 && before[rank - 1] == 0 && dims[rank - 1] == x->dims[rank - 1])
        state->unit *= (size_t)dims[--rank];
    state->rank = 0;
    for (uint32_t d = 0; d < rank; d++) {
        state->in_dims[state->rank] = x->dims[d];
        state->out_dims[state->rank] = dims[d];
        state->before[state->rank++] = before[d];
    }
    if (rank == 0) {
        state->in_dims[0] = state->out_dims[0] = 1;
        state->before[0] = 0;
        state->rank = 1;
    }
    state->rows = state->unit > 0 && state->out_dims[state->rank - 1] > 0 ? 1 : 0;
    for (uint32_t d = state->rank; d-- > 0;) {
        state->strides[d] = stride;
        stride *= state->in_dims[d];
        if (d + 1 < state->rank)
            state->rows *= state->out_dims[d];
    }
}

/* Everything that follows from pads; for prepare when they are constant, else for run. */
static bp_rc solve(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    const bp_tensor *x = call->in[0];
    int64_t before[BP_CPU_MAX_RANK], after[BP_CPU_MAX_RANK], dims[BP_CPU_MAX_RANK];
    bp_rc rc = read_pads(call, before, after, err);

    if (rc >= 0)
        rc = output_shape(call, before, after, dims, err);
    if (rc >= 0)
        rc = bp_cpu_runtime_shape_output(call, x->rank, dims, err);
    if (rc < 0)
        return rc;
    merge(state, x, before, dims);
    state->slices =
        bp_cpu_slices(call, bp_dims_count(dims, x->rank) * (int64_t)state->width / 4, 1);
    if (state->slices > state->rows)
        state->slices = state->rows > 0 ? (uint32_t)state->rows : 1;
    return BP_OK;
}

/*
 * Attribute `value` of versions 1 and 2 is a float; it is cast to the type of X, a floating-point
 * type there.
 */
static void read_value(struct bp_cpu_call *call)
{
    struct state *state = call->state;
    float value = bp_cpu_float(call->node, "value", 0);
    struct bp_cpu_params none = {0};
    bp_cpu_unary_loop loop = bp_cpu_cast_loop(BP_DTYPE_F32, call->in[0]->dtype);
    double cast[2] = {0}; /* aligned for each type */

    if (loop)
        loop(cast, &value, 1, &none);
    memcpy(state->value, cast, state->width);
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state;
    bp_rc rc = bp_cpu_runtime_shape_state(call, sizeof *state, 1, 3, err);

    if (rc >= 0)
        rc = read_mode(call, err);
    if (rc < 0)
        return rc;
    state = call->state;
    state->width = bp_cpu_width(call->in[0]->dtype);
    if (call->node->node->since >= 11 && bp_cpu_in(call, 2) &&
        call->in[2]->dtype != call->in[0]->dtype)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "the value has another type");
    if (call->node->node->since < 11)
        read_value(call);
    return state->runtime.solves_at_run ? BP_OK : solve(call, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    const bp_tensor *value = call->node->node->since < 11 ? NULL : bp_cpu_in(call, 2);
    struct job job = {.state = state};
    bp_rc rc;

    if (value && bp_cpu_count(value) > 0)
        memcpy(state->value, bp_tensor_data(value), state->width);
    if (state->runtime.solves_at_run) {
        rc = solve(call, err);
        if (rc < 0)
            return rc;
    }
    if (state->rows == 0)
        return BP_OK;
    job.in = bp_tensor_data(call->in[0]);
    job.out = bp_tensor_data(call->out[0]);
    bp_cpu_parallel(call, state->slices, slice, &job);
    return BP_OK;
}

static const struct bp_cpu_mover mover = {prepare, run};

const struct bp_cpu_op bp_cpu_op_pad = {
    .name = "Pad",
    .since = 1,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_ANY_TYPE,
    .loops = &mover,
    .prepare = bp_cpu_sub_byte_prepare,
    .run = bp_cpu_sub_byte_run,
};

const struct bp_cpu_op bp_cpu_op_ms_pad = {
    .name = "Pad",
    .domain = "com.microsoft",
    .since = 1,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .loops = &bp_cpu_op_pad,
    .claim = bp_cpu_same_claim,
    .prepare = bp_cpu_same_prepare_13,
    .run = bp_cpu_same_run,
};
