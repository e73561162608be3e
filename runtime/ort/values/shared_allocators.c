/* SPDX-License-Identifier: MIT */
/*
 * shared_allocators.c - the environment's allocators, shared by sessions with
 * session.use_env_allocators.
 */

#include "config.h"

#include "ort/values/shared_allocators.h"

#include <stdlib.h>
#include <string.h>

#include "ort/env.h"
#include "ort/guarded.h"
#include "ort/status.h"
#include "ort/values/arena.h"

/* The same device and memory type; the allocator type doesn't matter. */
static bool same_memory(const OrtMemoryInfo *a, const OrtMemoryInfo *b)
{
    return a->device_type == b->device_type && a->id == b->id && a->vendor_id == b->vendor_id &&
           a->device_mem_type == b->device_mem_type;
}

/* Under the environment's lock. NULL: none for such memory. */
static struct ort_shared_row *find(struct ort_shared *shared, const OrtMemoryInfo *info)
{
    for (size_t i = 0; i < shared->n; i++) {
        if (same_memory(shared->rows[i].info, info))
            return &shared->rows[i];
    }
    return NULL;
}

void ort_shared_finish(struct ort_shared *shared)
{
    for (size_t i = 0; i < shared->n; i++)
        ort_allocator_release(shared->rows[i].own);
    free(shared->rows);
    *shared = (struct ort_shared){0};
}

OrtAllocator *ort_shared_find(OrtEnv *env, const OrtMemoryInfo *info)
{
    struct ort_shared_row *row;
    OrtAllocator *found;

    pthread_mutex_lock(&env->lock);
    row = find(&env->shared, info);
    found = row ? row->allocator : NULL;
    pthread_mutex_unlock(&env->lock);
    return found;
}

struct ort_shared_row ort_shared_take(OrtEnv *env, const OrtMemoryInfo *info)
{
    struct ort_shared_row taken = {0};
    struct ort_shared_row *row;

    pthread_mutex_lock(&env->lock);
    row = find(&env->shared, info);
    if (row)
        taken = *row;
    if (taken.own)
        atomic_fetch_add(&taken.own->refs, 1);
    pthread_mutex_unlock(&env->lock);
    return taken;
}

/* Memory of other devices is private to their providers. */
static OrtStatus *need_host_memory(const OrtMemoryInfo *info)
{
    if (info->device_type == OrtMemoryInfoDeviceType_CPU)
        return NULL;
    return ort_fail(ORT_INVALID_ARGUMENT,
                    "there is no allocator for memory '%s': it stays behind "
                    "its provider",
                    info->name);
}

/* Replaces the allocator for the same memory. */
static OrtStatus *add(OrtEnv *env, OrtAllocator *allocator, const OrtMemoryInfo *info,
                      struct ort_allocator *own)
{
    struct ort_shared *shared = &env->shared;
    struct ort_shared_row *row;
    OrtStatus *status = NULL;

    pthread_mutex_lock(&env->lock);
    row = find(shared, info);
    if (row) {
        ort_allocator_release(row->own);
    } else {
        struct ort_shared_row *grown = realloc(shared->rows, (shared->n + 1) * sizeof *grown);

        if (grown) {
            shared->rows = grown;
            row = &grown[shared->n++];
        }
    }
    if (row)
        *row = (struct ort_shared_row){allocator, info, own};
    else
        status = ort_no_memory();
    pthread_mutex_unlock(&env->lock);
    return status;
}

bool ort_shared_remove(OrtEnv *env, const OrtMemoryInfo *info)
{
    struct ort_shared_row *row;

    pthread_mutex_lock(&env->lock);
    row = find(&env->shared, info);
    if (row) {
        ort_allocator_release(row->own);
        *row = env->shared.rows[--env->shared.n];
    }
    pthread_mutex_unlock(&env->lock);
    return row != NULL;
}

