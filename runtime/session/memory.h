/* SPDX-License-Identifier: MIT */
/* memory.h - counts the host memory that the frames of a session hold. */
#ifndef BP_SESSION_MEMORY_H
#define BP_SESSION_MEMORY_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of arenas, and of outputs whose sizes come with the data. Start from {0}. [any thread] */
struct bp_memory {
    _Atomic uint64_t held, peak;
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

#endif
