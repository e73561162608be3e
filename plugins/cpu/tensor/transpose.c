/* SPDX-License-Identifier: MIT */
/*
 * transpose.c - Transpose (ai.onnx, opsets 1, 13, 21, 23, ...).
 *
 * Y.dims[d] = X.dims[perm[d]], and elements move along; without `perm` the dimensions are reversed.
 * Later versions add types. Types: all; those below 8 bits are unpacked around the call
 * (kernels/cast/sub_byte.h). The copy, with its tiles for the cache, is kernels/strided.c.
 */

#include "kernels/cast/sub_byte.h"
#include "kernels/strided.h"

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *y = call->out[0];
    int64_t strides[BP_CPU_MAX_RANK], permuted[BP_CPU_MAX_RANK], stride = 1;
    uint32_t n_perm;
    const int64_t *perm = bp_cpu_ints(call->node, "perm", &n_perm);
    bp_rc rc = bp_cpu_state(call, sizeof(struct bp_cpu_strided), err);

    if (rc < 0)
        return rc;
    if (x->rank != y->rank || (perm && n_perm != x->rank))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "perm does not have the rank of the input");
    for (uint32_t d = x->rank; d-- > 0;) {
        strides[d] = stride;
        stride *= x->dims[d];
    }
    /* Y is dense, so that only the strides of X are permuted. */
    for (uint32_t d = 0; d < x->rank; d++) {
        int64_t from = perm ? perm[d] : x->rank - 1 - (int64_t)d;

        if (from < 0 || from >= x->rank || x->dims[from] != y->dims[d])
            return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                               "perm does not give the output's shape");
        permuted[d] = strides[from];
    }
    bp_cpu_strided_make(call, bp_cpu_width(x->dtype), y->rank, y->dims, permuted, call->state);
    return BP_OK;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    (void)err;
    bp_cpu_strided_run(call, call->state, bp_tensor_data(call->in[0]),
                       bp_tensor_data(call->out[0]));
    return BP_OK;
}

static const struct bp_cpu_mover mover = {prepare, run};

const struct bp_cpu_op bp_cpu_op_transpose = {
    .name = "Transpose",
    .since = 1,
    .types = BP_CPU_ANY_TYPE,
    .loops = &mover,
    .prepare = bp_cpu_sub_byte_prepare,
    .run = bp_cpu_sub_byte_run,
};
