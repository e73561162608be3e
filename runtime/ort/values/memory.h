/* SPDX-License-Identifier: MIT */
/*
 * memory.h - OrtMemoryInfo, and the default allocator. Infos are immutable, so any thread may read
 * them.
 */
#ifndef BP_ORT_VALUES_MEMORY_H
#define BP_ORT_VALUES_MEMORY_H

#include "ort/slots.h"

struct OrtMemoryInfo {
    char *name;
    OrtAllocatorType type;
    OrtMemType mem_type;
    OrtMemoryInfoDeviceType device_type;
    OrtDeviceMemoryType device_mem_type;
    uint32_t vendor_id;
    int32_t id;
    size_t alignment;
};

/* Host memory; static. */
const OrtMemoryInfo *ort_cpu_memory(void);
bool ort_memory_equal(const OrtMemoryInfo *a, const OrtMemoryInfo *b);
/* Can the CPU access it? Pinned memory counts. */
bool ort_memory_is_host(const OrtMemoryInfo *info);

OrtAllocator *ort_default_allocator(void);
/* A copy of the text in memory of the allocator, which the caller frees with it. NULL: no memory. */
char *ort_dup(OrtAllocator *allocator, const char *text);

#endif
