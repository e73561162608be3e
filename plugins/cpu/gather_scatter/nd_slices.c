/* SPDX-License-Identifier: MIT */
/* nd_slices.c - see nd_slices.h. */

#include "gather_scatter/nd_slices.h"

/*
 * `inner` holds the dimensions that a tuple does not reach, `batch_step` the slices of one batch.
 */
bp_rc bp_cpu_nd_slices_make(const struct bp_cpu_call *call, const bp_tensor *data,
                            const bp_tensor *indices, uint32_t batch, struct bp_cpu_nd_slices *out,
                            bp_err *err)
{
    int64_t stride = 1, depth = indices->rank > 0 ? indices->dims[indices->rank - 1] : 0;
    bool fits = batch < indices->rank && batch < data->rank && depth >= 1;

    fits = fits && depth <= data->rank - batch;
    for (uint32_t d = 0; fits && d < batch; d++)
        fits = data->dims[d] == indices->dims[d];
    if (!fits)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "indices do not fit the data");
    out->depth = (uint32_t)depth;
    for (uint32_t d = out->depth; d-- > 0;) {
        out->dims[d] = data->dims[batch + d];
        out->strides[d] = stride;
        stride *= out->dims[d];
    }
    out->batch_step = stride;
    out->count = bp_dims_count(indices->dims, indices->rank - 1);
    out->per_batch = bp_dims_count(indices->dims + batch, indices->rank - 1 - batch);
    out->inner = bp_dims_count(data->dims + batch + out->depth, data->rank - batch - out->depth);
    return BP_OK;
}

/* All tuples are checked before a thread runs, so that the copy itself needs no checks. */
bp_rc bp_cpu_nd_slices_check(const struct bp_cpu_call *call, const struct bp_cpu_nd_slices *tuples,
                             const int64_t *indices, bp_err *err)
{
    for (int64_t i = 0; i < tuples->count; i++) {
        for (uint32_t d = 0; d < tuples->depth; d++) {
            int64_t index = *indices++;

            if (index < -tuples->dims[d] || index >= tuples->dims[d])
                return bp_cpu_fail(call->node, err, BP_E_INVALID,
                                   "index tuple %lld has %lld at position %u, where data has size "
                                   "%lld",
                                   (long long)i, (long long)index, d, (long long)tuples->dims[d]);
        }
    }
    return BP_OK;
}
