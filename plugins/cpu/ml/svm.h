/* SPDX-License-Identifier: MIT */
/*
 * svm.h - What SVMClassifier and SVMRegressor share: kernels K(row, support vector).
 * LINEAR: x.v; POLY: (gamma x.v + coef0)^degree; RBF: exp(-gamma ||||x - v||||^2); SIGMOID:
 * tanh(gamma x.v + coef0). A float32 X is computed in float32, the other types in float64.
 */
#ifndef BP_CPU_ML_SVM_H
#define BP_CPU_ML_SVM_H

#include "ml/dot_products.h"
#include "ml/ml_rows.h"

struct bp_cpu_svm {
    /* the support vectors, or of a linear model its coefficients */
    struct bp_cpu_dot_products dots;
    uint32_t kernel;
    float gamma, coef0, degree;
    uint32_t transform;
    const float *coefficients, *rho;
    uint32_t n_coefficients, n_rho;
};

/*
 * Reads the attributes that both operators have, without support_vectors. Lists are borrowed from
 * the graph. BP_E_INVALID: a list is empty or too short, or a name is unknown.
 */
bp_rc bp_cpu_svm_read(const struct bp_cpu_node *node, struct bp_cpu_svm *out, bp_err *err);
/*
 * Packs n support vectors; with n 0, `coefficients` is n_linear vectors of a linear model.
 * BP_E_INVALID, BP_E_NOMEM.
 */
bp_rc bp_cpu_svm_vectors(struct bp_cpu_node *node, struct bp_cpu_svm *svm, uint64_t n,
                         uint32_t n_linear, bp_err *err);
/*
 * Writes the kernels of a block's rows to its work area, `padded` in a row, float or double as
 * svm->dots.is_double says.
 */
void bp_cpu_svm_kernels(const struct bp_cpu_svm *svm, const struct bp_cpu_ml_block *block);
/* sum of coefficients[i] * kernel[first + i], i < n, for one row of the block. */
double bp_cpu_svm_sum(const struct bp_cpu_svm *svm, const struct bp_cpu_ml_block *block, size_t row,
                      size_t first, const void *coefficients, size_t n);
/* The coefficients converted to the kernels' type, in the node's memory; NULL: no memory. */
void *bp_cpu_svm_coefficients(struct bp_cpu_node *node, const struct bp_cpu_svm *svm);
/* Bytes of the work area that the kernels of one row need. */
static inline size_t bp_cpu_svm_row_bytes(const struct bp_cpu_svm *svm)
{
    return svm->dots.padded * (svm->dots.is_double ? sizeof(double) : sizeof(float));
}

/* Simple operations for a row, for the number of slices. */
static inline int64_t bp_cpu_svm_cost(const struct bp_cpu_svm *svm)
{
    size_t cost = svm->dots.padded * (svm->dots.k / 8 + 4);

    return cost < INT32_MAX ? (int64_t)cost : INT32_MAX;
}

#endif
