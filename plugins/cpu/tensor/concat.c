/* SPDX-License-Identifier: MIT */
/*
 * concat.c - Concat (ai.onnx, opsets 1, 4, 11, 13).
 *
 * Inputs of one type and rank that differ in size along `axis` only, one after the other along that
 * axis. Version 1 has a default axis of 1, later ones require the attribute; from 11 on it may be
 * negative. Types: all of 8 bits and more, for every version. The copy itself is in concat_split.c.
 */

#include "kernels/runtime_shape.h"
#include "tensor/concat_split.h"

/*
 * Collects the sizes along the axis and checks that all other dimensions agree with the output's.
 */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *y = call->out[0];
    uint32_t axis;
    int64_t *sizes;
    bp_rc rc = bp_cpu_axis(call, bp_cpu_int(call->node, "axis", 1), y->rank, &axis, err);

    if (rc >= 0)
        rc = bp_cpu_state(call, sizeof(struct bp_cpu_concat_split), err);
    if (rc < 0)
        return rc;
    sizes = bp_cpu_call_memory(call, call->n_in * sizeof *sizes);
    if (!sizes)
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for %u inputs", call->n_in);
    for (uint32_t i = 0; i < call->n_in; i++) {
        const bp_tensor *x = call->in[i];
        bool fits = x && x->rank == y->rank && x->dtype == y->dtype;

        for (uint32_t d = 0; fits && d < y->rank; d++)
            fits = d == axis || x->dims[d] == y->dims[d];
        if (!fits)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "input %u does not fit the output", i);
        sizes[i] = x->dims[axis];
    }
    return bp_cpu_concat_split_make(call, y, axis, call->n_in, sizes, call->state, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    (void)err;
    bp_cpu_concat_copy(call, call->state, call->in, bp_tensor_data(call->out[0]));
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_concat = {
    .name = "Concat",
    .since = 1,
    .types = BP_CPU_MOVABLE,
    .prepare = prepare,
    .run = run,
};
