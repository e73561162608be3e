/* SPDX-License-Identifier: MIT */
/* cost.h - simulated time, in nanoseconds: what copies and calls take of it. */
#ifndef SIM_COST_H
#define SIM_COST_H

#include <stddef.h>
#include <stdint.h>

#include <acl/acl_rt.h>

struct sim_device;

/*
 * Simulated time of a copy: the launch, and the bytes at the device's rate. Host to host takes 0.
 */
uint64_t sim_copy_cost(const struct sim_device *device, aclrtMemcpyKind kind, size_t bytes);
/* The host spends simulated time, for a call or a synchronous copy. [locked] */
void sim_host_spends(struct sim_device *device, uint64_t ns);

#endif
