/* SPDX-License-Identifier: MIT */
/*
 * lookup.h - a table from numbers or strings to their position in a list; of equal ones the last.
 */
#ifndef BP_CPU_ML_LOOKUP_H
#define BP_CPU_ML_LOOKUP_H

#include "cpu.h"

struct bp_cpu_lookup {
    const bp_span *texts; /* NULL: numbers */
    const uint64_t *numbers;
    uint32_t *slots; /* position + 1; 0: free */
    uint64_t seed;   /* other in each process, so that no model can aim at one slot */
    uint32_t mask;   /* slots - 1 */
    uint32_t n;
};

/* Keys are either; they are kept by reference. Memory is the node's. */
bp_rc bp_cpu_lookup_make(struct bp_cpu_node *node, const uint64_t *numbers, const bp_span *texts,
                         uint32_t n, struct bp_cpu_lookup *out, bp_err *err);
/* Position of a key, or n when it is none. */
uint32_t bp_cpu_lookup_number(const struct bp_cpu_lookup *lookup, uint64_t key);
uint32_t bp_cpu_lookup_text(const struct bp_cpu_lookup *lookup, bp_span key);

/*
 * Keys of n elements as numbers: integers as they are, floats by their bits. With `by_value` all
 * NaNs are one key, and so are 0 and -0.
 */
void bp_cpu_lookup_keys(uint32_t dtype, const void *from, bool by_value, uint64_t *to, size_t n);

#endif
