/* SPDX-License-Identifier: MIT */
/* worker.h - the thread of a pool's worker: how it is created and joined, and its affinity. */
#ifndef BP_BASE_WORKER_H
#define BP_BASE_WORKER_H

#ifndef _GNU_SOURCE
#error "worker.h needs _GNU_SOURCE, for cpu_set_t"
#endif

#include <backplane.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>

#include "base/log.h"

/* Fill the first part and leave the rest zero. The struct must not move while there is a thread. */
struct bp_worker {
    void (*main)(void *arg); /* all that the thread does */
    void *arg;
    uint32_t id; /* for messages */
    const bp_worker_config
        *config;              /* functions of the application; NULL: pthreads makes the thread */
    const struct bp_log *log; /* NULL is fine */
    bool is_pinned;           /* to these: */
    cpu_set_t affinity;
    uint32_t beyond; /* a processor asked for that no cpu_set_t has; 0: none */

    pthread_t thread; /* made by pthreads */
    void *handle;     /* made by the application */
    bool is_made;     /* and not joined */
    uint32_t state;   /* the rest is under a lock of worker.c's */
    uintptr_t ticket;
    struct bp_worker *next;
};

/* The worker is to run on these processors only; n 0: on any. */
void bp_worker_pin(struct bp_worker *worker, const bp_processors *processors);
/* May the pool change its affinity? Not if the application has set it, or created the thread. */
bool bp_worker_may_move(const struct bp_worker *worker);

/*
 * Starts the thread. If the application's function fails, the thread may run all the same: make
 * main() return and call bp_worker_end() in this case, too.
 */
bp_rc bp_worker_start(struct bp_worker *worker, bp_err *err) BP_CHECKED;
/*
 * In the child of a fork(): the thread is not there, and may be started again. Takes no lock.
 */
void bp_worker_forget(struct bp_worker *worker);
/*
 * Joins the thread, which is about to return from main() or has done so. When this returns, nothing
 * of the worker is used any more, whatever the application's function did: a thread that has not
 * begun yet will not call main().
 */
void bp_worker_end(struct bp_worker *worker);

#endif
