/* SPDX-License-Identifier: MIT */
/*
 * allocator.c - the default allocator and those of sessions: malloc'ed memory with counters.
 *
 * The size of a block is stored before it, so that Free can be counted, too. [any thread]
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/guarded.h"
#include "ort/key_values.h"
#include "ort/status.h"
#include "ort/values/shared_allocators.h"

enum { ALIGNMENT = 64 }; /* wide enough for every vector unit, and for the size before a block */

static struct ort_allocator *counted(const OrtAllocator *table)
{
    return (struct ort_allocator *)(uintptr_t)table; /* its first member */
}

/* A maximum that several threads raise. */
static void raise_to(atomic_size_t *most, size_t value)
{
    size_t seen = atomic_load(most);

    while (value > seen && !atomic_compare_exchange_weak(most, &seen, value))
        continue;
}

/* Adds to the bytes in use; false: the limit would be exceeded. */
static bool count_in(struct ort_allocator *allocator, size_t size)
{
    size_t before = atomic_fetch_add(&allocator->in_use, size);

    if (allocator->limit > 0 && (size > allocator->limit || before > allocator->limit - size)) {
        atomic_fetch_sub(&allocator->in_use, size);
        return false;
    }
    raise_to(&allocator->max_in_use, before + size);
    raise_to(&allocator->max_size, size);
    return true;
}

void ort_allocator_release(struct ort_allocator *allocator)
{
    if (allocator && atomic_fetch_sub(&allocator->refs, 1) == 1)
        free(allocator);
}

/* Alignment is 64 bytes; size 0 gives NULL, as in ONNX Runtime. */
static void *get(struct ort_allocator *allocator, size_t size, atomic_size_t *counter)
{
    void *block = NULL;

    if (size == 0 || size > SIZE_MAX - ALIGNMENT || !count_in(allocator, size))
        return NULL;
    if (posix_memalign(&block, ALIGNMENT, size + ALIGNMENT) != 0) {
        atomic_fetch_sub(&allocator->in_use, size);
        return NULL;
    }
    atomic_fetch_add(counter, 1);
    if (allocator->is_shared)
        atomic_fetch_add(&allocator->refs, 1);
    memcpy(block, &size, sizeof size);
    return (char *)block + ALIGNMENT;
}

static void *allocate(OrtAllocator *this_, size_t size)
{
    return get(counted(this_), size, &counted(this_)->n_allocs);
}

/* OrtAllocator.Reserve (since version 18): only counted apart, as there is no arena to bypass. */
static void *reserve(OrtAllocator *this_, size_t size)
{
    return get(counted(this_), size, &counted(this_)->n_reserves);
}

static void release(OrtAllocator *this_, void *p)
{
    char *block;
    size_t size;

    if (!p)
        return;
    block = (char *)p - ALIGNMENT;
    memcpy(&size, block, sizeof size);
    atomic_fetch_sub(&counted(this_)->in_use, size);
    free(block);
    if (counted(this_)->is_shared)
        ort_allocator_release(counted(this_));
}

static const OrtMemoryInfo *info(const OrtAllocator *this_)
{
    (void)this_;
    return ort_cpu_memory();
}

static bool put(OrtKeyValuePairs *to, const char *key, size_t value)
{
    char text[24];

    snprintf(text, sizeof text, "%zu", value);
    return ort_keys_set(to, key, text);
}

/* "-1" is ONNX Runtime's word for no limit. */
static bool put_limit(OrtKeyValuePairs *to, size_t limit)
{
    return limit ? put(to, "Limit", limit) : ort_keys_set(to, "Limit", "-1");
}

/* Keys are ONNX Runtime's. Without an arena, allocated and used bytes are equal. */
static OrtStatus *get_stats(const OrtAllocator *this_, OrtKeyValuePairs **out)
{
    struct ort_allocator *own = counted(this_);
    size_t in_use = atomic_load(&own->in_use);

    ORT_NEED(out);
    ort_CreateKeyValuePairs(out);
    if (*out && put_limit(*out, own->limit) && put(*out, "InUse", in_use) &&
        put(*out, "RequestedInUse", in_use) && put(*out, "TotalAllocated", in_use) &&
        put(*out, "MaxInUse", atomic_load(&own->max_in_use)) &&
        put(*out, "NumAllocs", atomic_load(&own->n_allocs)) &&
        put(*out, "NumReserves", atomic_load(&own->n_reserves)) &&
        put(*out, "NumArenaExtensions", 0) && put(*out, "NumArenaShrinkages", 0) &&
        put(*out, "MaxAllocSize", atomic_load(&own->max_size)))
        return NULL;
    ort_ReleaseKeyValuePairs(*out);
    *out = NULL;
    return ort_no_memory();
}

#define TABLE                                                                                      \
    {                                                                                              \
        .version = ORT_API_VERSION, .Alloc = allocate, .Free = release, .Info = info,              \
        .Reserve = reserve, .GetStats = get_stats                                                  \
    }

void ort_allocator_init(struct ort_allocator *allocator, size_t limit)
{
    allocator->table = (OrtAllocator)TABLE;
    allocator->limit = limit;
}

static struct ort_allocator *shared_default(void)
{
    static struct ort_allocator allocator = {.table = TABLE};

    return &allocator;
}

OrtAllocator *ort_default_allocator(void)
{
    return &shared_default()->table;
}

char *ort_dup(OrtAllocator *allocator, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = ort_alloc(allocator, size);

    if (copy)
        memcpy(copy, text, size);
    return copy;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 1. */
OrtStatus *ort_GetAllocatorWithDefaultOptions(OrtAllocator **out)
{
    ORT_NEED(out);
    *out = ort_default_allocator();
    return NULL;
}

/* OrtApi since version 1: ORT_FAIL: no memory, or the status of an exception. */
OrtStatus *ort_AllocatorAlloc(OrtAllocator *ort_allocator, size_t size, void **out)
{
    ORT_NEED(ort_allocator);
    ORT_NEED(out);
    *out = ort_alloc(ort_allocator, size);
    return *out || size == 0 ? NULL : ort_no_bytes(size);
}

/* OrtApi since version 1. */
OrtStatus *ort_AllocatorFree(OrtAllocator *ort_allocator, void *p)
{
    ORT_NEED(ort_allocator);
    return ort_try_free(ort_allocator, p);
}

/* OrtApi since version 1. */
OrtStatus *ort_AllocatorGetInfo(const OrtAllocator *ort_allocator, const OrtMemoryInfo **out)
{
    ORT_NEED(ort_allocator);
    ORT_NEED(out);
    return ort_info_of(ort_allocator, out);
}

/*
 * OrtApi since version 23: OrtAllocator::GetStats exists since version 23: ORT_NOT_IMPLEMENTED for
 * older ones.
 */
OrtStatus *ort_AllocatorGetStats(const OrtAllocator *ort_allocator, OrtKeyValuePairs **out)
{
    ORT_NEED(ort_allocator);
    ORT_NEED(out);
    if (ort_allocator->version < 23 || !ort_allocator->GetStats)
        return ort_fail(ORT_NOT_IMPLEMENTED,
                        "AllocatorGetStats: the allocator keeps no statistics");
    return ort_stats_of(ort_allocator, out);
}
