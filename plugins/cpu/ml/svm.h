/* SPDX-License-Identifier: MIT */
/* svm.h - what SVMClassifier and SVMRegressor share: kernels between rows and support vectors. */
#ifndef BP_CPU_ML_SVM_H
#define BP_CPU_ML_SVM_H

#include "ml/dot_products.h"
#include "ml/ml_rows.h"

struct bp_cpu_svm {
    struct bp_cpu_dot_products
        dots; /* the support vectors, or of a linear model its coefficients */
    uint32_t kernel;
    float gamma, coef0, degree;
    uint32_t transform;
    const float *coefficients, *rho;
    uint32_t n_coefficients, n_rho;
};

/* Attributes that both operators have; not the vectors. */
bp_rc bp_cpu_svm_read(const struct bp_cpu_node *node, struct bp_cpu_svm *out, bp_err *err);
/* Packs n support vectors; 0: the coefficients are n_linear vectors, and the kernel is linear. */
bp_rc bp_cpu_svm_vectors(struct bp_cpu_node *node, struct bp_cpu_svm *svm, uint64_t n,
                         uint32_t n_linear, bp_err *err);
/* Kernels of the rows of a block, `padded` in a row, in its work; float or double as dots are. */
void bp_cpu_svm_kernels(const struct bp_cpu_svm *svm, const struct bp_cpu_ml_block *block);
/* The sum of kernels first..first + n of a row, each with its coefficient. */
double bp_cpu_svm_sum(const struct bp_cpu_svm *svm, const struct bp_cpu_ml_block *block, size_t row,
                      size_t first, const void *coefficients, size_t n);
/* The coefficients as the kernels' type; NULL: no memory. */
void *bp_cpu_svm_coefficients(struct bp_cpu_node *node, const struct bp_cpu_svm *svm);
/* Bytes of work that a row's kernels need. */
static inline size_t bp_cpu_svm_row_bytes(const struct bp_cpu_svm *svm)
{
    return svm->dots.padded * (svm->dots.is_double ? sizeof(double) : sizeof(float));
}

/* Simple operations for a row. */
static inline int64_t bp_cpu_svm_cost(const struct bp_cpu_svm *svm)
{
    size_t cost = svm->dots.padded * (svm->dots.k / 8 + 4);

    return cost < INT32_MAX ? (int64_t)cost : INT32_MAX;
}

#endif
