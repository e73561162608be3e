/* SPDX-License-Identifier: MIT */
/* memory.h - counts the memory that the frames of a session hold, and for whom. */
#ifndef BP_COMPILE_MEMORY_H
#define BP_COMPILE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct bp_subgraph;
struct bp_unit;

/* Bytes now, and the most that there were. Start from {0}. [any thread] */
struct bp_memory {
    _Atomic uint64_t held, peak;
};

/* Host memory of an engine: arenas, and outputs whose sizes come with the data. */
struct bp_engine_memory {
    struct bp_memory all;
    struct bp_memory host_ops; /* of it, for what the host runs itself */
};

/* What one provider's groups use. */
struct bp_provider_memory {
    struct bp_memory host; /* of the engine's */
    struct bp_memory own;  /* of the provider's */
};

/* A part of an arena. */
struct bp_memory_share {
    struct bp_memory *of;
    size_t bytes;
};

/* memory may be NULL, as below: nobody counts. */
static inline void bp_memory_add(struct bp_memory *memory, size_t bytes)
{
    uint64_t now, peak;

    if (!memory || bytes == 0)
        return;
    now = atomic_fetch_add(&memory->held, bytes) + bytes;
    peak = atomic_load(&memory->peak);
    while (peak < now && !atomic_compare_exchange_weak(&memory->peak, &peak, now))
        continue;
}

static inline void bp_memory_drop(struct bp_memory *memory, size_t bytes)
{
    if (memory)
        atomic_fetch_sub(&memory->held, bytes);
}

/* Who is to be charged for what a unit of a body makes; a unit without provider, or NULL: the host. NULL: nobody counts. */
struct bp_memory *bp_memory_of_unit(const struct bp_subgraph *subgraph, const struct bp_unit *unit);
/* Who is to be charged for a value of a body: who makes it, or the host. NULL: nobody counts. */
struct bp_memory *bp_memory_of_value(const struct bp_subgraph *subgraph, uint32_t value);
/* Counts a growing output of a body's frame: `bytes` more. */
void bp_memory_grow(const struct bp_subgraph *subgraph, uint32_t value, size_t bytes);
/* All that was counted so for a value is gone. */
void bp_memory_shrink(const struct bp_subgraph *subgraph, uint32_t value, size_t bytes);

#endif
