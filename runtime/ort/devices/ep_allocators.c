/* SPDX-License-Identifier: MIT */
/*
 * ep_allocators.c - CreateSharedAllocator, ReleaseSharedAllocator: the environment's allocators for
 * an OrtEpDevice.
 */

#include "config.h"

#include "ort/devices/ep_devices.h"
#include "ort/env.h"
#include "ort/status.h"
#include "ort/values/arena.h"

static OrtStatus *memory_of(const OrtEpDevice *device, OrtDeviceMemoryType type,
                            const OrtMemoryInfo **out)
{
    *out = ort_EpDevice_MemoryInfo(device, type);
    if (*out)
        return NULL;
    return ort_fail(ORT_INVALID_ARGUMENT,
                    "Invalid OrtDeviceMemoryType specified for OrtEpDevice: %s hands out no such "
                    "memory",
                    device->name);
}

/* OrtApi since version 23: Replaces the existing one for that memory, which is released. */
OrtStatus *ort_CreateSharedAllocator(OrtEnv *env, const OrtEpDevice *ep_device,
                                     OrtDeviceMemoryType mem_type, OrtAllocatorType allocator_type,
                                     const OrtKeyValuePairs *allocator_options,
                                     OrtAllocator **allocator)
{
    const OrtMemoryInfo *info;
    size_t limit = 0;
    OrtStatus *status;

    (void)allocator_type; /* the C library decides how */
    ORT_NEED(env);
    ORT_NEED(ep_device);
    status = memory_of(ep_device, mem_type, &info);
    if (!status && allocator_options)
        status = ort_arena_limit(allocator_options, &limit);
    if (status)
        return status;
    return ort_shared_add_own(env, limit, allocator);
}

/* OrtApi since version 23. */
OrtStatus *ort_ReleaseSharedAllocator(OrtEnv *env, const OrtEpDevice *ep_device,
                                      OrtDeviceMemoryType mem_type)
{
    const OrtMemoryInfo *info;
    OrtStatus *status;

    ORT_NEED(env);
    ORT_NEED(ep_device);
    status = memory_of(ep_device, mem_type, &info);
    if (!status && !ort_shared_remove(env, info))
        status = ort_fail(ORT_INVALID_ARGUMENT, "there is no shared allocator for memory '%s'",
                          info->name);
    return status;
}
