/* SPDX-License-Identifier: MIT */
/*
 * shared_allocators.h - allocators with counters and limits, and those that the environment shares.
 *
 * Thread rule: any thread; lists are under the environment's lock, counters are atomic.
 */
#ifndef BP_ORT_VALUES_SHARED_ALLOCATORS_H
#define BP_ORT_VALUES_SHARED_ALLOCATORS_H

#include <stdatomic.h>

#include "ort/values/memory.h"

/*
 * An allocator of host memory with counters. A shared one is freed with its last holder: the
 * environment, sessions, and each of its blocks do.
 */
struct ort_allocator {
    OrtAllocator table; /* first: what applications see */
    bool is_shared;     /* false: its maker frees it */
    atomic_size_t refs; /* of a shared one */
    size_t limit;       /* bytes in use at once; 0: none */
    atomic_size_t in_use, max_in_use, max_size;
    atomic_size_t n_allocs, n_reserves;
};

/* Drops a reference to a shared one; NULL is fine. */
void ort_allocator_release(struct ort_allocator *allocator);
/* Sets up a zeroed allocator. */
void ort_allocator_init(struct ort_allocator *allocator, size_t limit);

/* An allocator of the environment. */
struct ort_shared_row {
    OrtAllocator *allocator;
    const OrtMemoryInfo *info; /* the allocator's */
    struct ort_allocator *own; /* NULL: the application's */
};

/* Under the environment's lock. */
struct ort_shared {
    struct ort_shared_row *rows;
    size_t n;
};

void ort_shared_finish(struct ort_shared *shared);
/*
 * Adds an allocator of host memory to the environment; one for the same memory is replaced. `limit`: bytes in use at once, 0: none. *out (out may be NULL) is borrowed.
 */
OrtStatus *ort_shared_add_own(OrtEnv *env, size_t limit, OrtAllocator **out);
/* Removes the allocator for such memory; false: there is none. */
bool ort_shared_remove(OrtEnv *env, const OrtMemoryInfo *info);
/* The environment's allocator for such memory, NULL when none was registered. */
OrtAllocator *ort_shared_find(OrtEnv *env, const OrtMemoryInfo *info);
/*
 * What sessions with session.use_env_allocators take memory from, zeroed if nothing was registered.
 * One that is ours comes with a reference; one of the application stays until it is unregistered and no
 * session or value uses it.
 */
struct ort_shared_row ort_shared_take(OrtEnv *env, const OrtMemoryInfo *info);

#endif
