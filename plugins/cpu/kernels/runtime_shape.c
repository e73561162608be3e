/* SPDX-License-Identifier: MIT */
/* runtime_shape.c - see runtime_shape.h. */

#include "kernels/runtime_shape.h"

bp_rc bp_cpu_runtime_shape_state(struct bp_cpu_call *call, size_t bytes, uint32_t first,
                                 uint32_t last, bp_err *err)
{
    const bp_node *node = call->node->node;
    struct bp_cpu_runtime_shape *state;
    bp_rc rc = bp_cpu_state(call, bytes, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->allocates_output = call->out[0]->rank == BP_RANK_UNKNOWN;
    state->solves_at_run = state->allocates_output;
    for (uint32_t i = first; i <= last && i < node->n_in; i++) {
        const bp_value *value = bp_node_in(call->node->graph, node, i);

        if (value && !(value->flags & BP_VALUE_CONSTANT))
            state->solves_at_run = true;
    }
    return BP_OK;
}

bp_rc bp_cpu_runtime_shape_output(struct bp_cpu_call *call, uint32_t rank, const int64_t *dims,
                                  bp_err *err)
{
    const struct bp_cpu_runtime_shape *state = call->state;
    const bp_tensor *out = call->out[0];

    if (state->allocates_output)
        return bp_cpu_alloc_output(call, 0, rank, dims, err);
    if (out->rank != rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output has rank %u, not %u", rank,
                           out->rank);
    for (uint32_t d = 0; d < rank; d++) {
        if (out->dims[d] != dims[d]) {
            return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                               "the output's size %u is %lld, but the frame was made for %lld", d,
                               (long long)dims[d], (long long)out->dims[d]);
        }
    }
    return BP_OK;
}

struct bp_cpu_list bp_cpu_list_input(const struct bp_cpu_call *call, uint32_t i)
{
    const bp_tensor *tensor = bp_cpu_in(call, i);
    /* An empty list is present: its pointer must not be NULL. */
    static const int64_t none = 0;
    struct bp_cpu_list list = {0};

    if (!tensor || (tensor->dtype != BP_DTYPE_I64 && tensor->dtype != BP_DTYPE_I32))
        return list;
    list.n = bp_cpu_count(tensor);
    if (list.n == 0)
        list.i64 = &none;
    else if (tensor->dtype == BP_DTYPE_I64)
        list.i64 = bp_tensor_data(tensor);
    else
        list.i32 = bp_tensor_data(tensor);
    return list;
}

struct bp_cpu_list bp_cpu_list_attr(const struct bp_cpu_call *call, const char *name)
{
    struct bp_cpu_list list = {0};
    uint32_t n;

    list.i64 = bp_cpu_ints(call->node, name, &n);
    list.n = n;
    return list;
}

bp_rc bp_cpu_axis(const struct bp_cpu_call *call, int64_t axis, uint32_t rank, uint32_t *out,
                  bp_err *err)
{
    int64_t from_start = axis < 0 ? axis + rank : axis;

    if (from_start < 0 || from_start >= rank) {
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "axis %lld is not one of rank %u",
                           (long long)axis, rank);
    }
    *out = (uint32_t)from_start;
    return BP_OK;
}
