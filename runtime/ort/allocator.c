/* SPDX-License-Identifier: MIT */
/* allocator.c - the default allocator, those of sessions, and settings of arenas. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/keys.h"
#include "ort/memory.h"
#include "ort/status.h"

enum { ALIGNMENT = 64 }; /* wide enough for every vector unit */

static void *allocate(OrtAllocator *this_, size_t size)
{
    void *p = NULL;

    (void)this_;
    if (size == 0 || posix_memalign(&p, ALIGNMENT, size) != 0)
        return NULL;
    return p;
}

static void release(OrtAllocator *this_, void *p)
{
    (void)this_;
    free(p);
}

static const OrtMemoryInfo *info(const OrtAllocator *this_)
{
    (void)this_;
    return ort_cpu_memory();
}

/* The memory is the C library's: it keeps no figures of its own. */
static OrtStatus *get_stats(const OrtAllocator *this_, OrtKeyValuePairs **out)
{
    (void)this_;
    ORT_NEED(out);
    ort_CreateKeyValuePairs(out);
    return *out ? NULL : ort_no_memory();
}

OrtAllocator *ort_default_allocator(void)
{
    static OrtAllocator allocator = {.version = ORT_API_VERSION,
                                     .Alloc = allocate,
                                     .Free = release,
                                     .Info = info,
                                     .Reserve = allocate,
                                     .GetStats = get_stats};

    return &allocator;
}

char *ort_dup(OrtAllocator *allocator, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = allocator->Alloc(allocator, size);

    if (copy)
        memcpy(copy, text, size);
    return copy;
}

OrtStatus *ort_GetAllocatorWithDefaultOptions(OrtAllocator **out)
{
    ORT_NEED(out);
    *out = ort_default_allocator();
    return NULL;
}

OrtStatus *ort_AllocatorAlloc(OrtAllocator *ort_allocator, size_t size, void **out)
{
    ORT_NEED(ort_allocator);
    ORT_NEED(out);
    *out = ort_allocator->Alloc(ort_allocator, size);
    if (!*out && size > 0)
        return ort_fail(ORT_FAIL, "the allocator has no %zu bytes", size);
    return NULL;
}

OrtStatus *ort_AllocatorFree(OrtAllocator *ort_allocator, void *p)
{
    ORT_NEED(ort_allocator);
    ort_allocator->Free(ort_allocator, p);
    return NULL;
}

OrtStatus *ort_AllocatorGetInfo(const OrtAllocator *ort_allocator, const OrtMemoryInfo **out)
{
    ORT_NEED(ort_allocator);
    ORT_NEED(out);
    *out = ort_allocator->Info(ort_allocator);
    return NULL;
}

OrtStatus *ort_AllocatorGetStats(const OrtAllocator *ort_allocator, OrtKeyValuePairs **out)
{
    ORT_NEED(ort_allocator);
    ORT_NEED(out);
    if (ort_allocator->version < 23 || !ort_allocator->GetStats)
        return ort_fail(ORT_NOT_IMPLEMENTED, "the allocator keeps no statistics");
    return ort_allocator->GetStats(ort_allocator, out);
}

/* ---- allocators of a session ----------------------------------------------------------------- */

OrtStatus *ort_CreateAllocator(const OrtSession *session, const OrtMemoryInfo *mem_info,
                               OrtAllocator **out)
{
    OrtAllocator *allocator;

    ORT_NEED(session);
    ORT_NEED(mem_info);
    ORT_NEED(out);
    if (mem_info->device_type != OrtMemoryInfoDeviceType_CPU)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "No requested allocator available: the session has none for '%s'",
                        mem_info->name);
    allocator = malloc(sizeof *allocator);
    if (!allocator)
        return ort_no_memory();
    *allocator = *ort_default_allocator();
    *out = allocator;
    return NULL;
}

void ort_ReleaseAllocator(OrtAllocator *input)
{
    if (input != ort_default_allocator())
        free(input);
}

