/* SPDX-License-Identifier: MIT */
/* fault.h - injected faults: the calls that bp_nnapi_fault() and the configuration let fail. */
#ifndef NN_FAULT_H
#define NN_FAULT_H

#include <stdbool.h>
#include <stdint.h>

#include <bp_nnapi_sim.h>

#include "core/settings.h"

/* A fault of one point and device. */
struct nn_fault {
    bool set;
    uint64_t after, times;
    uint32_t per_million; /* if not 0, by chance */
    uint64_t random;
    int code;
};

/* All faults: the last of a point is for any device. */
struct nn_faults {
    struct nn_fault at[BP_NNAPI_POINTS][NN_DEVICES + 1];
};

/* Counts this call: 0, or the code that it is to fail with. [with the lock of the state] */
int nn_fault_count(struct nn_faults *faults, uint32_t point, uint32_t device);
/* False: there is no such point or device. [with the lock of the state] */
bool nn_fault_set(struct nn_faults *faults, uint32_t point, uint32_t device,
                  const struct nn_fault *fault);
/*
 * Reads "execute after 3 times 1 device 0 code DEAD_OBJECT" and the like, the value of the
 * configuration's key `fault`; sets it if `faults` is not NULL. False: it is not such words.
 */
bool nn_fault_parse(const char *words, struct nn_faults *faults);

#endif
