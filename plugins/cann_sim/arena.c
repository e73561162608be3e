/* SPDX-License-Identifier: MIT */
/*
 * arena.c - regions and chunks of device memory. The growth rules, and so the sizes that a device
 * sees, are those of ONNX Runtime's arena.
 */

#define _GNU_SOURCE

#include "arena.h"

/*
 * Bytes: of the first region; of the region from which on they no longer double; and of the rest of
 * a chunk that is split off even where the chunk is less than twice the request.
 */
static const uint64_t first_region = UINT64_C(1) << 20, max_growth = UINT64_C(1) << 30,
                      max_unused_tail = UINT64_C(128) << 20;

enum { ALIGN = 16 };

/*
 * A part of a region, in use or free. The rows are host memory, as device memory cannot be touched.
 */
struct bp_cann_chunk {
    struct bp_cann_chunk *next; /* the one after it in its region */
    uintptr_t address;
    size_t bytes;
    bool is_free;
};

/* Memory from one aclrtMalloc(), cut up into chunks without gaps. */
struct bp_cann_region {
    struct bp_cann_region *next;
    void *base;
    struct bp_cann_chunk *chunks; /* by address; neighbours are never both free */
};

/* ---- small things ---------------------------------------------------------------------------- */

/* Zeroed; NULL: no memory. */
static void *calloc_host(const struct bp_cann_arena *arena, size_t n)
{
    void *memory = arena->host->alloc(arena->host->h, n, ALIGN);

    return memory ? memset(memory, 0, n) : NULL;
}

static void free_host(const struct bp_cann_arena *arena, void *memory, size_t n)
{
    arena->host->free(arena->host->h, memory, n, ALIGN);
}

/*
 * A row that coalescing left over, if there is one: what comes and goes in a run allocates nothing.
 */
static struct bp_cann_chunk *make_chunk(struct bp_cann_arena *arena, uintptr_t address,
                                        size_t bytes)
{
    struct bp_cann_chunk *chunk = arena->unused;

    if (chunk)
        arena->unused = chunk->next;
    else
        chunk = calloc_host(arena, sizeof *chunk);
    if (chunk)
        *chunk = (struct bp_cann_chunk){.address = address, .bytes = bytes, .is_free = true};
    return chunk;
}

/* A list of rows; NULL is fine. */
static void free_chunks(const struct bp_cann_arena *arena, struct bp_cann_chunk *chunk)
{
    while (chunk) {
        struct bp_cann_chunk *next = chunk->next;

        free_host(arena, chunk, sizeof *chunk);
        chunk = next;
    }
}

/* ---- life ------------------------------------------------------------------------------------ */

void bp_cann_arena_init(struct bp_cann_arena *arena, const bp_host *host,
                        const struct bp_cann_driver *driver, uint64_t limit, uint32_t strategy)
{
    *arena = (struct bp_cann_arena){.host = host,
                                    .driver = driver,
                                    .limit = limit,
                                    .strategy = strategy,
                                    .next_region = limit < first_region ? limit : first_region};
    pthread_mutex_init(&arena->lock, NULL); /* cannot fail with default attributes */
}

void bp_cann_arena_finish(struct bp_cann_arena *arena)
{
    while (arena->regions) {
        struct bp_cann_region *region = arena->regions;

        free_chunks(arena, region->chunks);
        arena->driver->acl.aclrtFree(region->base);
        arena->regions = region->next;
        free_host(arena, region, sizeof *region);
    }
    free_chunks(arena, arena->unused);
    pthread_mutex_destroy(&arena->lock);
}

/* ---- growing --------------------------------------------------------------------------------- */

/*
 * Bytes of the next region. It doubles from region to region, up to 1 GiB; a doubling that the
 * request made is not made again for the next one. `allowed`: what the limit leaves.
 */
static uint64_t region_bytes(struct bp_cann_arena *arena, size_t n, uint64_t allowed)
{
    bool has_grown = false;
    uint64_t bytes;

    if (arena->strategy == BP_CANN_SAME_AS_REQUESTED)
        return n;
    if (arena->next_region < BP_CANN_UNIT)
        arena->next_region = BP_CANN_UNIT;
    while (arena->next_region < n) {
        arena->next_region *= 2;
        has_grown = true;
    }
    bytes = arena->next_region < allowed ? arena->next_region : allowed;
    if (!has_grown && arena->next_region < max_growth)
        arena->next_region *= 2;
    return bytes;
}

/* A region with one free chunk. A device that has no more memory is not asked for less. */
static bp_rc add_region(struct bp_cann_arena *arena, size_t n, bp_err *err)
{
    uint64_t allowed = (arena->limit - arena->total) / BP_CANN_UNIT * BP_CANN_UNIT;
    uint64_t previous = arena->next_region, bytes;
    struct bp_cann_region *region;
    aclError code;

    if (n > allowed)
        return bp_fail(err, BP_E_NOMEM,
                       "cann: npu_mem_limit leaves %llu bytes available, %zu bytes are requested",
                       (unsigned long long)allowed, n);
    bytes = region_bytes(arena, n, allowed);
    region = calloc_host(arena, sizeof *region);
    if (region)
        region->chunks = make_chunk(arena, 0, (size_t)bytes);
    if (!region || !region->chunks) {
        free_host(arena, region, sizeof *region);
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for a region");
    }
    code = arena->driver->acl.aclrtMalloc(&region->base, (size_t)bytes, ACL_MEM_MALLOC_HUGE_FIRST);
    if (code != ACL_SUCCESS) {
        arena->next_region = previous; /* a request that is too large says nothing of the next */
        free_host(arena, region->chunks, sizeof *region->chunks);
        free_host(arena, region, sizeof *region);
        return bp_cann_fail(arena->driver, err, code, "aclrtMalloc of %llu bytes of device memory",
                            (unsigned long long)bytes);
    }
    region->chunks->address = (uintptr_t)region->base;
    region->next = arena->regions;
    arena->regions = region;
    arena->total += bytes;
    return BP_OK;
}

