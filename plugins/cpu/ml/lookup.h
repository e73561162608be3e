/* SPDX-License-Identifier: MIT */
/*
 * lookup.h - A hash table from scalars or strings to their position in a list. Of equal keys the
 * last one counts.
 * Made once when a node is packed; lookups only read, from any number of threads.
 */
#ifndef BP_CPU_ML_LOOKUP_H
#define BP_CPU_ML_LOOKUP_H

#include "cpu.h"

struct bp_cpu_lookup {
    const bp_span *texts; /* NULL: the keys are scalars */
    const uint64_t *scalars;
    uint32_t *slots; /* position + 1; 0: free */
    uint64_t seed;   /* differs between processes, so that no model can make its keys collide */
    uint32_t mask;   /* slots - 1 */
    uint32_t n;
};

/*
 * Makes the table of n keys, scalars or texts (the other is NULL). Keys are borrowed and must live
 * as long as the table; its memory is the node's. BP_E_NOMEM; BP_E_INVALID: more than 2^31 keys.
 */
bp_rc bp_cpu_lookup_make(struct bp_cpu_node *node, const uint64_t *scalars, const bp_span *texts,
                         uint32_t n, struct bp_cpu_lookup *out, bp_err *err);
/* The position of a key, or n if it is absent. */
uint32_t bp_cpu_lookup_scalar(const struct bp_cpu_lookup *lookup, uint64_t key);
uint32_t bp_cpu_lookup_text(const struct bp_cpu_lookup *lookup, bp_span key);

/*
 * Converts n elements of type dtype to 64-bit keys: integers by sign extension, floats by their
 * bits. With `by_value` all NaNs have the same key, and so have 0 and -0.
 */
void bp_cpu_lookup_keys(uint32_t dtype, const void *from, bool by_value, uint64_t *to, size_t n);

#endif
