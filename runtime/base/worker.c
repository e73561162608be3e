/* SPDX-License-Identifier: MIT */
/* worker.c - threads of workers: of pthreads, or of the application's functions. */

#define _GNU_SOURCE /* pthread_setaffinity_np */

#include "config.h"

#include "base/worker.h"

#include <errno.h>
#include <string.h>

#include "base/guard.h"

/* ---- where it runs ----------------------------------------------------------------------------- */

void bp_worker_pin(struct bp_worker *worker, const bp_processors *processors)
{
    worker->is_pinned = processors->n > 0;
    CPU_ZERO(&worker->affinity);
    for (uint32_t i = 0; i < processors->n; i++) {
        if (processors->list[i] < CPU_SETSIZE)
            CPU_SET(processors->list[i], &worker->affinity);
        else
            worker->beyond = processors->list[i];
    }
}

bool bp_worker_may_move(const struct bp_worker *worker)
{
    return !worker->is_pinned && !worker->config;
}

/* The first requested processor that is not in `got`; *is_missing: there is one. */
static uint32_t find_missing(const struct bp_worker *worker, const cpu_set_t *got, bool *is_missing)
{
    *is_missing = true;
    for (uint32_t cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET(cpu, &worker->affinity) && !CPU_ISSET(cpu, got))
            return cpu;
    }
    *is_missing = worker->beyond > 0;
    return worker->beyond;
}

/* Sets the affinity of the calling thread, which is the worker's. Missing processors are logged. */
static void take_place(const struct bp_worker *worker)
{
    bool is_missing;
    uint32_t cpu;
    cpu_set_t got;
    int failed;

    if (!worker->is_pinned)
        return;
    CPU_ZERO(&got);
    failed =
        CPU_COUNT(&worker->affinity) == 0
            ? EINVAL
            : pthread_setaffinity_np(pthread_self(), sizeof worker->affinity, &worker->affinity);
    if (!failed)
        (void)pthread_getaffinity_np(pthread_self(), sizeof got, &got);
    cpu = find_missing(worker, &got, &is_missing);
    if (failed)
        bp_log(
            worker->log, BP_LOG_WARN, "threads",
            "worker %u runs anywhere: this process has none of the processors that it was to run "
            "on, such as %u (counted from 0): %s",
            worker->id, cpu, strerror(failed));
    else if (is_missing)
        bp_log(
            worker->log, BP_LOG_WARN, "threads",
            "worker %u runs on fewer processors than it was to: this process has no processor %u "
            "(counted from 0)",
            worker->id, cpu);
}

/* ---- threads of the application ---------------------------------------------------------------- */

enum { NOT_ASKED_FOR, EXPECTED, INSIDE, LEFT }; /* states of a worker */

/*
 * The application's function may throw after it has started a thread, and its threads may begin
 * when the pool no longer exists. So a thread's argument is not an address but a number (ticket),
 * which is looked up among the workers that are still expected. The list is one for the process,
 * because a late thread has nothing but its ticket.
 */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t left; /* a worker has left, or has been let go */
    uintptr_t tickets;
    struct bp_worker *expected;
} arrivals = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, NULL};

static void expect(struct bp_worker *worker)
{
    pthread_mutex_lock(&arrivals.lock);
    worker->ticket = ++arrivals.tickets;
    worker->state = EXPECTED;
    worker->next = arrivals.expected;
    arrivals.expected = worker;
    pthread_mutex_unlock(&arrivals.lock);
}

/* Takes the worker with the ticket off the list; NULL: no pool expects it. Under the lock. */
static struct bp_worker *take(uintptr_t ticket)
{
    struct bp_worker **at = &arrivals.expected, *found;

    while (*at && (*at)->ticket != ticket)
        at = &(*at)->next;
    found = *at;
    if (found)
        *at = found->next;
    return found;
}

/* What the application's thread calls; a second call of it, or one too late, does nothing. */
static void arrive(void *arg)
{
    struct bp_worker *worker;

    pthread_mutex_lock(&arrivals.lock);
    worker = take((uintptr_t)arg);
    if (worker)
        worker->state = INSIDE;
    pthread_mutex_unlock(&arrivals.lock);
    if (!worker)
        return;
    take_place(worker);
    worker->main(worker->arg);
    pthread_mutex_lock(&arrivals.lock);
    worker->state = LEFT; /* its owner may free it once the lock is open */
    pthread_cond_broadcast(&arrivals.left);
    pthread_mutex_unlock(&arrivals.lock);
}

/* Waits for a thread that runs main(); one that has not called yet will find its ticket invalid. */
static void await_leaving(struct bp_worker *worker)
{
    pthread_mutex_lock(&arrivals.lock);
    if (worker->state == EXPECTED)
        (void)take(worker->ticket);
    while (worker->state == INSIDE)
        pthread_cond_wait(&arrivals.left, &arrivals.lock);
    worker->state = NOT_ASKED_FOR;
    pthread_mutex_unlock(&arrivals.lock);
}

struct making {
    struct bp_worker *worker;
    bp_err *err;
    bp_rc rc;
};

static void call_create(void *u)
{
    struct making *making = u;
    const bp_worker_config *config = making->worker->config;
    uintptr_t ticket = making->worker->ticket;

    making->rc =
        config->create(config->user, arrive, (void *)ticket, &making->worker->handle, making->err);
}

static void call_join(void *u)
{
    const struct bp_worker *worker = u;

    worker->config->join(worker->config->user, worker->handle);
}

static bp_rc create_theirs(struct bp_worker *worker, bp_err *err)
{
    struct making making = {.worker = worker, .err = err};
    struct bp_thrown thrown;

    expect(worker);
    if (!bp_guard(call_create, &making, &thrown))
        return bp_thrown_fail(&thrown, "the function that creates threads", err);
    worker->is_made = making.rc >= 0;
    return bp_err_complete(err, making.rc);
}

static void join_theirs(struct bp_worker *worker)
{
    struct bp_thrown thrown;

    if (worker->is_made && !bp_guard(call_join, worker, &thrown))
        bp_log(worker->log, BP_LOG_ERROR, "threads",
               "the function that joins threads threw an exception: %s", thrown.text);
    await_leaving(worker);
}

/* ---- either kind ------------------------------------------------------------------------------- */

static void *run(void *arg)
{
    struct bp_worker *worker = arg;

    take_place(worker);
    worker->main(worker->arg);
    return NULL;
}

bp_rc bp_worker_start(struct bp_worker *worker, bp_err *err)
{
    int failed;

    if (worker->config)
        return create_theirs(worker, err);
    failed = pthread_create(&worker->thread, NULL, run, worker);
    if (failed)
        return bp_fail(err, BP_E_NOMEM, "a thread cannot be started: %s", strerror(failed));
    worker->is_made = true;
    return BP_OK;
}

/* A lock that a thread of the parent held would stay locked: it is made anew, with an empty list. */
void bp_worker_forget(struct bp_worker *worker)
{
    worker->is_made = false;
    if (!worker->config)
        return;
    worker->state = NOT_ASKED_FOR;
    arrivals.expected = NULL;
    pthread_mutex_init(&arrivals.lock, NULL);
    pthread_cond_init(&arrivals.left, NULL);
}

void bp_worker_end(struct bp_worker *worker)
{
    if (worker->config)
        join_theirs(worker);
    else if (worker->is_made)
        pthread_join(worker->thread, NULL);
    worker->is_made = false;
}
