/* SPDX-License-Identifier: MIT */
/*
 * arena.h - device memory as ONNX Runtime's provider has it: regions from aclrtMalloc(), which are
 * kept, and chunks of them, best fit first, joined again when they are free.
 */
#ifndef BP_CANN_ARENA_H
#define BP_CANN_ARENA_H

#include <pthread.h>

#include "library.h"

enum {
    BP_CANN_UNIT = 256, /* bytes that every request is rounded up to */
    BP_CANN_NEXT_POWER_OF_TWO = 0,
    BP_CANN_SAME_AS_REQUESTED = 1
};

struct bp_cann_chunk;

struct bp_cann_arena {
    const bp_host *host;
    const struct bp_cann_driver *driver;
    uint64_t limit;    /* bytes of all regions; UINT64_MAX is none */
    uint32_t strategy; /* BP_CANN_NEXT_POWER_OF_TWO, BP_CANN_SAME_AS_REQUESTED */
    uint64_t total;    /* bytes of all regions */
    uint64_t next_region;
    struct bp_cann_region *regions;
    struct bp_cann_chunk *unused; /* rows for chunks to come */
    pthread_mutex_t lock;
};

void bp_cann_arena_init(struct bp_cann_arena *arena, const bp_host *host,
                        const struct bp_cann_driver *driver, uint64_t limit, uint32_t strategy);
/* Gives all regions back; the thread is in the device's context. */
void bp_cann_arena_finish(struct bp_cann_arena *arena);

/*
 * n > 0 bytes at a multiple of align, a power of two. Any thread that is in the device's context.
 * BP_E_NOMEM: past the limit, in which case ACL is not asked, or the device has no more.
 */
bp_rc bp_cann_arena_alloc(struct bp_cann_arena *arena, size_t n, size_t align, void **out,
                          bp_err *err);
void bp_cann_arena_free(struct bp_cann_arena *arena, const void *address);

#endif
