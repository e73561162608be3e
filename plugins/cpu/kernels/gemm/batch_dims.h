/* SPDX-License-Identifier: MIT */
/*
 * batch_dims.h - the dimensions before the last two of a matrix product, broadcast as numpy does.
 */
#ifndef BP_CPU_KERNELS_GEMM_BATCH_DIMS_H
#define BP_CPU_KERNELS_GEMM_BATCH_DIMS_H

#include "cpu.h"

/* One operand's dimensions, and how far a step in each moves, in what the caller counts. */
struct bp_cpu_batch {
    uint32_t n_dims;
    int64_t dims[BP_CPU_MAX_RANK], steps[BP_CPU_MAX_RANK];
};

struct bp_cpu_batch_dims {
    uint64_t count; /* pairs of matrices */
    uint32_t n_dims;
    int64_t dims[BP_CPU_MAX_RANK];
    int64_t a_step[BP_CPU_MAX_RANK], b_step[BP_CPU_MAX_RANK]; /* as the operands have them, or 0 */
};

/* False: the batches do not broadcast. */
bool bp_cpu_batch_dims_join(const struct bp_cpu_batch *a, const struct bp_cpu_batch *b,
                            struct bp_cpu_batch_dims *out);
/* The same for two tensors of dense matrices; steps count matrices. */
bool bp_cpu_batch_dims_make(const bp_tensor *a, const bp_tensor *b, struct bp_cpu_batch_dims *out);
/* With one matrix on the right, all rows on the left are one matrix; `a` is dense. */
bool bp_cpu_batch_dims_can_flatten(const struct bp_cpu_batch_dims *batches, const bp_tensor *a);
/* Where the matrices of pair `i` are: their numbers, or what the steps count. */
void bp_cpu_batch_dims_at(const struct bp_cpu_batch_dims *batches, uint64_t i, int64_t *a,
                          int64_t *b);

#endif
