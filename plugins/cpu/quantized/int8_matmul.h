/* SPDX-License-Identifier: MIT */
/*
 * int8_matmul.h - The product of MatMulInteger and QLinearMatMul: batches of matrices of 8-bit
 * integers with zero points. The int32 sums are handed to the operator row by row.
 */
#ifndef BP_CPU_QUANTIZED_INT8_MATMUL_H
#define BP_CPU_QUANTIZED_INT8_MATMUL_H

#include "kernels/gemm/batch_dims.h"
#include "kernels/int8/int8.h"
#include "quantized/per_axis.h"

/* Indices of the node's inputs. */
struct bp_cpu_int8_inputs {
    uint32_t a, b, a_zero, b_zero;
};

/* A plan; read-only after bp_cpu_int8_matmul_make(). */
struct bp_cpu_int8_matmul {
    struct bp_cpu_int8_inputs inputs;
    struct bp_cpu_int8 product; /* of one pair of matrices; of all rows if B is one matrix */
    struct bp_cpu_batch_dims batches;
    struct bp_cpu_per_axis a_zero, b_zero;
    size_t rows; /* of a matrix of A as given */
    size_t a_matrices, b_matrices;
    size_t a_step, b_step; /* bytes from one matrix to the next, packed where it is */
    const void *packed_b;  /* packed constant B, or NULL */
    uint32_t pack_slices;
    size_t at_a, at_a_zero, at_b_zero, at_workers; /* in the scratch */
    size_t own_at; /* scratch of the operator itself, of own_bytes */
};

/* Receives n sums of product `batch`, row i, from column j on. [any thread] */
typedef void (*bp_cpu_int8_row)(void *u, uint64_t batch, const int32_t *sums, size_t i, size_t j,
                                size_t n);

/* For op->pack: packs B if it is constant; memory is the node's. BP_E_NOMEM. */
bp_rc bp_cpu_int8_matmul_pack(struct bp_cpu_node *node, struct bp_cpu_int8_inputs inputs,
                              bp_err *err);
/*
 * For op->prepare: plans the product and sets the scratch size, with own_bytes for the operator at
 * own_at. BP_E_SHAPE, BP_E_NOMEM.
 */
bp_rc bp_cpu_int8_matmul_make(struct bp_cpu_call *call, struct bp_cpu_int8_inputs inputs,
                              size_t own_bytes, struct bp_cpu_int8_matmul *out, bp_err *err);
/*
 * For op->run: packs A, then calls `row` for all sums, on the pool's threads. With an `output` and
 * one zero point of A it stores the results there itself, which is faster, and `row` is not called:
 * output->y is the whole call's, and output->scales those of all matrices of B. NULL: none.
 */
void bp_cpu_int8_matmul_run(struct bp_cpu_call *call, const struct bp_cpu_int8_matmul *m,
                            const struct bp_cpu_int8_output *output, bp_cpu_int8_row row, void *u);

#endif
