/* SPDX-License-Identifier: MIT */
/* batches.h - the dimensions before the last two of a matrix product, broadcast as numpy does. */
#ifndef BP_CPU_KERNELS_BATCHES_H
#define BP_CPU_KERNELS_BATCHES_H

#include "cpu.h"

struct bp_cpu_batches {
    uint64_t count; /* pairs of matrices */
    uint32_t n_dims;
    int64_t dims[BP_CPU_MAX_RANK];
    int64_t a_step[BP_CPU_MAX_RANK], b_step[BP_CPU_MAX_RANK]; /* in matrices */
};

/* False: the batches do not broadcast. */
bool bp_cpu_batches_make(const bp_tensor *a, const bp_tensor *b, struct bp_cpu_batches *out);
/* With one matrix on the right, all rows on the left are one matrix. */
bool bp_cpu_batches_can_flatten(const struct bp_cpu_batches *batches, const bp_tensor *a);
/* Numbers of the matrices of pair `i`. */
void bp_cpu_batches_at(const struct bp_cpu_batches *batches, uint64_t i, int64_t *a, int64_t *b);

#endif
