/* SPDX-License-Identifier: MIT */
/*
 * svm_probability.c - Pairwise coupling: finds p with sum 1 that minimises p' Q p.
 * Q[i][i] is the sum of r[j][i]^2, Q[i][j] = -r[j][i] r[i][j], where r are the pairs'
 * probabilities. The iteration is algorithm 2 of Wu, Lin and Weng (2004).
 */

#include "ml/svm_probability.h"

#include <math.h>

static void fill_q(const double *pairs, size_t n, double *q)
{
    for (size_t i = 0; i < n; i++) {
        q[i * n + i] = 0;
        for (size_t j = 0; j < n; j++) {
            if (j == i)
                continue;
            q[i * n + i] += pairs[j * n + i] * pairs[j * n + i];
            q[i * n + j] = -pairs[j * n + i] * pairs[i * n + j];
        }
    }
}

/* qp = Q p; returns p' Q p. */
static double multiply(const double *q, const double *p, size_t n, double *qp)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++) {
        qp[i] = 0;
        for (size_t j = 0; j < n; j++)
            qp[i] += q[i * n + j] * p[j];
        sum += p[i] * qp[i];
    }
    return sum;
}

/* The end of the iteration: at the minimum all elements of Q p equal p' Q p. */
static int is_level(const double *qp, double mean, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(fabs(qp[i] - mean) < 0.005 / (double)n))
            return 0;
    }
    return 1;
}

/*
 * Sets p[i] to where its derivative vanishes, then scales p to sum 1. qp and *mean are updated
 * without a new product.
 */
static void step(const double *q, double *p, double *qp, size_t n, size_t i, double *mean)
{
    double diagonal = q[i * n + i], delta = (*mean - qp[i]) / diagonal, scale = 1 + delta;

    *mean = (*mean + delta * (delta * diagonal + 2 * qp[i])) / scale / scale;
    p[i] += delta;
    for (size_t j = 0; j < n; j++) {
        qp[j] = (qp[j] + delta * q[i * n + j]) / scale;
        p[j] /= scale;
    }
}

void bp_cpu_couple(const double *pairs, size_t n, double *p, double *work)
{
    double *q = work, *qp = work + n * n;
    size_t rounds = n > 100 ? n : 100;

    fill_q(pairs, n, q);
    for (size_t i = 0; i < n; i++)
        p[i] = 1 / (double)n;
    for (size_t round = 0; round < rounds; round++) {
        double mean = multiply(q, p, n, qp);

        if (is_level(qp, mean, n))
            return;
        for (size_t i = 0; i < n; i++)
            step(q, p, qp, n, i, &mean);
    }
}
