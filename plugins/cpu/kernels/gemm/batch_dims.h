/* SPDX-License-Identifier: MIT */
/*
 * batch_dims.h - the batch dimensions of a matrix product, those before the last two, with NumPy's
 * broadcasting. Nothing is allocated, and all functions may be called by any thread.
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
    uint64_t count; /* number of matrix products */
    uint32_t n_dims;
    int64_t dims[BP_CPU_MAX_RANK];
    int64_t a_step[BP_CPU_MAX_RANK], b_step[BP_CPU_MAX_RANK]; /* as the operands have them, or 0 */
};

/* Broadcasts the batches of two operands. False: they do not broadcast. */
bool bp_cpu_batch_dims_broadcast(const struct bp_cpu_batch *a, const struct bp_cpu_batch *b,
                                 struct bp_cpu_batch_dims *out);
/* The same for two tensors of dense matrices; steps count matrices. */
bool bp_cpu_batch_dims_make(const bp_tensor *a, const bp_tensor *b, struct bp_cpu_batch_dims *out);
/* With one matrix on the right, all rows on the left are one matrix; `a` is dense. */
bool bp_cpu_batch_dims_can_flatten(const struct bp_cpu_batch_dims *batches, const bp_tensor *a);
/* *a and *b: the matrices of product i, in the unit of the steps. */
void bp_cpu_batch_dims_at(const struct bp_cpu_batch_dims *batches, uint64_t i, int64_t *a,
                          int64_t *b);

#endif
