/* SPDX-License-Identifier: MIT */
/*
 * constant_of_shape.c - ConstantOfShape (ai.onnx, opsets 9, 20, 21, 23, 24, 25).
 *
 * Input: a 1-D int64 tensor, the shape of Y. Y is filled with the only element of attribute
 * `value`, by default the float32 0; an empty input gives a scalar. Versions after 9 add types
 * (float8, int4, ...). Types: all but string.
 */

#include "kernels/cast/low_precision.h"
#include "kernels/cast/sub_byte.h"
#include "kernels/fill.h"
#include "kernels/runtime_shape.h"

struct state {
    struct bp_cpu_runtime_shape runtime;
    uint8_t value[16]; /* one element in the type of Y; complex128 has 16 bytes */
};

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_attr *attr = bp_node_attr(call->node->graph, call->node->node, "value");
    const bp_const *value = attr && attr->type == BP_ATTR_TENSOR ? attr->data : NULL;
    uint32_t dtype = bp_node_out(call->node->graph, call->node->node, 0)->dtype;
    size_t width = bp_cpu_bytes_of(dtype, 1);
    struct state *state;
    bp_rc rc = bp_cpu_runtime_shape_state(call, sizeof *state, 0, 0, err);

    if (rc < 0 || !value)
        return rc;
    state = call->state;
    if (value->dtype != dtype || value->bytes < width || width > sizeof state->value)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "its value is not of the output's type");
    memcpy(state->value, value->data, width);
    return BP_OK;
}

/* The shape is read here when it is computed by the model; otherwise Y has its shape already. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;
    struct bp_cpu_list shape = bp_cpu_list_input(call, 0);
    int64_t dims[BP_CPU_MAX_RANK];
    const bp_tensor *y;
    bp_rc rc = BP_OK;

    if (state->runtime.allocates_output) {
        if (bp_cpu_list_is_absent(&shape) || shape.n > BP_CPU_MAX_RANK)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "no shape, or too many sizes");
        for (int64_t d = 0; d < shape.n; d++) {
            dims[d] = bp_cpu_list_at(&shape, d);
            if (dims[d] < 0)
                return bp_cpu_fail(call->node, err, BP_E_INVALID, "size %lld is below 0",
                                   (long long)d);
        }
        rc = bp_cpu_runtime_shape_output(call, (uint32_t)shape.n, dims, err);
    }
    if (rc < 0)
        return rc;
    y = call->out[0];
    /* Types below 8 bits are packed: a fill by bytes would not do for an odd number of elements. */
    if (bp_cpu_is_packed(y->dtype) && bp_cpu_count(y) > 0)
        bp_cpu_sub_byte_fill(y->dtype, bp_tensor_data(y), state->value, (size_t)bp_cpu_count(y));
    else
        bp_cpu_fill(bp_tensor_data(y), state->value, bp_cpu_width(y->dtype),
                    (size_t)bp_cpu_count(y));
    return BP_OK;
}

/* The type is that of the output, as the input is always int64. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    if (!y || y->dtype >= BP_DTYPE_END || !(op->types >> y->dtype & 1)) {
        bp_cpu_refuse(query, BP_R_DTYPE, "value", "element type %s is not implemented",
                      y ? bp_cpu_dtype_name(y->dtype) : "unknown");
        return;
    }
    bp_accept(query->claims, query->index);
}

const struct bp_cpu_op bp_cpu_op_constant_of_shape = {
    .name = "ConstantOfShape",
    .since = 9,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_ANY_TYPE & ~(UINT64_C(1) << BP_DTYPE_STRING),
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
