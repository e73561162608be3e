/* SPDX-License-Identifier: MIT */
/*
 * expand_dims.c - ExpandDims (com.microsoft, version 1).
 *
 * Y = X with a dimension of size 1 inserted at the axis in input 1, an int32 scalar in -(r+1)..r
 * for X of rank r: the Unsqueeze of a single axis. The bytes are those of X. Types: all of 8 bits
 * and more.
 */

#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_runtime_shape_state(call, sizeof(struct bp_cpu_runtime_shape), 1, 1, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    struct bp_cpu_list axes = bp_cpu_list_input(call, 1);
    size_t bytes = (size_t)bp_cpu_count(x) * bp_cpu_width(x->dtype);
    int64_t dims[BP_CPU_MAX_RANK + 1];
    uint32_t axis;
    bp_rc rc;

    if (axes.n != 1 || x->rank + 1 > BP_CPU_MAX_RANK)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "axis is not a scalar");
    rc = bp_cpu_axis(call, bp_cpu_list_at(&axes, 0), x->rank + 1, &axis, err);
    if (rc < 0)
        return rc;
    for (uint32_t d = 0; d <= x->rank; d++)
        dims[d] = d == axis ? 1 : x->dims[d - (d > axis)];
    rc = bp_cpu_runtime_shape_output(call, x->rank + 1, dims, err);
    if (rc >= 0 && bytes > 0 && bp_cpu_data(call->out[0]) != bp_cpu_data(x))
        memcpy(bp_cpu_data(call->out[0]), bp_cpu_data(x), bytes);
    return rc;
}

const struct bp_cpu_op bp_cpu_op_expand_dims = {
    .name = "ExpandDims",
    .domain = "com.microsoft",
    .since = 1,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
