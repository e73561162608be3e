/* SPDX-License-Identifier: MIT */
/*
 * nd_slices.h - index tuples that name slices of the data, for GatherND and ScatterND.
 *
 * The last dimension of the indices, `depth` values, is a tuple; it addresses the first `depth`
 * dimensions of the data after the batch dimensions. The data is seen as slices of `inner`
 * elements, numbered in row-major order.
 */
#ifndef BP_CPU_GATHER_SCATTER_ND_SLICES_H
#define BP_CPU_GATHER_SCATTER_ND_SLICES_H

#include "cpu.h"

struct bp_cpu_nd_slices {
    uint32_t depth;                   /* values of a tuple */
    int64_t dims[BP_CPU_MAX_RANK];    /* the `depth` dimensions that a tuple addresses */
    int64_t strides[BP_CPU_MAX_RANK]; /* in slices */
    int64_t count;                    /* tuples in all batches together */
    int64_t per_batch;                /* tuples of one batch */
    int64_t batch_step;               /* slices of the data of one batch */
    int64_t inner;                    /* elements of a slice */
};

/*
 * For prepare. `batch` is the number of leading dimensions that data and indices share. BP_E_SHAPE:
 * the shapes do not fit each other.
 */
bp_rc bp_cpu_nd_slices_make(const struct bp_cpu_call *call, const bp_tensor *data,
                            const bp_tensor *indices, uint32_t batch, struct bp_cpu_nd_slices *out,
                            bp_err *err);
/*
 * BP_E_INVALID: a tuple is outside of the data; the text names the first one. To be called before
 * each run.
 */
bp_rc bp_cpu_nd_slices_check(const struct bp_cpu_call *call, const struct bp_cpu_nd_slices *tuples,
                             const int64_t *indices, bp_err *err);

/* The slice, within its batch, that tuple i names. The tuples must have been checked. */
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
