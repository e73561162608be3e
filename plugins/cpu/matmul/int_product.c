/* SPDX-License-Identifier: MIT */
/* int_product.c - the two loops. B may be a constant at any address. */

#include "matmul/int_product.h"

typedef uint32_t word32 __attribute__((may_alias));
typedef uint64_t word64 __attribute__((may_alias));
typedef uint32_t raw32 __attribute__((aligned(1), may_alias));
typedef uint64_t raw64 __attribute__((aligned(1), may_alias));

static void product_32(const struct bp_cpu_int_product *k, size_t first, size_t end)
{
    const raw32 *a = k->a, *b = k->b;

    for (size_t i = first; i < end; i++) {
        word32 *c = (word32 *)k->c + i * k->n;

        for (size_t p = 0; p < k->k; p++) {
            uint32_t x = a[i * k->a_row + p * k->a_col] * (uint32_t)k->factor;

            for (size_t j = 0; j < k->n; j++)
                c[j] += x * b[p * k->b_row + j * k->b_col];
        }
    }
}

static void product_64(const struct bp_cpu_int_product *k, size_t first, size_t end)
{
    const raw64 *a = k->a, *b = k->b;

    for (size_t i = first; i < end; i++) {
        word64 *c = (word64 *)k->c + i * k->n;

        for (size_t p = 0; p < k->k; p++) {
            uint64_t x = a[i * k->a_row + p * k->a_col] * (uint64_t)k->factor;

            for (size_t j = 0; j < k->n; j++)
                c[j] += x * b[p * k->b_row + j * k->b_col];
        }
    }
}

void bp_cpu_int_product(const struct bp_cpu_int_product *product, size_t first, size_t end)
{
    if (product->size == 8)
        product_64(product, first, end);
    else
        product_32(product, first, end);
}
