/* SPDX-License-Identifier: MIT */
/*
 * allocator.c - CreateAllocator: an allocator of a session, its own or a proxy of the
 * environment's.
 */

#include "config.h"

#include <stdlib.h>

#include "ort/session/session.h"
#include "ort/status.h"

/* A session's allocator: its own, or a proxy of the environment's. */
struct lent {
    struct ort_allocator own; /* its table first */
    OrtAllocator *of;
};

/* The environment's allocator behind a proxy. */
static OrtAllocator *origin(const OrtAllocator *this_)
{
    return ((const struct lent *)(const void *)this_)->of;
}

static void *lent_alloc(OrtAllocator *this_, size_t size)
{
    return origin(this_)->Alloc(origin(this_), size);
}

static void lent_free(OrtAllocator *this_, void *p)
{
    origin(this_)->Free(origin(this_), p);
}

static const OrtMemoryInfo *lent_info(const OrtAllocator *this_)
{
    return origin(this_)->Info(origin(this_));
}

/* OrtAllocator::Reserve exists since version 18. */
static void *lent_reserve(OrtAllocator *this_, size_t size)
{
    OrtAllocator *of = origin(this_);

    return of->version >= 18 && of->Reserve ? of->Reserve(of, size) : of->Alloc(of, size);
}

static OrtStatus *lent_stats(const OrtAllocator *this_, OrtKeyValuePairs **out)
{
    return ort_AllocatorGetStats(origin(this_), out);
}

/*
 * OrtApi since version 5: Only CPU memory; session.use_env_allocators selects the environment's.
 * The caller releases it before the session.
 */
OrtStatus *ort_CreateAllocator(const OrtSession *session, const OrtMemoryInfo *mem_info,
                               OrtAllocator **out)
{
    struct lent *made;

    ORT_NEED(session);
    ORT_NEED(mem_info);
    ORT_NEED(out);
    if (mem_info->device_type != OrtMemoryInfoDeviceType_CPU)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "No requested allocator available: the session has none for '%s'",
                        mem_info->name);
    made = calloc(1, sizeof *made);
    if (!made)
        return ort_no_memory();
    ort_allocator_init(&made->own, 0);
    if (ort_keys_is_on(&session->config, "session.use_env_allocators"))
        made->of = ort_shared_find(session->env, mem_info);
    if (made->of)
        made->own.table = (OrtAllocator){.version = ORT_API_VERSION,
                                         .Alloc = lent_alloc,
                                         .Free = lent_free,
                                         .Info = lent_info,
                                         .Reserve = lent_reserve,
                                         .GetStats = lent_stats};
    *out = &made->own.table;
    return NULL;
}

/* OrtApi since version 5: The default allocator is static and never freed. */
void ort_ReleaseAllocator(OrtAllocator *input)
{
    if (input != ort_default_allocator())
        free(input);
}
