/* SPDX-License-Identifier: MIT */
/* launch.h - queueing compiled operators. */
#ifndef SIM_LAUNCH_H
#define SIM_LAUNCH_H

#include "single_op/cache.h"
#include "stream/stream.h"

struct sim_device_config;

/* One buffer for each description, in its order. */
struct sim_buffers {
    const aclDataBuffer *const *in;
    aclDataBuffer *const *out;
};

/* Nanoseconds of simulated time that it takes once it starts, its launch included. Any thread. */
uint64_t sim_op_cost(const struct sim_device_config *config, const struct sim_call *call);

/*
 * Queues it with these buffers, which may go as soon as this returns. Sizes are checked now,
 * addresses by the device when it runs, as the vendor's does: a bad one is
 * ACL_ERROR_RT_AICORE_EXCEPTION at the next synchronisation. ACL_ERROR_OP_INPUT_NOT_MATCH,
 * ACL_ERROR_OP_OUTPUT_NOT_MATCH: a buffer is missing or too small; and as sim_submit(). [locked,
 * may wait]
 */
aclError sim_launch(struct sim_compiled *compiled, const struct sim_buffers *buffers,
                    struct sim_stream *stream);

#endif