OrtStatus *ort_shared_add_own(OrtEnv *env, size_t limit, OrtAllocator **out)
{
    struct ort_allocator *made = calloc(1, sizeof *made);
    OrtStatus *status;

    if (!made)
        return ort_no_memory();
    ort_allocator_init(made, limit);
    made->is_shared = true;
    atomic_init(&made->refs, 1);
    status = add(env, &made->table, ort_cpu_memory(), made);
    if (status)
        free(made);
    else if (out)
        *out = &made->table;
    return status;
}

/* ---- slots: registered by the application ---------------------------------------------------- */

/*
 * OrtApi since version 9: Borrowed until it is unregistered. ORT_INVALID_ARGUMENT: an arena, device
 * memory, or a missing function.
 */
OrtStatus *ort_RegisterAllocator(OrtEnv *env, OrtAllocator *allocator)
{
    const OrtMemoryInfo *info;
    OrtStatus *status;

    ORT_NEED(env);
    ORT_NEED(allocator);
    if (!allocator->Alloc || !allocator->Free || !allocator->Info)
        return ort_fail(ORT_INVALID_ARGUMENT, "an allocator needs Alloc, Free and Info");
    status = ort_info_of(allocator, &info);
    if (status)
        return status;
    if (info->type == OrtArenaAllocator)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "register the allocator as OrtDeviceAllocator, whatever it does inside: "
                        "OrtArenaAllocator is the runtime's own kind");
    status = need_host_memory(info);
    return status ? status : add(env, allocator, info, NULL);
}

/* OrtApi since version 9. */
OrtStatus *ort_UnregisterAllocator(OrtEnv *env, const OrtMemoryInfo *mem_info)
{
    ORT_NEED(env);
    ORT_NEED(mem_info);
    if (!ort_shared_remove(env, mem_info))
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "No allocator for this device has been registered for sharing.");
    return NULL;
}

/* OrtApi since version 5: As in ONNX Runtime, the limit counts for OrtArenaAllocator alone. */
OrtStatus *ort_CreateAndRegisterAllocator(OrtEnv *env, const OrtMemoryInfo *mem_info,
                                          const OrtArenaCfg *arena_cfg)
{
    OrtStatus *status;
    size_t limit = 0;

    ORT_NEED(env);
    ORT_NEED(mem_info);
    status = need_host_memory(mem_info);
    if (status)
        return status;
    if (arena_cfg && mem_info->type == OrtArenaAllocator)
        limit = arena_cfg->max_mem;
    return ort_shared_add_own(env, limit, NULL);
}

/* OrtApi since version 16. */
OrtStatus *ort_CreateAndRegisterAllocatorV2(OrtEnv *env, const char *provider_type,
                                            const OrtMemoryInfo *mem_info,
                                            const OrtArenaCfg *arena_cfg,
                                            const char *const *provider_options_keys,
                                            const char *const *provider_options_values,
                                            size_t num_keys)
{
    ORT_NEED(provider_type);
    if (num_keys > 0) { /* CPU has none that concern memory */
        ORT_NEED(provider_options_keys);
        ORT_NEED(provider_options_values);
    }
    if (strcmp(provider_type, "CPUExecutionProvider") != 0)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "%s is not implemented in CreateAndRegisterAllocatorV2(): it has no memory "
                        "to share, CPUExecutionProvider has",
                        provider_type);
    return ort_CreateAndRegisterAllocator(env, mem_info, arena_cfg);
}

/* OrtApi since version 23: *allocator is the environment's; NULL: none. */
OrtStatus *ort_GetSharedAllocator(OrtEnv *env, const OrtMemoryInfo *mem_info,
                                  OrtAllocator **allocator)
{
    ORT_NEED(env);
    ORT_NEED(mem_info);
    ORT_NEED(allocator);
    *allocator = ort_shared_find(env, mem_info);
    if (!*allocator && same_memory(mem_info, ort_cpu_memory()))
        *allocator = ort_default_allocator();
    return NULL;
}
