/* SPDX-License-Identifier: MIT */
/* clock.h - real time for timeouts, and the costs of the simulated time; all in nanoseconds. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#include <acl/acl_rt.h>

struct sim_device;

/* Real and monotonic, of no particular start. */
uint64_t sim_now(void);
/* The deadline, for sim_wait(), of a timeout in ms from now on; UINT64_MAX for one below 0. */
uint64_t sim_deadline(int32_t timeout);

/* Simulated time of a copy: the launch, and the bytes at the device's rate. Host to host takes 0. */
uint64_t sim_copy_cost(const struct sim_device *device, aclrtMemcpyKind kind, size_t bytes);
/* The host spends simulated time, for a call or a synchronous copy. [locked] */
void sim_host_spends(struct sim_device *device, uint64_t ns);

#endif
