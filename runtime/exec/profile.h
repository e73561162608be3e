/* SPDX-License-Identifier: MIT */
/*
 * profile.h - a bounded record of what runs did. Names are kept once, as labels, so that writing an
 * event copies a few numbers.
 */
#ifndef BP_EXEC_PROFILE_H
#define BP_EXEC_PROFILE_H

#include <pthread.h>

#include "base/fork.h"
#include "base/strmap.h"
#include "exec/frame.h"

struct bp_run_shared;

/* What events of one node, or of one group, have in common. Strings are owned by the profile. */
struct bp_profile_label {
    char *key; /* in the map */
    char *name, *op, *provider;
    uint32_t node, n_nodes;
};

struct bp_profile_row {
    int64_t start_ns, end_ns;
    uint64_t run_id;
    uint32_t label, kind, thread;
};

struct bp_profile {
    pthread_mutex_t lock;      /* of everything below */
    struct bp_fork_watch fork; /* of the lock */
    int64_t begin_ns;
    struct bp_profile_row *rows;
    uint32_t cap, count, next; /* next: where the next event goes */
    uint64_t dropped;
    struct bp_profile_label *labels;
    uint32_t n_labels, cap_labels;
    uint32_t run_hint; /* the label of runs, once there is one */
    struct bp_strmap by_key;
};

/* What a unit needs to be measured; made at the first run that is. */
struct bp_unit_profile {
    bp_prof prof;
    /* labels that its nodes had last time, then its own, then those of sets; to be checked */
    uint32_t *hints;
};

/* The time of profiles. */
int64_t bp_profile_now(void);
/* The calling thread, as the system counts. */
uint32_t bp_profile_thread(void);

/*
 * Around the execution of a unit: before it, where its provider writes events is made ready; after
 * it, they are taken over. Neither can fail: what finds no memory is counted as dropped.
 */
int64_t bp_profile_begin_unit(struct bp_run_shared *shared, struct bp_unit_frame *unit);
void bp_profile_end_unit(struct bp_run_shared *shared, struct bp_unit_frame *unit,
                         int64_t start_ns);
/* The whole run. */
void bp_profile_end_run(struct bp_run_shared *shared, int64_t start_ns);
void bp_unit_profile_destroy(struct bp_unit_profile *profile); /* NULL is fine */

#endif
