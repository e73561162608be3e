/* SPDX-License-Identifier: MIT */
/* strmap.h - a hash map from text to a number; keys are borrowed. */
#ifndef BP_BASE_STRMAP_H
#define BP_BASE_STRMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bp_strmap_slot;

/*
 * Start from {0}. The seed of the hash is per process, so hostile names cannot be made to collide.
 */
struct bp_strmap {
    struct bp_strmap_slot *slots;
    size_t count, cap;
};

/* Sets key to value, over an old one if need be. The key must outlive the map. False: no memory. */
bool bp_strmap_put(struct bp_strmap *map, const char *key, uint32_t value);
/* The value of key, or fallback. */
uint32_t bp_strmap_get(const struct bp_strmap *map, const char *key, uint32_t fallback);
/* A number for n bytes, under a key of the process: collisions cannot be constructed. */
uint64_t bp_keyed_hash(const void *bytes, size_t n);
void bp_strmap_finish(struct bp_strmap *map);

#endif
