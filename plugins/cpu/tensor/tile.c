/* SPDX-License-Identifier: MIT */
/*
 * tile.c - Tile (ai.onnx, opsets 1, 6, 13).
 *
 * Y[i0][i1].. = X[i0 % d0][i1 % d1]..; the size of dimension d is repeats[d] * X.dims[d]
 *
 * Version 1 has two scalars, `tiles` and `axis`; from 6 on input 1 is a 1-D int64 tensor with a
 * value for each dimension. Each dimension becomes two of the strided copy: the repeats with a
 * stride of 0, then the dimension. Types: all of 8 bits and more.
 */

#include "kernels/cast/cast.h"
#include "kernels/runtime_shape.h"
#include "kernels/strided.h"

struct state {
    struct bp_cpu_runtime_shape runtime;
    struct bp_cpu_strided copy;
};

/* Tile-1: `tiles` and `axis` are scalars of the type of X, so that they are cast to int64 first. */
static bp_rc old_repeats(struct bp_cpu_call *call, int64_t *repeats, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct bp_cpu_params none = {0};
    int64_t values[2];
    uint32_t axis;
    bp_rc rc;

    for (uint32_t i = 0; i < 2; i++) {
        const bp_tensor *tensor = bp_cpu_in(call, i + 1);
        bp_cpu_unary_loop loop = tensor ? bp_cpu_cast_loop(tensor->dtype, BP_DTYPE_I64) : NULL;

        if (!loop || bp_cpu_count(tensor) != 1)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "tiles and axis must be scalars");
        loop(&values[i], bp_tensor_data(tensor), 1, &none);
    }
    rc = bp_cpu_axis(call, values[1], x->rank, &axis, err);
    if (rc >= 0)
        repeats[axis] = values[0];
    return rc;
}

/* Writes a repeat count for each dimension of X. */
static bp_rc read_repeats(struct bp_cpu_call *call, int64_t *repeats, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct bp_cpu_list list;

    for (uint32_t d = 0; d < x->rank; d++)
        repeats[d] = 1;
    if (call->node->node->since < 6)
        return old_repeats(call, repeats, err);
    list = bp_cpu_list_input(call, 1);
    if (bp_cpu_list_is_absent(&list) || list.n != x->rank)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "repeats must have %u values", x->rank);
    for (uint32_t d = 0; d < x->rank; d++)
        repeats[d] = bp_cpu_list_at(&list, d);
    return BP_OK;
}

/* Computes the shape and the strides; for prepare when the repeats are constant, else for run. */
static bp_rc solve(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    const bp_tensor *x = call->in[0];
    int64_t repeats[BP_CPU_MAX_RANK], out_dims[BP_CPU_MAX_RANK], stride = 1;
    int64_t dims[2 * BP_CPU_MAX_RANK], strides[2 * BP_CPU_MAX_RANK];
    bp_rc rc = read_repeats(call, repeats, err);

    if (rc < 0)
        return rc;
    for (uint32_t d = x->rank; d-- > 0;) {
        if (repeats[d] < 0 || __builtin_mul_overflow(x->dims[d], repeats[d], &out_dims[d])) {
            return bp_cpu_fail(call->node, err, BP_E_INVALID,
                               "%lld repeats are negative or too many", (long long)repeats[d]);
        }
        dims[2 * d] = repeats[d];
        strides[2 * d] = 0;
        dims[2 * d + 1] = x->dims[d];
        strides[2 * d + 1] = stride;
        stride *= x->dims[d];
    }
    rc = bp_cpu_runtime_shape_output(call, x->rank, out_dims, err);
    if (rc >= 0)
        bp_cpu_strided_make(call, bp_cpu_width(x->dtype), 2 * x->rank, dims, strides, &state->copy);
    return rc;
}

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = bp_cpu_runtime_shape_state(call, sizeof(struct state), 1, 2, err);

    if (rc >= 0 && !((struct state *)call->state)->runtime.solves_at_run)
        rc = solve(call, err);
    return rc;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    bp_rc rc = state->runtime.solves_at_run ? solve(call, err) : BP_OK;

    if (rc >= 0)
        bp_cpu_strided_run(call, &state->copy, bp_tensor_data(call->in[0]),
                           bp_tensor_data(call->out[0]));
    return rc;
}

const struct bp_cpu_op bp_cpu_op_tile = {
    .name = "Tile",
    .since = 1,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
