/* SPDX-License-Identifier: MIT */
/* runtime_outputs.c - see runtime_outputs.h. */

#include "kernels/runtime_outputs.h"

uint32_t bp_cpu_runtime_outputs_note(const struct bp_cpu_call *call)
{
    uint32_t dynamic = 0;

    for (uint32_t i = 0; i < call->n_out && i < 32; i++) {
        if (call->out[i] && call->out[i]->rank == BP_RANK_UNKNOWN)
            dynamic |= UINT32_C(1) << i;
    }
    return dynamic;
}

bp_rc bp_cpu_runtime_outputs_give(struct bp_cpu_call *call, uint32_t dynamic, uint32_t i,
                                  uint32_t rank, const int64_t *dims, bp_err *err)
{
    const bp_tensor *out = bp_cpu_out(call, i);
    bool is_same;

    if (!out)
        return BP_OK;
    if (dynamic >> i & 1)
        return bp_cpu_alloc_output(call, i, rank, dims, err);
    is_same = out->rank == rank;
    for (uint32_t d = 0; is_same && d < rank; d++)
        is_same = out->dims[d] == dims[d];
    if (!is_same)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "output %u does not have the shape that the frame was prepared for", i);
    return BP_OK;
}
