/* SPDX-License-Identifier: MIT */
/*
 * contract.h - Batches of matrix products whose factors may be transposed, and sums of rows, for
 * float32, float64 and integers of 32 and 64 bits, which wrap around.
 */
#ifndef BP_CPU_MATMUL_CONTRACT_H
#define BP_CPU_MATMUL_CONTRACT_H

#include "cpu.h"
#include "kernels/gemm/gemm.h"

/*
 * A plan: the caller fills the fields from batches to dtype; the rest belongs to contract.c.
 * Matrices of a batch are contiguous.
 */
struct bp_cpu_contract {
    int64_t batches, m, n, k;
    int64_t a_row, a_col, b_row, b_col; /* strides in elements; one of each pair is dense */
    uint32_t dtype;
    size_t scratch_bytes; /* of each worker; set by bp_cpu_contract_plan() */

    bool by_gemm;
    uint32_t slices;
    struct bp_cpu_gemm gemm;
};

/* Plans the products. BP_E_SHAPE: there are more tasks than 32 bits count. */
bp_rc bp_cpu_contract_plan(const struct bp_cpu_call *call, struct bp_cpu_contract *contract,
                           bp_err *err);
/*
 * Runs the products on the pool's threads. scratch has scratch_bytes, rounded up to 64, for each
 * thread.
 */
void bp_cpu_contract_run(const struct bp_cpu_call *call, const struct bp_cpu_contract *contract,
                         const void *a, const void *b, void *c, void *scratch);
/* y[r] = sum of the n elements of row r of x. */
void bp_cpu_sum_rows(const struct bp_cpu_call *call, uint32_t dtype, const void *x, void *y,
                     int64_t rows, int64_t n);

#endif
