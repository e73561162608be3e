/* SPDX-License-Identifier: MIT */
/*
 * memory.h - where the memory that the frames of a session hold comes from, for whom it is, and how
 * much there may be.
 */
#ifndef BP_BASE_MEMORY_H
#define BP_BASE_MEMORY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

/* Bytes now, and the most that there were. Start from {0}. [any thread] */
struct bp_memory {
    _Atomic uint64_t held, peak;
};

/* How much host memory the engines of a session, or of an environment, may hold together. */
struct bp_memory_limit {
    const char *whose;     /* "session", "environment" */
    uint64_t most;         /* bytes; 0: any number */
    struct bp_memory held; /* frames, and what providers hold beside them */
};

/* Host memory of an engine: arenas, and outputs whose sizes come with the data. */
struct bp_engine_memory {
    bp_allocator allocator; /* where it comes from; alloc NULL: from the C library */
    struct bp_memory all;
    struct bp_memory host_ops; /* of it, for what the host runs itself */
    /* Bytes that its providers hold beside frames; NULL: none. [any thread] */
    uint64_t (*count_rest)(const void *providers);
    const void *providers;
    _Atomic uint64_t rest;             /* of that, as last counted */
    struct bp_memory_limit *limits[2]; /* of the session, of the environment; may be NULL */
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

/* So much is held now. */
static inline void bp_memory_note_peak(struct bp_memory *memory, uint64_t now)
{
    uint64_t peak = atomic_load(&memory->peak);

    while (peak < now && !atomic_compare_exchange_weak(&memory->peak, &peak, now))
        continue;
}

/* memory may be NULL, as below: nothing is counted. */
static inline void bp_memory_add(struct bp_memory *memory, size_t bytes)
{
    if (memory && bytes > 0)
        bp_memory_note_peak(memory, atomic_fetch_add(&memory->held, bytes) + bytes);
}

static inline void bp_memory_drop(struct bp_memory *memory, size_t bytes)
{
    if (memory)
        atomic_fetch_sub(&memory->held, bytes);
}

/*
 * Counts memory of frames that is about to be allocated. BP_E_NOMEM: it would be more than there may
 * be; nothing is counted, and the message has the sum. [any thread, as those below]
 */
bp_rc bp_memory_take(struct bp_engine_memory *memory, size_t bytes, bp_err *err) BP_CHECKED;
/* It was freed. */
void bp_memory_give(struct bp_engine_memory *memory, size_t bytes);
/* Counts again what providers hold beside frames: weights and caches. */
void bp_memory_count_rest(struct bp_engine_memory *memory);
/* BP_E_NOMEM: what providers hold is too much already. */
bp_rc bp_memory_check_rest(struct bp_engine_memory *memory, bp_err *err) BP_CHECKED;
/* The engine ends: its providers hold nothing any more. */
void bp_memory_leave(struct bp_engine_memory *memory);
/* Is there a limit? */
bool bp_memory_is_limited(const struct bp_engine_memory *memory);

#endif
