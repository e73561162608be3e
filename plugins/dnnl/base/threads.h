/* SPDX-License-Identifier: MIT */
/* threads.h - oneDNN's team of OpenMP threads, one for the process. */
#ifndef BP_DNNL_THREADS_H
#define BP_DNNL_THREADS_H

#include <bp/sdk.h>
#include <stdbool.h>

/* Between enter and leave; the caller's. */
struct bp_dnnl_team {
    int before; /* the caller's own number of OpenMP threads */
    bool is_held;
};

/*
 * From enter to leave the calling thread's parallel regions have `threads` threads, and no other
 * thread of the process is between enter and leave, unless threads is 1. BP_E_CANCELLED,
 * BP_E_TIMEOUT: *cancel was set, or deadline_ns passed (of bp_run; may be NULL and 0) while it
 * waited.
 */
bp_rc bp_dnnl_team_enter(uint32_t threads, const volatile uint32_t *cancel, int64_t deadline_ns,
                         struct bp_dnnl_team *team, bp_err *err);
/* Gives the team back, and the caller its own number of threads. */
void bp_dnnl_team_leave(const struct bp_dnnl_team *team);

/* fn(u) on each of the team's threads. Only where there is bp_dnnl.parallel. */
void bp_dnnl_parallel(void (*fn)(void *u), void *u, uint32_t threads);

/*
 * frame_create is between these two: a fork() waits meanwhile, as oneDNN's cache of primitives and
 * OpenMP have locks that the child would find locked. BP_E_UNAVAILABLE: a fork() in such a call was
 * not to be avoided, and this is its child.
 */
bp_rc bp_dnnl_build_enter(bp_err *err);
void bp_dnnl_build_leave(void);
/* For the entry, under the loader's lock: from now on children of this process can run frames. */
void bp_dnnl_watch_forks(void);

/* CLOCK_MONOTONIC in nanoseconds, as deadlines are. */
int64_t bp_dnnl_now_ns(void);

#endif
