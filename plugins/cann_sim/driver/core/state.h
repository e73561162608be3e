/* SPDX-License-Identifier: MIT */
/*
 * state.h - the simulator's state, one per process, and the lock that guards it.
 *
 * Functions of the driver that want the lock held say [locked] in their comment. Public functions
 * (acl*, bp_ascend_*) take it themselves, so they never call each other. What runs for long, the
 * arithmetic of tasks and the bytes of copies, runs with the lock released.
 */
#ifndef SIM_STATE_H
#define SIM_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <acl/acl.h>
#include <bp_ascend_sim.h>

#include "core/settings.h"

struct sim_stream;

/* One simulated chip. All of it is [locked]. */
struct sim_device {
    int32_t id;
    const struct sim_device_config *config;
    uint32_t state; /* BP_ASCEND_OK... */
    bool paused;
    uint64_t set_count; /* aclrtSetDevice() less aclrtResetDevice() */
    void *context;      /* the default one's handle, or NULL */
    uint64_t used;      /* bytes allocated, padded */
    uint32_t streams, events;
    uint64_t opened_ns; /* of the real clock */
    uint64_t host_ns;   /* simulated: how far the host is */
    uint64_t done_ns;   /* simulated: the end of the last task */
    uint64_t busy_operators, busy_copies, busy_compiling;
};

/* What aclrtContext stands for. */
struct sim_context {
    void *handle;
    struct sim_device *device;
    struct sim_stream *default_stream;
};

/* The whole simulator. */
struct sim_state {
    pthread_mutex_t lock;
    pthread_cond_t changed; /* a task ended, an event completed, a device resumed */
    uint64_t init_count;    /* 0: not up */
    bool closing;           /* aclFinalize() waits for streams */
    struct sim_config config;
    struct sim_device devices[SIM_DEVICES];
    uint32_t op_timeout; /* seconds; 0: none */
    struct bp_ascend_counters counters;
};

extern struct sim_state sim_state;

void sim_lock(void);
void sim_unlock(void);

/*
 * Waits for the condition; false when `deadline` (of sim_now(), UINT64_MAX: none) passed. It may
 * also return early, so callers check what they wait for in a loop. [locked, releases it meanwhile]
 */
bool sim_wait(pthread_cond_t *condition, uint64_t deadline);
/*
 * Makes a condition that sim_wait() can use; 0, or an errno value. pthread_cond_destroy() ends it.
 */
int sim_condition_init(pthread_cond_t *condition);

#endif
