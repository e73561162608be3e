/* SPDX-License-Identifier: MIT */
/* arena.h - OrtArenaCfg: of its settings the limit acts, the C library decides the rest. */
#ifndef BP_ORT_VALUES_ARENA_H
#define BP_ORT_VALUES_ARENA_H

#include "ort/key_values.h"

struct OrtArenaCfg {
    size_t max_mem; /* bytes in use at once; 0: no limit */
};

/* The limit among an allocator's options, "arena.max_mem" or "max_mem"; 0 when there is none. */
OrtStatus *ort_arena_limit(const OrtKeyValuePairs *options, size_t *out);

#endif
