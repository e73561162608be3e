/* SPDX-License-Identifier: MIT */
/* memory.c - OrtMemoryInfo: names a device's memory. */

#include "config.h"

#include "ort/values/memory.h"

#include <stdlib.h>
#include <string.h>

#include "ort/status.h"

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

/* Names that CreateMemoryInfo accepts, and their devices. */
static const struct {
    const char *name;
    OrtMemoryInfoDeviceType device;
    OrtDeviceMemoryType memory;
    uint32_t vendor;
    const char *now; /* the name that replaced it; NULL: none did */
} known[] = {
    {"Cpu", OrtMemoryInfoDeviceType_CPU, OrtDeviceMemoryType_DEFAULT, 0, NULL},
    {"CpuAligned4K", OrtMemoryInfoDeviceType_CPU, OrtDeviceMemoryType_DEFAULT, 0, NULL},
    {"Cuda", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0x10de, NULL},
    {"CudaPinned", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_HOST_ACCESSIBLE, 0x10de, NULL},
    {"DML", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0x1414, NULL},
    {"Hip", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0x1002, NULL},
    {"HipPinned", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_HOST_ACCESSIBLE, 0x1002, NULL},
    {"OpenVINO_GPU", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0x8086, NULL},
    {"OpenVINO_RT_NPU", OrtMemoryInfoDeviceType_NPU, OrtDeviceMemoryType_DEFAULT, 0x8086, NULL},
    {"QnnHtpShared", OrtMemoryInfoDeviceType_NPU, OrtDeviceMemoryType_HOST_ACCESSIBLE, 0x5143,
     NULL},
    {"WebGPU_Buf", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0, NULL},
    {"WebGPU_Buffer", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0, "WebGPU_Buf"},
    {"WebNN_Ten", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0, NULL},
    {"WebNN_Tensor", OrtMemoryInfoDeviceType_GPU, OrtDeviceMemoryType_DEFAULT, 0, "WebNN_Ten"},
    /* memory of Backplane's own providers */
    {"Cann", OrtMemoryInfoDeviceType_NPU, OrtDeviceMemoryType_DEFAULT, 0x19e5, NULL},
    {"CannPinned", OrtMemoryInfoDeviceType_NPU, OrtDeviceMemoryType_HOST_ACCESSIBLE, 0x19e5, NULL},
};

const OrtMemoryInfo *ort_cpu_memory(void)
{
    static char name[] = "Cpu";
    static const OrtMemoryInfo info = {.name = name, .type = OrtDeviceAllocator};

    return &info;
}

bool ort_memory_equal(const OrtMemoryInfo *a, const OrtMemoryInfo *b)
{
    return strcmp(a->name, b->name) == 0 && a->type == b->type && a->mem_type == b->mem_type &&
           a->id == b->id && a->device_type == b->device_type &&
           a->device_mem_type == b->device_mem_type && a->vendor_id == b->vendor_id;
}

/* Also "Cuda" with a CPU memory type: such memory is pinned, and belongs to the host. */
bool ort_memory_is_host(const OrtMemoryInfo *info)
{
    return info->device_type == OrtMemoryInfoDeviceType_CPU ||
           info->device_mem_type == OrtDeviceMemoryType_HOST_ACCESSIBLE ||
           info->mem_type == OrtMemTypeCPUInput || info->mem_type == OrtMemTypeCPUOutput;
}

/* A copy of `like` under another name. */
static OrtStatus *create(const OrtMemoryInfo *like, const char *name, OrtMemoryInfo **out)
{
    OrtMemoryInfo *info = malloc(sizeof *info);

    if (!info)
        return ort_no_memory();
    *info = *like;
    info->name = strdup(name);
    if (!info->name) {
        free(info);
        return ort_no_memory();
    }
    *out = info;
    return NULL;
}