/* ---- arenas: accepted, the C library decides --------------------------------------------------- */

struct OrtArenaCfg {
    OrtKeyValuePairs unused;
};

OrtStatus *ort_CreateArenaCfg(size_t max_mem, int arena_extend_strategy,
                              int initial_chunk_size_bytes, int max_dead_bytes_per_chunk,
                              OrtArenaCfg **out)
{
    (void)max_mem;
    ORT_NEED(out);
    if (arena_extend_strategy < -1 || arena_extend_strategy > 1 || initial_chunk_size_bytes < -1 ||
        max_dead_bytes_per_chunk < -1)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "Invalid configuration value was provided: the strategy can be 0 or 1, sizes "
                        "cannot be negative; -1 is the default");
    *out = calloc(1, sizeof **out);
    return *out ? NULL : ort_no_memory();
}

OrtStatus *ort_CreateArenaCfgV2(const char *const *arena_config_keys,
                                const size_t *arena_config_values, size_t num_keys,
                                OrtArenaCfg **out)
{
    static const char *const keys[] = {
        "max_mem",
        "arena_extend_strategy",
        "initial_chunk_size_bytes",
        "max_dead_bytes_per_chunk",
        "initial_growth_chunk_size_bytes",
        "max_power_of_two_extend_bytes",
    };

    if (num_keys > 0) {
        ORT_NEED(arena_config_keys);
        ORT_NEED(arena_config_values);
    }
    for (size_t i = 0; i < num_keys; i++) {
        size_t k = 0;

        ORT_NEED(arena_config_keys[i]);
        while (k < sizeof keys / sizeof *keys && strcmp(keys[k], arena_config_keys[i]) != 0)
            k++;
        if (k == sizeof keys / sizeof *keys)
            return ort_fail(ORT_INVALID_ARGUMENT, "Invalid key found: %s", arena_config_keys[i]);
    }
    return ort_CreateArenaCfg(0, -1, -1, -1, out);
}

void ort_ReleaseArenaCfg(OrtArenaCfg *input)
{
    free(input);
}

/* ---- allocators that sessions share: there is one for ordinary memory, and it is the default --------- */

OrtStatus *ort_CreateAndRegisterAllocator(OrtEnv *env, const OrtMemoryInfo *mem_info,
                                          const OrtArenaCfg *arena_cfg)
{
    (void)arena_cfg;
    ORT_NEED(env);
    ORT_NEED(mem_info);
    if (mem_info->device_type != OrtMemoryInfoDeviceType_CPU)
        return ort_fail(ORT_INVALID_ARGUMENT, "there is no allocator for memory '%s'",
                        mem_info->name);
    return NULL;
}

OrtStatus *ort_CreateAndRegisterAllocatorV2(OrtEnv *env, const char *provider_type,
                                            const OrtMemoryInfo *mem_info,
                                            const OrtArenaCfg *arena_cfg,
                                            const char *const *provider_options_keys,
                                            const char *const *provider_options_values,
                                            size_t num_keys)
{
    ORT_NEED(provider_type);
    if (num_keys > 0) {
        ORT_NEED(provider_options_keys);
        ORT_NEED(provider_options_values);
    }
    if (strcmp(provider_type, "CPUExecutionProvider") != 0)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "%s is not implemented in CreateAndRegisterAllocatorV2(); "
                        "CPUExecutionProvider is",
                        provider_type);
    return ort_CreateAndRegisterAllocator(env, mem_info, arena_cfg);
}

OrtStatus *ort_GetSharedAllocator(OrtEnv *env, const OrtMemoryInfo *mem_info,
                                  OrtAllocator **allocator)
{
    ORT_NEED(env);
    ORT_NEED(mem_info);
    ORT_NEED(allocator);
    *allocator =
        mem_info->device_type == OrtMemoryInfoDeviceType_CPU ? ort_default_allocator() : NULL;
    return NULL;
}
