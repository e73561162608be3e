/* SPDX-License-Identifier: MIT */
/* memory.h - where the memory that the frames of a session hold comes from, and for whom it is. */
#ifndef BP_COMPILE_MEMORY_H
#define BP_COMPILE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Bytes now, and the most that there were. Start from {0}. [any thread] */
struct bp_memory {
    _Atomic uint64_t held, peak;
};

/* Host memory of an engine: arenas, and outputs whose sizes come with the data. */
struct bp_engine_memory {
    bp_allocator allocator; /* where it comes from; alloc NULL: from the C library */
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

/* The allocator that the memory comes from; NULL: the C library. memory may be NULL. */
static inline const bp_allocator *bp_memory_allocator(const struct bp_engine_memory *memory)
{
    return memory && memory->allocator.alloc ? &memory->allocator : NULL;
}

/* memory may be NULL, as below: nothing is counted. */
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

/* Counts memory that is about to be allocated. BP_E_NOMEM: it may not be. [any thread] */
static inline bp_rc bp_memory_take(struct bp_engine_memory *memory, size_t bytes, bp_err *err)
{
    (void)err;
    bp_memory_add(&memory->all, bytes);
    return BP_OK;
}

static inline void bp_memory_give(struct bp_engine_memory *memory, size_t bytes)
{
    bp_memory_drop(&memory->all, bytes);
}

#endif
