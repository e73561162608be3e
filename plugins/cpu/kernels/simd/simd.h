/* SPDX-License-Identifier: MIT */
/*
 * simd.h - the inner loops that decide the speed of matrix products, convolutions and activations.
 * They are written once, in simd.inc, and compiled once for each instruction set; the widest one
 * that this processor has is used.
 *
 * Operands are read through types without alignment, so weights may lie anywhere in a file.
 */
#ifndef BP_CPU_KERNELS_SIMD_SIMD_H
#define BP_CPU_KERNELS_SIMD_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * One block of a matrix product: c[i][j] = bias[i] + alpha * sum of a[i][p] * b[p][j], or with
 * `add` the old c instead of the bias. a is row-major. b comes in panels of `nr` columns: row p of
 * panel q begins at b + q * panel + p * ldb, or + row_at[p] where that is given, and all nr
 * elements of it can be read also where n ends before.
 */
struct bp_cpu_block {
    const void *a, *b;
    void *c;
    const void *bias;     /* m elements, or NULL: zeroes */
    const size_t *row_at; /* k elements, for `block` only; or NULL */
    size_t lda, ldb, ldc, panel;
    size_t m, n, k;
    double alpha;
    bool add;
};

/* y[i] = init + sum over t of w[t] * x[t][i * stride], for i < n. y overlaps no x. */
struct bp_cpu_taps {
    const void *const *x;
    const void *w;
    void *y;
    size_t n, taps, stride;
    double init;
};

/* The loops for one element type, float or double ("T"), and one instruction set. */
struct bp_cpu_simd {
    const char *name;
    size_t mr, nr; /* the tile of `block`: rows of a, columns of b */
    void (*block)(const struct bp_cpu_block *block);
    /*
     * The same sum for few rows and a row-major b (ldb): b is read once, in order; panel is not
     * used.
     */
    void (*rows)(const struct bp_cpu_block *block);
    /* The same for few rows and b transposed: b[j][p] at j * ldb + p. */
    void (*dots)(const struct bp_cpu_block *block);
    void (*taps)(const struct bp_cpu_taps *taps);
    double (*max)(const void *x, size_t n); /* NaN where one is among them; -inf when n is 0 */
    /* n rows of `count` elements, one after the other: the maximum or minimum of each, as `max` */
    void (*max_rows)(const void *x, size_t n, size_t count, double *out);
    void (*min_rows)(const void *x, size_t n, size_t count, double *out);
    double (*sum)(const void *x, size_t n); /* in double */
    /* sum of (x[i] - shift)^2, in double */
    double (*sum_squares)(const void *x, size_t n, double shift);
    /* y[i] = exp(x[i] - shift), and the sum of these; y NULL: only the sum */
    double (*exp_sum)(void *y, const void *x, size_t n, double shift);
    void (*scale)(void *y, const void *x, size_t n, double mul, double add); /* y = x * mul + add */
    void (*sigmoid)(void *y, const void *x, size_t n);
    void (*tanh)(void *y, const void *x, size_t n);
};

/*
 * For BP_DTYPE_F64 the loops on double, else those on float; chosen by what the processor can do.
 */
const struct bp_cpu_simd *bp_cpu_simd(uint32_t dtype);

/*
 * All levels, the plain one first; *usable: this processor has what the loops need. NULL: no such
 * level.
 */
const struct bp_cpu_simd *bp_cpu_simd_level(uint32_t dtype, uint32_t level, bool *usable);

/* [0] float, [1] double; a level that the compiler cannot build has NULL loops. */
extern const struct bp_cpu_simd bp_cpu_simd_plain[2];
extern const struct bp_cpu_simd bp_cpu_simd_avx2[2];
extern const struct bp_cpu_simd bp_cpu_simd_avx512[2];

#endif
