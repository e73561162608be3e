/* SPDX-License-Identifier: MIT */
/* memory_api.c - ACL's functions that allocate and free memory. */
#include "core/context.h"
#include "core/cost.h"
#include "core/error.h"
#include "core/fault.h"
#include "core/state.h"
#include "memory/memory.h"

/*
 * The limit is the device's configured memory; the machine's own may end first, and then the
 * message says so.
 */
aclError sim_allocate(void **out, size_t size, size_t padded)
{
    struct bp_ascend_counters *counters = &sim_state.counters;
    struct sim_context *context;
    struct sim_block *block;
    struct sim_device *device;
    aclError rc = sim_current(&context);

    if (!rc)
        rc = sim_fault(BP_ASCEND_AT_MALLOC);
    if (rc)
        return rc;
    device = context->device;
    sim_host_spends(device, device->config->submit_ns);
    if (device->state == BP_ASCEND_LOST)
        return sim_fail(ACL_ERROR_RT_DRV_INTERNAL_ERROR, "device %d is lost", device->id);
    if (padded > device->config->memory - device->used)
        return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                        "device %d has %llu of %llu bytes left, asked for %zu", device->id,
                        (unsigned long long)(device->config->memory - device->used),
                        (unsigned long long)device->config->memory, padded);
    block = sim_block_create(device, size, padded);
    if (!block)
        return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION,
                        "the host has no memory for a block of %zu bytes", padded);
    device->used += padded;
    counters->allocations++;
    counters->live_bytes += padded;
    if (counters->live_bytes > counters->peak_bytes)
        counters->peak_bytes = counters->live_bytes;
    *out = block->address;
    return 0;
}

/* `pad` bytes more, then rounded up to a multiple of 32, as the vendor documents. */
static aclError malloc_padded(void **out, size_t size, size_t pad)
{
    aclError rc;

    if (!out || size == 0)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtMalloc: no pointer, or 0 bytes");
    if (size > SIZE_MAX / 4)
        return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtMalloc: %zu bytes", size);
    sim_lock();
    rc = sim_allocate(out, size, (size + pad + 31) / 32 * 32);
    sim_unlock();
    return rc;
}

/* Policies choose page sizes, which are alike here; only those of 1 GiB pages are padded less. */
aclError aclrtMalloc(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    bool gigabytes =
        policy == ACL_MEM_MALLOC_HUGE1G_ONLY || policy == ACL_MEM_MALLOC_HUGE1G_ONLY_P2P;

    return malloc_padded(devPtr, size, gigabytes ? 0 : 32);
}

/* Rounded up to 32 bytes without the 32 bytes more. */
aclError aclrtMallocAlign32(void **devPtr, size_t size, aclrtMemMallocPolicy policy)
{
    (void)policy;
    return malloc_padded(devPtr, size, 0);
}

/* The block at exactly this address; freeing an address inside a block is a violation. [locked] */
static aclError find_block_start(void *address, bool on_device, struct sim_block **out)
{
    enum sim_memory_kind wanted = on_device ? SIM_MEMORY_DEVICE : SIM_MEMORY_PINNED;
    enum sim_memory_kind place = sim_memory_kind_of(address, out);

    if (place == SIM_MEMORY_FREED)
        return sim_violate(BP_ASCEND_DOUBLE_FREE, ACL_ERROR_RT_PARAM_INVALID, "%p was freed before",
                           address);
    if (place != wanted)
        return sim_violate(on_device ? BP_ASCEND_HOST_AS_DEVICE : BP_ASCEND_DEVICE_AS_HOST,
                           ACL_ERROR_RT_PARAM_INVALID, "%p is not from %s()", address,
                           on_device ? "aclrtMalloc" : "aclrtMallocHost");
    if ((uint8_t *)address != (*out)->address)
        return sim_violate(BP_ASCEND_OUT_OF_BOUNDS, ACL_ERROR_RT_PARAM_INVALID,
                           "%p is not where a block starts", address);
    return 0;
}

/* Needs no context: any thread may free. */
static aclError release(void *address, bool on_device)
{
    struct sim_block *block;
    aclError rc;

    if (!address)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "NULL cannot be freed");
    sim_lock();
    rc = sim_need_init();
    if (!rc)
        rc = find_block_start(address, on_device, &block);
    if (!rc)
        sim_block_free(block);
    sim_unlock();
    return rc;
}

aclError aclrtFree(void *devPtr)
{
    return release(devPtr, true);
}

aclError aclrtFreeHost(void *hostPtr)
{
    return release(hostPtr, false);
}

/* Pinned memory belongs to no device and has no limit but the machine's. [locked] */
static aclError allocate_host(void **out, size_t size)
{
    struct bp_ascend_counters *counters = &sim_state.counters;
    struct sim_context *context;
    struct sim_block *block;
    aclError rc = sim_current(&context);

    if (!rc)
        rc = sim_fault(BP_ASCEND_AT_MALLOC_HOST);
    if (rc)
        return rc;
    block = sim_block_create(NULL, size, size);
    if (!block)
        return sim_fail(ACL_ERROR_RT_MEMORY_ALLOCATION, "the host has no memory for %zu bytes",
                        size);
    counters->host_allocations++;
    counters->host_live_bytes += size;
    if (counters->host_live_bytes > counters->host_peak_bytes)
        counters->host_peak_bytes = counters->host_live_bytes;
    *out = block->address;
    return 0;
}

aclError aclrtMallocHost(void **hostPtr, size_t size)
{
    aclError rc;

    if (!hostPtr || size == 0 || size > SIZE_MAX / 4)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtMallocHost: no pointer, or %zu bytes", size);
    sim_lock();
    rc = allocate_host(hostPtr, size);
    sim_unlock();
    return rc;
}

/* Padded bytes count as used, so that `free` is what one allocation could still get. */
aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t *free_bytes, size_t *total)
{
    struct sim_context *context;
    aclError rc;

    (void)attr; /* all of a simulated device's memory is of one kind */
    if (!free_bytes || !total)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetMemInfo: NULL");
    sim_lock();
    rc = sim_current(&context);
    if (!rc) {
        *total = (size_t)context->device->config->memory;
        *free_bytes = *total - (size_t)context->device->used;
    }
    sim_unlock();
    return rc;
}
