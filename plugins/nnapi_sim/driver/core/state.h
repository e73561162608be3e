/* SPDX-License-Identifier: MIT */
/* state.h - what there is one of in a process: configuration, faults, counters, simulated times. */
#ifndef NN_STATE_H
#define NN_STATE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <bp_nnapi_sim.h>

#include "core/error.h"
#include "core/fault.h"
#include "core/settings.h"

struct ANeuralNetworksDevice {
    uint32_t index;
};

/*
 * Everything but *config's contents is under the lock. The configuration can only be replaced when
 * no object lives, so who holds one may read it without the lock.
 */
struct nn_state {
    pthread_mutex_t lock;
    struct nn_config *config;
    bool loaded;      /* the file was read, or a text given */
    char broken[256]; /* why the file cannot be read; "" when it can */
    uint32_t device_states[NN_DEVICES];
    struct nn_faults faults;
    struct bp_nnapi_counters counters;
    struct bp_nnapi_times times[NN_DEVICES];
    uint64_t memory_used; /* bytes of memory objects */
};

extern struct nn_state nn_state;

/* Takes the lock; the configuration is there then. */
void nn_lock(void);
void nn_unlock(void);

/* Adds to a counter: nn_count(&nn_state.counters.waits, 1). Takes the lock. Any thread. */
void nn_count(uint64_t *counter, int64_t by);

/*
 * Where each function of Android's API begins: 0, or why it cannot be called, which is a code that
 * nn_fail() was called with: its level is above the configured one, or the configuration is broken.
 */
int nn_enter(const char *function, int64_t level);
/* Where each ends: counts a code that is not 0, and returns it. Any thread. */
int nn_leave(int code);

/* The configuration in force. It stays as it is while any object of the caller lives. */
const struct nn_config *nn_config(void);
/* A fault of a point: 0, or a code, with a sentence. Any thread, without the lock. */
int nn_fault(uint32_t point, uint32_t device);
/*
 * 0 or the code, with a sentence, of what has befallen a device. Codes above 9 are OP_FAILED on a
 * runtime below level 30. Any thread.
 */
int nn_device_trouble(uint32_t device);
/* A code above 9 as a runtime of the configured level says it. Any thread. */
int nn_code_of_level(int code);
/* Simulated time of a device: which is &nn_state.times[device].compute and the like. */
void nn_spend(uint64_t *which, uint64_t ns);

/* Feature levels 1 to 8 as a FeatureLevelCode, and back. */
static inline int64_t nn_level_code(int level)
{
    return level <= 5 ? 26 + level : 1000000 + level;
}

/* Returns from a function of the API if it may not be called now. */
#define NN_ENTER(level)                                                                            \
    do {                                                                                           \
        int refused_ = nn_enter(__func__, level);                                                  \
                                                                                                   \
        if (refused_)                                                                              \
            return nn_leave(refused_);                                                             \
    } while (0)

/* Returns UNEXPECTED_NULL from a function of the API if the pointer is NULL. */
#define NN_NOT_NULL(pointer)                                                                       \
    do {                                                                                           \
        if (!(pointer))                                                                            \
            return nn_leave(                                                                       \
                nn_fail(ANEURALNETWORKS_UNEXPECTED_NULL, "%s: %s is NULL", __func__, #pointer));   \
    } while (0)

#endif
