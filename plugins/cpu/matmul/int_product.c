/* SPDX-License-Identifier: MIT */
/* int_product.c - Integer matrix products; see int_product.h. B may be an unaligned constant. */

#include "matmul/int_product.h"

typedef uint32_t element32 __attribute__((may_alias));
typedef uint64_t element64 __attribute__((may_alias));
typedef uint32_t unaligned32 __attribute__((aligned(1), may_alias));
typedef uint64_t unaligned64 __attribute__((aligned(1), may_alias));

/* Row by row of C; unsigned arithmetic wraps around without undefined behaviour. */
static void product_32(const struct bp_cpu_int_product *k, size_t first, size_t end)
{
    const unaligned32 *a = k->a, *b = k->b;

    for (size_t i = first; i < end; i++) {
        element32 *c = (element32 *)k->c + i * k->n;

        for (size_t p = 0; p < k->k; p++) {
            uint32_t x = a[i * k->a_row + p * k->a_col] * (uint32_t)k->factor;

            for (size_t j = 0; j < k->n; j++)
                c[j] += x * b[p * k->b_row + j * k->b_col];
        }
    }
}

/* The same for 64 bits. */
static void product_64(const struct bp_cpu_int_product *k, size_t first, size_t end)
{
    const unaligned64 *a = k->a, *b = k->b;

    for (size_t i = first; i < end; i++) {
        element64 *c = (element64 *)k->c + i * k->n;

        for (size_t p = 0; p < k->k; p++) {
            uint64_t x = a[i * k->a_row + p * k->a_col] * (uint64_t)k->factor;

            for (size_t j = 0; j < k->n; j++)
                c[j] += x * b[p * k->b_row + j * k->b_col];
        }
    }
}

enum { ROWS_WORK = 4 << 20 }; /* multiplications between two looks at the clock: about 4 ms */

/* The size decides; signedness does not matter. */
void bp_cpu_int_product(const struct bp_cpu_int_product *product, struct bp_cpu_stop *stop)
{
    size_t row = product->n * product->k;
    size_t step = row < ROWS_WORK ? ROWS_WORK / (row + 1) + 1 : 1;

    for (size_t i = 0; i < product->m && !bp_cpu_should_stop(stop); i += step) {
        size_t end = product->m - i < step ? product->m : i + step;

        if (product->size == 8)
            product_64(product, i, end);
        else
            product_32(product, i, end);
    }
}
