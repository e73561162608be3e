/* SPDX-License-Identifier: MIT */
/*
 * ms_attention_kit.h - one plain attention in double, which sees all heads as batch x heads x rows x
 * size: the reference of com.microsoft's attention operators.
 */
#ifndef BP_TESTS_MS_ATTENTION_KIT_H
#define BP_TESTS_MS_ATTENTION_KIT_H

#include "cpu/ms_kit.h"

#include <float.h>

static const uint32_t floats[] = {BP_DTYPE_F32, BP_DTYPE_F16, BP_DTYPE_BF16};

/* ---- the reference --------------------------------------------------------------------------- */

enum { B = 2, N = 3, H = 4, HV = 5, S = 3, L = 4, P = 2 };

struct plain {
    int batches, heads, group, queries, keys, head, value_head;
    const double *q, *k, *v; /* dense */
    double scale, softcap;
    const double *add; /* batch x head x query x key; NULL: nothing */
    bool (*sees)(const struct plain *p, int b, int s, int key); /* NULL: all */
    const int *past, *total;                                    /* of each batch, for `sees` */
    int window;
    const double *sink;     /* one a head; NULL: none */
    double *before, *after; /* scores, where wanted */
};

static inline double dot(const double *a, const double *b, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static inline bool causal(const struct plain *p, int b, int s, int key)
{
    int reach = p->past[b] + s + 1, end = reach < p->total[b] ? reach : p->total[b];

    return key < end && (p->window <= 0 || key >= end - p->window);
}

static inline bool present(const struct plain *p, int b, int s, int key)
{
    (void)s;
    return key < p->total[b];
}

/* out: batch x query x (head x value_head) */
static inline void attend(const struct plain *p, double *out)
{
    double *row = zeros((size_t)p->keys);

    for (int i = 0; i < p->batches * p->heads * p->queries; i++) {
        int s = i % p->queries, h = i / p->queries % p->heads, b = i / p->queries / p->heads;
        int kv = (b * p->heads + h) / p->group;
        double max = p->sink ? p->sink[h] : -(double)INFINITY, sum;

        for (int t_ = 0; t_ < p->keys; t_++) {
            double v =
                p->scale * dot(p->q + i * p->head, p->k + (kv * p->keys + t_) * p->head, p->head);

            v = p->softcap > 0 ? p->softcap * tanh(v / p->softcap) : v;
            v += p->add ? p->add[i * p->keys + t_] : 0;
            if (p->sees && !p->sees(p, b, s, t_))
                v = -(double)INFINITY;
            if (p->before)
                p->before[i * p->keys + t_] = v;
            row[t_] = v;
            max = fmax(max, v);
        }
        sum = p->sink ? exp(p->sink[h] - max) : 0;
        for (int t_ = 0; t_ < p->keys; t_++)
            sum += row[t_] = exp(row[t_] - max);
        for (int t_ = 0; t_ < p->keys; t_++) {
            double share = row[t_] / sum;

            if (p->after)
                p->after[i * p->keys + t_] = share;
            for (int d = 0; d < p->value_head; d++)
                out[((b * p->queries + s) * p->heads + h) * p->value_head + d] +=
                    share * p->v[(kv * p->keys + t_) * p->value_head + d];
        }
    }
}

/* batch x rows x (heads x size) with a bias to batch x heads x rows x size */
static inline double *by_head(const double *x, const double *bias, int batches, int rows, int heads,
                              int size)
{
    double *y = zeros((size_t)(batches * rows * heads * size));

    for (int i = 0; i < batches * rows * heads * size; i++) {
        int d = i % size, h = i / size % heads, r = i / size / heads % rows;
        int b = i / size / heads / rows;

        y[((b * heads + h) * rows + r) * size + d] = x[i] + (bias ? bias[h * size + d] : 0);
    }
    return y;
}

/* Rows of the past in front of new ones: pairs x past x size, pairs x n x size. */
static inline double *after_past(const double *past, int n_past, const double *x, int n, int pairs,
                                 int size)
{
    double *y = zeros((size_t)(pairs * (n_past + n) * size));

    for (int p = 0; p < pairs; p++) {
        double *to = y + p * (n_past + n) * size;

        if (n_past > 0)
            memcpy(to, past + p * n_past * size, (size_t)(n_past * size) * sizeof *to);
        memcpy(to + n_past * size, x + p * n * size, (size_t)(n * size) * sizeof *to);
    }
    return y;
}

#endif
