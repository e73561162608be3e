/* SPDX-License-Identifier: MIT */
/*
 * sort_keys.h - elements of any number type as unsigned 64-bit keys of the same order, so that
 * sorting does not depend on types.
 *
 * -0 and 0 have one key; NaN is above all other values and equals itself. All functions only use
 * their arguments; any thread may call them.
 */
#ifndef BP_CPU_KERNELS_SORT_KEYS_H
#define BP_CPU_KERNELS_SORT_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct bp_cpu_sort_key {
    uint64_t key;
    int64_t at; /* index of the element */
};

/* Writes the keys of n elements that are `step` elements apart. */
typedef void (*bp_cpu_sort_keys_fn)(const void *x, int64_t step, int64_t n, uint64_t *keys);

/* The function for a number type or bool; NULL for others. */
bp_cpu_sort_keys_fn bp_cpu_sort_keys_of(uint32_t dtype);
/* Sorts n items by key, ascending and stable. `spare` has the capacity of items. */
void bp_cpu_sort_keys_sort(struct bp_cpu_sort_key *items, struct bp_cpu_sort_key *spare, int64_t n);
/*
 * Writes the first k of n keys, ordered by key and index, to items; 1 <= k <= n. In O(n log k): for
 * k much smaller than n.
 */
void bp_cpu_sort_keys_first(const uint64_t *keys, int64_t n, struct bp_cpu_sort_key *items,
                            int64_t k);

/* order(u, i, j) <= 0: item i may come before item j. */
typedef int (*bp_cpu_order_fn)(const void *u, int64_t i, int64_t j);

/* Sorts item numbers, stable, in O(n log n) calls of order. `spare` has the capacity of items. */
void bp_cpu_order_sort(int64_t *items, int64_t *spare, int64_t n, bp_cpu_order_fn order,
                       const void *u);

#endif
