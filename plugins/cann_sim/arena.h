/* SPDX-License-Identifier: MIT */
/*
 * arena.h - device memory as ONNX Runtime's provider manages it: regions from aclrtMalloc(), which
 * are kept until the end or a trim, and chunks of them, best fit first, coalesced when they are free.
 */
#ifndef BP_CANN_ARENA_H
#define BP_CANN_ARENA_H

#include <pthread.h>

#include "library.h"

/* Bytes that every request is rounded up to, and how the arena grows. */
enum {
    BP_CANN_UNIT = 256, /* bytes that every request is rounded up to */
    BP_CANN_NEXT_POWER_OF_TWO = 0,
    BP_CANN_SAME_AS_REQUESTED = 1
};

struct bp_cann_chunk;

/*
 * An arena of one device. The first four fields are read-only, the others are guarded by the lock.
 */
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

/*
 * `limit` is bytes of all regions, UINT64_MAX for none. `host` and `driver` have to outlive it.
 * Allocates nothing.
 */
void bp_cann_arena_init(struct bp_cann_arena *arena, const bp_host *host,
                        const struct bp_cann_driver *driver, uint64_t limit, uint32_t strategy);
/* Gives all regions back, whatever is still in use. The thread is in the device's context. */
void bp_cann_arena_finish(struct bp_cann_arena *arena);

/* Bytes of the device that the arena holds and nothing uses. [any thread] */
uint64_t bp_cann_arena_free_bytes(struct bp_cann_arena *arena);

/* Gives regions back in which nothing is in use. Any thread that is in the device's context. */
void bp_cann_arena_trim(struct bp_cann_arena *arena);

/*
 * n > 0 bytes at a multiple of align, a power of two. Any thread that is in the device's context.
 * BP_E_NOMEM: past the limit, in which case ACL is not asked, or the device has no more.
 */
bp_rc bp_cann_arena_alloc(struct bp_cann_arena *arena, size_t n, size_t align, void **out,
                          bp_err *err);
/* An address that bp_cann_arena_alloc() gave. Any thread; ACL is not called. */
void bp_cann_arena_free(struct bp_cann_arena *arena, const void *address);

#endif
