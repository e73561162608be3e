/* SPDX-License-Identifier: MIT */
/*
 * int_product.h - Matrix products of 32 and 64-bit integers in plain loops. They wrap around, so
 * that signed and unsigned ones have the same bits and only the element size counts.
 */
#ifndef BP_CPU_MATMUL_INT_PRODUCT_H
#define BP_CPU_MATMUL_INT_PRODUCT_H

#include "cpu.h"

/*
 * C (m x n, dense) += factor * A * B; element (i, p) of A is at i * a_row + p * a_col, and likewise
 * for B.
 */
struct bp_cpu_int_product {
    const void *a, *b;
    void *c;
    size_t m, n, k;
    size_t a_row, a_col, b_row, b_col;
    int64_t factor;
    size_t size; /* of an element: 4 or 8 */
};

/* All rows of C, unless the run is to stop; see bp_cpu_should_stop(). stop may be NULL. */
void bp_cpu_int_product(const struct bp_cpu_int_product *product, struct bp_cpu_stop *stop);

#endif
