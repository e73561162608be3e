/* SPDX-License-Identifier: MIT */
/* gemm.h - products of a matrix and constant weights, and changes to the weights. */
#ifndef BP_OPTIMIZE_GEMM_KIT_H
#define BP_OPTIMIZE_GEMM_KIT_H

#include "optimize/passes.h"

/* A Gemm or a MatMul of matrices whose weights and bias are constants of float32 or float64. */
struct bp_gemm {
    uint32_t node;
    uint32_t dtype;
    uint64_t rows, columns; /* K and N: the dimension that is summed, and columns of the output */
    int64_t dims[2];
    bool is_transposed; /* transB: the weights have a row for each column of the output */
    double *weights;    /* in the order of the file; NULL until bp_gemm_load() */
    double *bias;       /* for each column, 0 without C; NULL until bp_gemm_load() */
};

/* Does such a node produce `value` for one reader only? Reads no weights. */
bool bp_gemm_find(struct bp_rewrite *rw, uint32_t value, struct bp_gemm *out);
/* Reads weights and bias; false: external data can't be read, or C is not a row of N elements. */
bool bp_gemm_load(struct bp_rewrite *rw, struct bp_gemm *gemm);
/* Weights of one column times `factor`, its bias times `factor` plus `offset`. */
void bp_gemm_scale(struct bp_gemm *gemm, size_t column, double factor, double offset);
/* Node `last`, which reads the product, becomes a Gemm with the changed weights and bias. */
bp_rc bp_gemm_replace(struct bp_rewrite *rw, struct bp_gemm *gemm, uint32_t last,
                      bp_err *err) BP_CHECKED;

#endif
