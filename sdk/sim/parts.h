/* SPDX-License-Identifier: MIT */
/* parts.h - what memory.c and stream.c of libbp-sim share; not installed. */
#ifndef BP_SIM_PARTS_H
#define BP_SIM_PARTS_H

#include <pthread.h>

#include <bp/sim.h>

/* A device: its memory. Streams refer to it and end before it. */
struct bp_sim_device {
    bp_sim_options options;       /* as given; only read */
    pthread_mutex_t lock;         /* of used and blocks */
    uint64_t used;                /* bytes allocated */
    struct block *blocks;         /* allocations, of memory.c */
    uint64_t calls[BP_SIM_CALLS]; /* so far, by kind; atomic. The n-th may be one to fail */
};

/* Of the process; changed by SIM_ADD and SIM_SUB only, which give the new number. */
extern bp_sim_counters sim_counters;

#define SIM_ADD(counter, n) __atomic_add_fetch(&(counter), (n), __ATOMIC_SEQ_CST)
#define SIM_SUB(counter, n) __atomic_sub_fetch(&(counter), (n), __ATOMIC_SEQ_CST)

#endif