/* OrtApi since version 1: ORT_INVALID_ARGUMENT: unknown name; CreateMemoryInfo_V2 takes any. */
OrtStatus *ort_CreateMemoryInfo(const char *name, OrtAllocatorType type, int id,
                                OrtMemType mem_type, OrtMemoryInfo **out)
{
    ORT_NEED(name);
    ORT_NEED(out);
    for (size_t i = 0; i < COUNT(known); i++) {
        OrtMemoryInfo like = {.type = type, .mem_type = mem_type, .id = id};

        if (strcmp(known[i].name, name) != 0)
            continue;
        like.device_type = known[i].device;
        like.device_mem_type = known[i].memory;
        like.vendor_id = known[i].vendor;
        return create(&like, known[i].now ? known[i].now : name, out);
    }
    return ort_fail(ORT_INVALID_ARGUMENT,
                    "Specified device is not supported. Try CreateMemoryInfo_V2. (%s)", name);
}

/* OrtApi since version 1. */
OrtStatus *ort_CreateCpuMemoryInfo(OrtAllocatorType type, OrtMemType mem_type, OrtMemoryInfo **out)
{
    OrtMemoryInfo like = {.type = type, .mem_type = mem_type};

    ORT_NEED(out);
    return create(&like, "Cpu", out);
}

/* OrtApi since version 23. */
OrtStatus *ort_CreateMemoryInfo_V2(const char *name, OrtMemoryInfoDeviceType device_type,
                                   uint32_t vendor_id, int32_t device_id,
                                   OrtDeviceMemoryType mem_type, size_t alignment,
                                   OrtAllocatorType allocator_type, OrtMemoryInfo **out)
{
    OrtMemoryInfo like = {.type = allocator_type,
                          .device_type = device_type,
                          .device_mem_type = mem_type,
                          .vendor_id = vendor_id,
                          .id = device_id,
                          .alignment = alignment};

    ORT_NEED(name);
    ORT_NEED(out);
    return create(&like, name, out);
}

/* OrtApi since version 1: The static CPU info is not freed. */
void ort_ReleaseMemoryInfo(OrtMemoryInfo *input)
{
    if (!input || input == ort_cpu_memory())
        return;
    free(input->name);
    free(input);
}

/* OrtApi since version 1: *out is 0 for equal, -1 for different. */
OrtStatus *ort_CompareMemoryInfo(const OrtMemoryInfo *info1, const OrtMemoryInfo *info2, int *out)
{
    ORT_NEED(info1);
    ORT_NEED(info2);
    ORT_NEED(out);
    *out = ort_memory_equal(info1, info2) ? 0 : -1;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_MemoryInfoGetName(const OrtMemoryInfo *ptr, const char **out)
{
    ORT_NEED(ptr);
    ORT_NEED(out);
    *out = ptr->name;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_MemoryInfoGetId(const OrtMemoryInfo *ptr, int *out)
{
    ORT_NEED(ptr);
    ORT_NEED(out);
    *out = ptr->id;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_MemoryInfoGetMemType(const OrtMemoryInfo *ptr, OrtMemType *out)
{
    ORT_NEED(ptr);
    ORT_NEED(out);
    *out = ptr->mem_type;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_MemoryInfoGetType(const OrtMemoryInfo *ptr, OrtAllocatorType *out)
{
    ORT_NEED(ptr);
    ORT_NEED(out);
    *out = ptr->type;
    return NULL;
}

/* OrtApi since version 14. */
void ort_MemoryInfoGetDeviceType(const OrtMemoryInfo *ptr, OrtMemoryInfoDeviceType *out)
{
    if (out)
        *out = ptr ? ptr->device_type : OrtMemoryInfoDeviceType_CPU;
}

/* OrtApi since version 23. */
OrtDeviceMemoryType ort_MemoryInfoGetDeviceMemType(const OrtMemoryInfo *ptr)
{
    return ptr ? ptr->device_mem_type : OrtDeviceMemoryType_DEFAULT;
}

/* OrtApi since version 23. */
uint32_t ort_MemoryInfoGetVendorId(const OrtMemoryInfo *ptr)
{
    return ptr ? ptr->vendor_id : 0;
}
