/* SPDX-License-Identifier: MIT */
/*
 * slice.c - Slice (ai.onnx, opsets 1, 10, 11, 13).
 *
 * Y[i] = X[start + i * step] along each axis that is listed, while that is before `end`
 *
 * Version 1 has attributes starts, ends and axes; from 10 on they are 1-D inputs (int32 or int64),
 * and `steps` comes in. Starts and ends below 0 count from the back and are clamped; a negative
 * step goes backwards. Version 13 adds bfloat16. Types: all of 8 bits and more.
 */

#include "kernels/runtime_shape.h"
#include "kernels/strided.h"

struct state {
    struct bp_cpu_runtime_shape runtime;
    int64_t first; /* offset in X of the first element of Y, in elements */
    struct bp_cpu_strided copy;
};

/*
 * A start or end of Slice-13 as an index: from the back when it is below 0, clamped to low..high.
 */
static int64_t clamp(int64_t at, int64_t dim, int64_t low, int64_t high)
{
    if (at < 0)
        at = at < -dim ? -1 : at + dim;
    return at < low ? low : at > high ? high : at;
}

/* ceil((end - start) / step), or 0: the size of Y along the axis. */
static int64_t range_size(int64_t start, int64_t end, int64_t step)
{
    int64_t distance = step > 0 ? end - start : start - end;
    /* -step may not fit; a step that large takes one element anyway */
    int64_t stride = step > 0 ? step : step == INT64_MIN ? INT64_MAX : -step;

    return distance <= 0 ? 0 : (distance - 1) / stride + 1;
}

/*
 * Applies one entry of starts, ends and steps: dims[d] becomes the size of Y, strides[d] the
 * distance of its elements in X. With a negative step the start is clamped to dim - 1 and the end
 * to -1, as Slice-13 says.
 */
static bp_rc slice_axis(struct bp_cpu_call *call, int64_t axis, int64_t start, int64_t end,
                        int64_t step, int64_t *dims, int64_t *strides, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct state *state = call->state;
    uint32_t d;
    bp_rc rc = bp_cpu_axis(call, axis, x->rank, &d, err);

    if (rc < 0)
        return rc;
    if (step == 0)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "the step along axis %u is 0", d);
    if (step > 0) {
        start = clamp(start, x->dims[d], 0, x->dims[d]);
        end = clamp(end, x->dims[d], 0, x->dims[d]);
    } else {
        start = clamp(start, x->dims[d], 0, x->dims[d] - 1);
        end = clamp(end, x->dims[d], -1, x->dims[d] - 1);
    }
    dims[d] = x->dims[d] == 0 ? 0 : range_size(start, end, step);
    if (dims[d] > 0)
        state->first += start * strides[d];
    strides[d] = dims[d] > 1 ? strides[d] * step : 0;
    return BP_OK;
}

/* Computes the shape and the strides; for prepare when all lists are constant, else for run. */
static bp_rc solve(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    const bp_tensor *x = call->in[0];
    bool has_attrs = call->node->node->since < 10;
    struct bp_cpu_list starts, ends, axes, steps = {0};
    int64_t dims[BP_CPU_MAX_RANK], strides[BP_CPU_MAX_RANK], stride = 1;
    bool seen[BP_CPU_MAX_RANK] = {false};
    bp_rc rc = BP_OK;

    starts = has_attrs ? bp_cpu_list_attr(call, "starts") : bp_cpu_list_input(call, 1);
    ends = has_attrs ? bp_cpu_list_attr(call, "ends") : bp_cpu_list_input(call, 2);
    axes = has_attrs ? bp_cpu_list_attr(call, "axes") : bp_cpu_list_input(call, 3);
    if (!has_attrs)
        steps = bp_cpu_list_input(call, 4);
    if (bp_cpu_list_is_absent(&starts) || starts.n != ends.n || starts.n > x->rank ||
        (!bp_cpu_list_is_absent(&axes) && axes.n != starts.n) ||
        (!bp_cpu_list_is_absent(&steps) && steps.n != starts.n))
        return bp_cpu_fail(call->node, err, BP_E_INVALID,
                           "starts, ends, axes and steps differ in length");

    for (uint32_t d = x->rank; d-- > 0;) {
        dims[d] = x->dims[d];
        strides[d] = stride;
        stride *= x->dims[d];
    }
    state->first = 0;
    for (int64_t i = 0; i < starts.n && rc >= 0; i++) {
        int64_t axis = bp_cpu_list_is_absent(&axes) ? i : bp_cpu_list_at(&axes, i);
        uint32_t d;

        rc = bp_cpu_axis(call, axis, x->rank, &d, err);
        if (rc >= 0 && seen[d])
            rc = bp_cpu_fail(call->node, err, BP_E_INVALID, "axis %u is given twice", d);
        if (rc < 0)
            break;
        seen[d] = true;
        rc = slice_axis(call, axis, bp_cpu_list_at(&starts, i), bp_cpu_list_at(&ends, i),
                        bp_cpu_list_is_absent(&steps) ? 1 : bp_cpu_list_at(&steps, i), dims,
                        strides, err);
    }
    if (rc >= 0)
        rc = bp_cpu_runtime_shape_output(call, x->rank, dims, err);
    if (rc >= 0)
        bp_cpu_strided_make(call, bp_cpu_width(x->dtype), x->rank, dims, strides, &state->copy);
    return rc;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = bp_cpu_runtime_shape_state(call, sizeof(struct state), 1, 4, err);

    if (rc >= 0 && !((struct state *)call->state)->runtime.solves_at_run)
        rc = solve(call, err);
    return rc;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    const bp_tensor *x = call->in[0];
    bp_rc rc = state->runtime.solves_at_run ? solve(call, err) : BP_OK;

    if (rc >= 0 && state->copy.count > 0) {
        const char *from = bp_tensor_data(x);

        bp_cpu_strided_run(call, &state->copy, from + state->first * (int64_t)state->copy.width,
                           bp_tensor_data(call->out[0]));
    }
    return rc;
}

const struct bp_cpu_op bp_cpu_op_slice = {
    .name = "Slice",
    .since = 1,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
