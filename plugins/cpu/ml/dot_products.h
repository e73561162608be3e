/* SPDX-License-Identifier: MIT */
/*
 * dot_products.h - Rows of features against a fixed set of vectors: their dot products, or the
 * squares of their Euclidean distances.
 * The vectors are packed in panels of 16, interleaved: element f of 16 vectors is contiguous. So a
 * vector register runs over the vectors, and is full even if a model has few features.
 * Threads: packing belongs to one thread; the other functions only read, and any number of threads
 * may call them with outputs of their own.
 */
#ifndef BP_CPU_ML_DOT_PRODUCTS_H
#define BP_CPU_ML_DOT_PRODUCTS_H

#include "cpu.h"

enum { BP_CPU_DOT_PRODUCTS_PANEL = 16 };

struct bp_cpu_dot_products {
    size_t n, k;    /* vectors, and features of each */
    size_t padded;  /* results in a row of the output: n, rounded up to whole panels */
    bool is_double; /* panels and results are double, else float */
    void *panels;   /* [padded / 16][k][16]; the node's memory */
};

/* Packs n vectors of k floats, contiguous in `vectors`. The memory is the node's. BP_E_NOMEM. */
bp_rc bp_cpu_dot_products_pack(struct bp_cpu_node *node, const float *vectors, size_t n, size_t k,
                               bool is_double, struct bp_cpu_dot_products *out, bp_err *err);
/*
 * out[r][v] is the dot product of row r of x and vector v, or with is_distance the sum of squared
 * differences. x is [rows][k], out is [rows][padded]; results beyond n are to be ignored.
 */
void bp_cpu_dot_products_f32(const struct bp_cpu_dot_products *dots, const float *x, size_t rows,
                             float *out, bool is_distance);
void bp_cpu_dot_products_f64(const struct bp_cpu_dot_products *dots, const double *x, size_t rows,
                             double *out, bool is_distance);
/* The dot product of two vectors of n elements. */
float bp_cpu_dot_f32(const float *a, const float *b, size_t n);
double bp_cpu_dot_f64(const double *a, const double *b, size_t n);

#endif
