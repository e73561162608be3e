/* SPDX-License-Identifier: MIT */
/*
 * dot_products.h - rows of features against a fixed set of vectors: their products, or the squares
 * of their distances. The vectors are packed in panels of 16 that lie side by side, so that few
 * vectors, as linear models have, and few features, as tables have, still fill wide registers.
 */
#ifndef BP_CPU_ML_DOT_PRODUCTS_H
#define BP_CPU_ML_DOT_PRODUCTS_H

#include "cpu.h"

enum { BP_CPU_DOT_PRODUCTS_PANEL = 16 };

struct bp_cpu_dot_products {
    size_t n, k;    /* vectors, and features of each */
    size_t padded;  /* results in a row of the output: n, rounded up to whole panels */
    bool is_double; /* computed in float64 */
    void *panels;
};

/* Packs n vectors of k floats, one after the other. BP_E_NOMEM. */
bp_rc bp_cpu_dot_products_pack(struct bp_cpu_node *node, const float *vectors, size_t n, size_t k,
                               bool is_double, struct bp_cpu_dot_products *out, bp_err *err);
/* x is rows of k; out gets rows of `padded`. */
void bp_cpu_dot_products_f32(const struct bp_cpu_dot_products *dots, const float *x, size_t rows,
                             float *out, bool is_distance);
void bp_cpu_dot_products_f64(const struct bp_cpu_dot_products *dots, const double *x, size_t rows,
                             double *out, bool is_distance);
/* The sum of products of two lists. */
float bp_cpu_dot_f32(const float *a, const float *b, size_t n);
double bp_cpu_dot_f64(const double *a, const double *b, size_t n);

#endif
