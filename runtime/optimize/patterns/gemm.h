/* SPDX-License-Identifier: MIT */
/* gemm.h - products of a matrix and constant weights, and changes to those. */
#ifndef BP_OPTIMIZE_GEMM_KIT_H
#define BP_OPTIMIZE_GEMM_KIT_H

#include "optimize/passes.h"

/* A Gemm or a MatMul of matrices whose weights and bias are constants of float32 or float64. */
struct bp_gemm {
    uint32_t node;
    uint32_t dtype;
    uint64_t rows, maps; /* of the weights: what is summed, and columns of the output */
    int64_t dims[2];
    bool is_turned;  /* the weights have a row for each map */
    double *weights; /* as they lie; NULL until bp_gemm_load() */
    double *bias;    /* one a map, zeros where there is none; the same */
};

/* Is `value` made by such a node, for no other reader than one? Reads no weights. */
bool bp_gemm_find(struct bp_rewrite *rw, uint32_t value, struct bp_gemm *out);
/* Reads weights and bias; false: they cannot be loaded, or C is none that a bias can be. */
bool bp_gemm_load(struct bp_rewrite *rw, struct bp_gemm *gemm);
/* Weights of map `map` times `factor`, its bias times that plus `offset`. */
void bp_gemm_scale(struct bp_gemm *gemm, size_t map, double factor, double offset);
/* Node `last`, which reads the product, becomes a Gemm with the numbers as they are now. */
bp_rc bp_gemm_replace(struct bp_rewrite *rw, struct bp_gemm *gemm, uint32_t last,
                      bp_err *err) BP_CHECKED;

#endif
