/* SPDX-License-Identifier: MIT */
/* arena.h - OrtArenaCfg: only the memory limit is used, because allocators here have no arena. */
#ifndef BP_ORT_VALUES_ARENA_H
#define BP_ORT_VALUES_ARENA_H

#include "ort/key_values.h"

struct OrtArenaCfg {
    size_t max_mem; /* bytes in use at once; 0: no limit */
};

/* The limit of an allocator's options, "arena.max_mem" or "max_mem", in bytes; 0: none. */
OrtStatus *ort_arena_limit(const OrtKeyValuePairs *options, size_t *out);

#endif
