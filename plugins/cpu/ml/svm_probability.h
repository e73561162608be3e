/* SPDX-License-Identifier: MIT */
/*
 * svm_probability.h - probabilities of classes from those of pairs: the second method of Wu, Lin
 * and Weng, "Probability estimates for multi-class classification by pairwise coupling" (2004).
 */
#ifndef BP_CPU_ML_SVM_PROBABILITY_H
#define BP_CPU_ML_SVM_PROBABILITY_H

#include <stddef.h>

/* Doubles of work for n classes. */
static inline size_t bp_cpu_coupling_work(size_t n)
{
    return n * n + n;
}

/*
 * pairs[i * n + j] is how likely class i is where it can only be i or j. p gets n probabilities.
 * The search stops at ONNX Runtime's accuracy, 0.005 / n, so that results are the same.
 */
void bp_cpu_couple(const double *pairs, size_t n, double *p, double *work);

#endif