/* ---- chunks ---------------------------------------------------------------------------------- */

/*
 * The smallest free chunk that is large enough; NULL: none. All chunks are looked at: a session has
 * few.
 */
static struct bp_cann_chunk *best_fit(const struct bp_cann_arena *arena, size_t n)
{
    struct bp_cann_chunk *best = NULL;

    for (const struct bp_cann_region *region = arena->regions; region; region = region->next) {
        for (struct bp_cann_chunk *chunk = region->chunks; chunk; chunk = chunk->next) {
            if (chunk->is_free && chunk->bytes >= n && (!best || chunk->bytes < best->bytes))
                best = chunk;
        }
    }
    return best;
}

/*
 * Without memory for the second half the chunk stays whole, which is only larger than it need be.
 * So it does when little would be left over, as the next request of that size fits it again.
 */
static void split(struct bp_cann_arena *arena, struct bp_cann_chunk *chunk, size_t n)
{
    struct bp_cann_chunk *rest;

    if (chunk->bytes < 2 * n && chunk->bytes - n < max_unused_tail)
        return;
    rest = make_chunk(arena, chunk->address + n, chunk->bytes - n);
    if (!rest)
        return;
    rest->next = chunk->next;
    chunk->next = rest;
    chunk->bytes = n;
}

/* A larger alignment takes that many bytes more, and the address moves up inside the chunk. */
bp_rc bp_cann_arena_alloc(struct bp_cann_arena *arena, size_t n, size_t align, void **out,
                          bp_err *err)
{
    size_t slack = align > BP_CANN_UNIT ? align : 0; /* a region begins at a multiple of 256 only */
    struct bp_cann_chunk *chunk;
    bp_rc rc = BP_OK;

    if (n > SIZE_MAX / 4 || slack > SIZE_MAX / 4)
        return bp_fail(err, BP_E_NOMEM, "cann: %zu bytes do not fit in memory", n);
    n = (n + slack + BP_CANN_UNIT - 1) / BP_CANN_UNIT * BP_CANN_UNIT;
    pthread_mutex_lock(&arena->lock);
    chunk = best_fit(arena, n);
    if (!chunk) {
        rc = add_region(arena, n, err);
        if (rc >= 0)
            chunk = best_fit(arena, n);
    }
    if (chunk) {
        uintptr_t address;

        split(arena, chunk, n);
        chunk->is_free = false;
        address = slack ? (chunk->address + align - 1) / align * align : chunk->address;
        *out = (void *)address;
    }
    pthread_mutex_unlock(&arena->lock);
    return rc;
}

/* The chunk takes over its neighbour, whose row is kept for a chunk to come. */
static void coalesce_next(struct bp_cann_arena *arena, struct bp_cann_chunk *chunk)
{
    struct bp_cann_chunk *next = chunk->next;

    chunk->bytes += next->bytes;
    chunk->next = next->next;
    next->next = arena->unused;
    arena->unused = next;
}

/*
 * Is the address in this region? Then its chunk is free again, and coalesced with free neighbours.
 */
static bool free_in_region(struct bp_cann_arena *arena, struct bp_cann_region *region,
                           uintptr_t address)
{
    struct bp_cann_chunk *previous = NULL, *chunk = region->chunks;

    while (chunk && (address < chunk->address || address - chunk->address >= chunk->bytes)) {
        previous = chunk;
        chunk = chunk->next;
    }
    if (!chunk)
        return false;
    chunk->is_free = true;
    if (chunk->next && chunk->next->is_free)
        coalesce_next(arena, chunk);
    if (previous && previous->is_free)
        coalesce_next(arena, previous);
    return true;
}

/* An address of no region is ignored. */
void bp_cann_arena_free(struct bp_cann_arena *arena, const void *address)
{
    pthread_mutex_lock(&arena->lock);
    for (struct bp_cann_region *region = arena->regions; region; region = region->next) {
        if (free_in_region(arena, region, (uintptr_t)address))
            break;
    }
    pthread_mutex_unlock(&arena->lock);
}

uint64_t bp_cann_arena_free_bytes(struct bp_cann_arena *arena)
{
    uint64_t bytes = 0;

    pthread_mutex_lock(&arena->lock);
    for (const struct bp_cann_region *region = arena->regions; region; region = region->next) {
        for (const struct bp_cann_chunk *chunk = region->chunks; chunk; chunk = chunk->next)
            bytes += chunk->is_free ? chunk->bytes : 0;
    }
    pthread_mutex_unlock(&arena->lock);
    return bytes;
}

/* Chunks coalesce, so that a region without one in use is a single free chunk. */
void bp_cann_arena_trim(struct bp_cann_arena *arena)
{
    struct bp_cann_region **link = &arena->regions;

    pthread_mutex_lock(&arena->lock);
    while (*link) {
        struct bp_cann_region *region = *link;

        if (!region->chunks->is_free || region->chunks->next) {
            link = &region->next;
            continue;
        }
        *link = region->next;
        arena->total -= region->chunks->bytes;
        arena->driver->acl.aclrtFree(region->base);
        free_chunks(arena, region->chunks);
        free_host(arena, region, sizeof *region);
    }
    free_chunks(arena, arena->unused);
    arena->unused = NULL;
    pthread_mutex_unlock(&arena->lock);
}
