/* SPDX-License-Identifier: MIT */
/*
 * svm_probability.h - Class probabilities from probabilities of pairs: the second method of Wu, Lin
 * and Weng, "Probability estimates for multi-class classification by pairwise coupling" (2004).
 */
#ifndef BP_CPU_ML_SVM_PROBABILITY_H
#define BP_CPU_ML_SVM_PROBABILITY_H

#include <stddef.h>

/* Number of doubles in the work area for n classes. */
static inline size_t bp_cpu_coupling_work(size_t n)
{
    return n * n + n;
}

/*
 * pairs[i * n + j] is the probability of class i if only i and j are possible. p gets n
 * probabilities. The iteration ends at ONNX Runtime's tolerance, 0.005 / n, so that results agree.
 * No state: threads may call it at once with work areas of their own.
 */
void bp_cpu_couple(const double *pairs, size_t n, double *p, double *work);

#endif
