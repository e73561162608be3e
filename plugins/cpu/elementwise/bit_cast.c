/* SPDX-License-Identifier: MIT */
/*
 * bit_cast.c - BitCast (ai.onnx, opset 26).
 *
 * Y has the bits of X under the type of attribute `to`, which must be as wide; the shape stays.
 * Within a program Y is a view of X. Types: all pairs of one width.
 */

#include "kernels/cast/low_precision.h"
#include "kernels/tensor_data.h"

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    const bp_value *y = bp_node_out(query->graph, query->node, 0);
    uint32_t width = x ? bp_dtype_width(x->dtype) : 0;

    (void)op;
    if (!y || width == 0 || width != bp_dtype_width(y->dtype))
        bp_cpu_refuse_dtype(query, 0);
    else
        bp_accept(query->claims, query->index);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    const void *from = bp_cpu_data(x);
    void *to = bp_cpu_data(call->out[0]);

    (void)err;
    if (to != from)
        memcpy(to, from, bp_cpu_bytes_of(x->dtype, (size_t)bp_cpu_count(x)));
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_bit_cast = {
    .name = "BitCast",
    .since = 26,
    .flags = BP_CPU_VIEW,
    .claim = claim,
    .run = run,
};
