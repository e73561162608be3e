/* SPDX-License-Identifier: MIT */
/*
 * sort_keys.h - elements of any number type as unsigned numbers of the same order, so that sorting
 * needs no types. -0 equals 0, and NaN is above all other numbers and equals itself.
 */
#ifndef BP_CPU_KERNELS_SORT_KEYS_H
#define BP_CPU_KERNELS_SORT_KEYS_H

#include <stddef.h>
#include <stdint.h>

struct bp_cpu_sort_key {
    uint64_t key;
    int64_t at; /* where it came from */
};

/* Keys of n elements that are `step` elements apart. */
typedef void (*bp_cpu_sort_keys_fn)(const void *x, int64_t step, int64_t n, uint64_t *keys);

/* For number types and bool; NULL for others. */
bp_cpu_sort_keys_fn bp_cpu_sort_keys_of(uint32_t dtype);
/* Sorts n items by key, ascending; equal ones keep their order. `spare` has room for as many. */
void bp_cpu_sort_keys_sort(struct bp_cpu_sort_key *items, struct bp_cpu_sort_key *spare, int64_t n);
/*
 * The k first of n keys by key and place, in that order, as items; k is at least 1. For k that is
 * small beside n.
 */
void bp_cpu_sort_keys_first(const uint64_t *keys, int64_t n, struct bp_cpu_sort_key *items,
                            int64_t k);

/* order(u, i, j) <= 0: item i may come before item j. */
typedef int (*bp_cpu_order_fn)(const void *u, int64_t i, int64_t j);

/* Sorts item numbers; equal ones keep their order. `spare` has room for as many. */
void bp_cpu_order_sort(int64_t *items, int64_t *spare, int64_t n, bp_cpu_order_fn order,
                       const void *u);

#endif
