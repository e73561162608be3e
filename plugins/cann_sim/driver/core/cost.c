/* SPDX-License-Identifier: MIT */
/*
 * cost.c - what copies and calls take of the simulated time.
 *
 * Each device has a clock for the host and one for each stream. A copy costs its launch and its
 * bytes at the configured rate; within a device each byte is read and written, so half of
 * memory_rate counts.
 */
#include "core/cost.h"

#include "core/state.h"

/*
 * In double, as bytes times 1e9 may exceed 64 bits. A copy from host to host is not the device's.
 */
uint64_t sim_copy_cost(const struct sim_device *device, aclrtMemcpyKind kind, size_t bytes)
{
    const struct sim_device_config *config = device->config;
    double rate = kind == ACL_MEMCPY_DEVICE_TO_DEVICE ? (double)config->memory_rate / 2
                                                      : (double)config->copy_rate;

    if (kind == ACL_MEMCPY_HOST_TO_HOST)
        return 0;
    return config->launch_ns + (uint64_t)((double)bytes * 1e9 / rate);
}

/* Work that the host queues later cannot start before this time: see `ready_ns` of a task. */
void sim_host_spends(struct sim_device *device, uint64_t ns)
{
    device->host_ns += ns;
}
