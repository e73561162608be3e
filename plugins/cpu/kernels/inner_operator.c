/* SPDX-License-Identifier: MIT */
/* inner_operator.c - see inner_operator.h. */

#include "kernels/inner_operator.h"

void bp_cpu_inner_begin(const struct bp_cpu_call *call, const struct bp_cpu_op *op, uint32_t since,
                        struct bp_cpu_inner *inner)
{
    inner->node = *call->node;
    inner->node.op = op;
    inner->plain = *call->node->node;
    inner->plain.since = since;
    inner->node.node = &inner->plain;
    inner->call = *call;
    inner->call.node = &inner->node;
    inner->call.state = NULL;
    inner->call.scratch_bytes = 0;
    inner->call.in = inner->in;
    inner->call.out = inner->out;
    if (inner->call.n_in > BP_CPU_INNER_ENDS)
        inner->call.n_in = BP_CPU_INNER_ENDS;
    if (inner->call.n_out > BP_CPU_INNER_ENDS)
        inner->call.n_out = BP_CPU_INNER_ENDS;
    for (uint32_t i = 0; i < inner->call.n_in; i++)
        inner->in[i] = call->in[i];
    for (uint32_t i = 0; i < inner->call.n_out; i++)
        inner->out[i] = call->out[i];
}

bp_tensor *bp_cpu_inner_tensor(struct bp_cpu_inner *inner, uint32_t dtype, uint32_t rank,
                               const int64_t *dims, bp_err *err)
{
    uint32_t i = inner->n++;
    bp_tensor *tensor = &inner->tensors[i];
    size_t bytes;

    if (rank > 0)
        memcpy(inner->dims[i], dims, rank * sizeof *dims);
    if (__builtin_mul_overflow((size_t)bp_dims_count(dims, rank), bp_cpu_width(dtype), &bytes) ||
        bytes > SIZE_MAX / 8 || inner->bytes > SIZE_MAX / 2) {
        bp_cpu_fail(&inner->node, err, BP_E_NOMEM, "a tensor is too large");
        return NULL;
    }
    tensor->dims = inner->dims[i];
    tensor->rank = rank;
    tensor->dtype = dtype;
    tensor->bytes = bytes;
    inner->at[i] = inner->bytes;
    inner->bytes += bytes / 64 * 64 + 64;
    return tensor;
}

bp_rc bp_cpu_inner_prepare(struct bp_cpu_call *call, struct bp_cpu_inner *inner, bp_err *err)
{
    const struct bp_cpu_op *op = inner->node.op;
    bp_rc rc = op->prepare ? op->prepare(&inner->call, err) : BP_OK;
    size_t own = inner->call.scratch_bytes / 64 * 64 + 64;

    if (rc < 0)
        return rc;
    if (__builtin_add_overflow(inner->bytes, own, &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "the scratch memory is too large");
    for (uint32_t i = 0; i < inner->n; i++)
        inner->at[i] += own;
    return BP_OK;
}

void bp_cpu_inner_bind(const struct bp_cpu_call *call, struct bp_cpu_inner *inner)
{
    inner->call.scratch = call->scratch;
    for (uint32_t i = 0; i < inner->n; i++)
        inner->tensors[i].base = (char *)call->scratch + inner->at[i];
}

bp_rc bp_cpu_become(struct bp_cpu_call *call, const struct bp_cpu_op *op, uint32_t since,
                    bp_err *err)
{
    struct bp_cpu_node *node = bp_cpu_call_memory(call, sizeof *node);
    bp_node *plain = bp_cpu_call_memory(call, sizeof *plain);

    if (!node || !plain)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for the node");
    *plain = *call->node->node;
    plain->since = since;
    *node = *call->node;
    node->node = plain;
    node->op = op;
    call->node = node;
    return op->prepare ? op->prepare(call, err) : BP_OK;
}
