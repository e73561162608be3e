/* SPDX-License-Identifier: MIT */
/* svm.c - Kernels between rows of features and support vectors; see svm.h. */

#include "ml/svm.h"
#include "kernels/types/loops.h"
#include "kernels/vector_math.h"

enum { LINEAR, POLY, RBF, SIGMOID, N_KERNELS };

#define C float
#define SUFFIX f32
#define F(fn) bp_##fn##f
#define M(fn) fn##f
#include "ml/svm.inc"

#define C double
#define SUFFIX f64
#define F(fn) bp_##fn
#define M(fn) fn
#include "ml/svm.inc"

bp_rc bp_cpu_svm_read(const struct bp_cpu_node *node, struct bp_cpu_svm *out, bp_err *err)
{
    static const char *const kernels[N_KERNELS] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
    uint32_t n;
    const float *params = bp_cpu_floats(node, "kernel_params", &n);
    bp_rc rc = bp_cpu_choice(node, "kernel_type", "LINEAR", kernels, N_KERNELS, &out->kernel, err);

    if (rc >= 0 && n > 0)
        rc = bp_cpu_expect_count(node, "kernel_params", n, 3, "gamma, coef0 and degree are", err);
    if (rc >= 0)
        rc = bp_cpu_transform_read(node, &out->transform, err);
    if (rc < 0)
        return rc;
    if (params) {
        out->gamma = params[0];
        out->coef0 = params[1];
        out->degree = params[2];
    }
    out->coefficients = bp_cpu_floats(node, "coefficients", &out->n_coefficients);
    out->rho = bp_cpu_floats(node, "rho", &out->n_rho);
    if (out->n_coefficients == 0 || out->n_rho == 0)
        return bp_cpu_fail(node, err, BP_E_INVALID, "%s is empty",
                           out->n_rho == 0 ? "rho" : "coefficients");
    return BP_OK;
}

/*
 * Without support vectors the rows of `coefficients` take their place, so that both models use the
 * same product.
 */
bp_rc bp_cpu_svm_vectors(struct bp_cpu_node *node, struct bp_cpu_svm *svm, uint64_t n,
                         uint32_t n_linear, bp_err *err)
{
    const bp_value *x = bp_node_in(node->graph, node->node, 0);
    bool is_double = x && x->dtype != BP_DTYPE_F32;
    uint32_t count;
    const float *vectors = bp_cpu_floats(node, "support_vectors", &count);

    if (n == 0) {
        svm->kernel = LINEAR;
        vectors = svm->coefficients;
        count = svm->n_coefficients;
        n = n_linear;
    }
    if (n > count || count % n != 0)
        return bp_cpu_fail(node, err, BP_E_INVALID, "%s has %u elements for %llu vectors",
                           vectors == svm->coefficients ? "coefficients" : "support_vectors", count,
                           (unsigned long long)n);
    return bp_cpu_dot_products_pack(node, vectors, (size_t)n, (size_t)(count / n), is_double,
                                    &svm->dots, err);
}

void bp_cpu_svm_kernels(const struct bp_cpu_svm *svm, const struct bp_cpu_ml_block *block)
{
    if (svm->dots.is_double)
        kernels_f64(svm, block->x, block->n, block->work);
    else
        kernels_f32(svm, block->x, block->n, block->work);
}

/*
 * The slice of kernels and of coefficients is contiguous, because support vectors are sorted by
 * class.
 */
double bp_cpu_svm_sum(const struct bp_cpu_svm *svm, const struct bp_cpu_ml_block *block, size_t row,
                      size_t first, const void *coefficients, size_t n)
{
    const float *f32 = block->work, *f32_coefficients = coefficients;
    const double *f64 = block->work, *f64_coefficients = coefficients;
    size_t at = row * svm->dots.padded + first;

    if (svm->dots.is_double)
        return bp_cpu_dot_f64(f64 + at, f64_coefficients, n);
    return (double)bp_cpu_dot_f32(f32 + at, f32_coefficients, n);
}

void *bp_cpu_svm_coefficients(struct bp_cpu_node *node, const struct bp_cpu_svm *svm)
{
    void *copy = bp_cpu_node_memory(node, svm->n_coefficients * sizeof(double));

    if (copy && svm->dots.is_double)
        bp_cpu_to_f64(BP_DTYPE_F32, svm->coefficients, copy, svm->n_coefficients);
    else if (copy)
        bp_cpu_to_f32(BP_DTYPE_F32, svm->coefficients, copy, svm->n_coefficients);
    return copy;
}
