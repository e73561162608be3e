/* SPDX-License-Identifier: MIT */
/* parts.h - inside of libbp-sim. */
#ifndef BP_SIM_PARTS_H
#define BP_SIM_PARTS_H

#include <pthread.h>

#include <bp/sim.h>

struct bp_sim_device {
    bp_sim_options options;
    pthread_mutex_t lock; /* of used and blocks */
    uint64_t used;
    struct block *blocks;
    uint64_t calls[BP_SIM_CALLS];
};

/* Of the process; changed by SIM_ADD and SIM_SUB only, which give the new number. */
extern bp_sim_counters sim_counters;

#define SIM_ADD(counter, n) __atomic_add_fetch(&(counter), (n), __ATOMIC_SEQ_CST)
#define SIM_SUB(counter, n) __atomic_sub_fetch(&(counter), (n), __ATOMIC_SEQ_CST)

#endif
