/* SPDX-License-Identifier: MIT */
/*
 * nd_slices.h - an index tensor whose last dimension names a slice of the data: the engine of
 * GatherND and ScatterND. Seen from here the data is a number of slices of `inner` elements.
 */
#ifndef BP_CPU_GATHER_SCATTER_ND_SLICES_H
#define BP_CPU_GATHER_SCATTER_ND_SLICES_H

#include "cpu.h"

struct bp_cpu_nd_slices {
    uint32_t depth;                   /* numbers of an index */
    int64_t dims[BP_CPU_MAX_RANK];    /* of the data, `depth` that an index chooses from */
    int64_t strides[BP_CPU_MAX_RANK]; /* in slices */
    int64_t count;                    /* indices */
    int64_t per_batch;                /* of them each batch has so many, */
    int64_t batch_step;               /* whose data is so many slices */
    int64_t inner;                    /* elements of a slice */
};

/* For data with `batch` dimensions that it shares with the indices. BP_E_SHAPE: they do not fit. */
bp_rc bp_cpu_nd_slices_make(const struct bp_cpu_call *call, const bp_tensor *data,
                            const bp_tensor *indices, uint32_t batch, struct bp_cpu_nd_slices *out,
                            bp_err *err);
/* BP_E_INVALID names the first index that is outside of the data. */
bp_rc bp_cpu_nd_slices_check(const struct bp_cpu_call *call, const struct bp_cpu_nd_slices *tuples,
                             const int64_t *indices, bp_err *err);

/* Number of the slice that index i, checked, names within its batch. */
static inline int64_t bp_cpu_nd_slices_at(const struct bp_cpu_nd_slices *tuples,
                                          const int64_t *indices, int64_t i)
{
    const int64_t *index = indices + i * tuples->depth;
    int64_t at = 0;

    for (uint32_t d = 0; d < tuples->depth; d++)
        at += (index[d] < 0 ? index[d] + tuples->dims[d] : index[d]) * tuples->strides[d];
    return at;
}

#endif
