/* SPDX-License-Identifier: MIT */
/* sim_parts.h - inside of the pretend accelerator. */
#ifndef BP_TESTS_SIM_PARTS_H
#define BP_TESTS_SIM_PARTS_H

#include <pthread.h>

#include "sim.h"

struct sim_device {
    struct sim_options options;
    pthread_mutex_t lock; /* of used and blocks */
    size_t used;
    struct sim_block *blocks;
    atomic_ullong calls[SIM_CALLS];
};

#endif
