/* SPDX-License-Identifier: MIT */
/*
 * allocator.c - the environment's allocator for a session's runs, and CreateAllocator: an allocator of
 * a session, its own or a proxy of the environment's.
 */

#include "config.h"

#include <stdlib.h>

#include "ort/guarded.h"
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

/* ---- of runs ----------------------------------------------------------------------------------- */

/* bp_allocator.alloc; an exception of Alloc is the run's status. */
static bp_rc take(void *user, size_t bytes, void **block, bp_err *err)
{
    *block = ort_alloc(user, bytes);
    return *block ? BP_OK : ort_to_err(ort_no_bytes(bytes), err);
}

static void give_back(void *user, void *block)
{
    ort_free(user, block);
}

/* `user` is not a part of the session, because values may outlive that. */
OrtStatus *ort_session_set_allocator(const OrtSession *session, bp_session_options *options)
{
    bp_allocator allocator = {.struct_size = sizeof allocator,
                              .alloc = take,
                              .free = give_back,
                              .user = session->allocator.allocator};
    struct ort_err err;

    if (!session->allocator.allocator)
        return NULL;
    return ort_from(bp_session_options_set_allocator(options, &allocator, ort_err_init(&err)), &err,
                    ORT_OTHER, NULL);
}

/* ---- slots ------------------------------------------------------------------------------------- */

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
    made->of = session->allocator.allocator;
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
