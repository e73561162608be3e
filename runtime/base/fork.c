/* SPDX-License-Identifier: MIT */
/* fork.c - the one pthread_atfork() of the host, and the objects that want to know of a fork. */

#define _GNU_SOURCE

#include "config.h"

#include "base/fork.h"

#include <stddef.h>

/* One for the process, as fork() is. */
static struct {
    pthread_mutex_t lock;
    pthread_once_t once;
    struct bp_fork_watch *first;
} watched = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_ONCE_INIT, NULL};

/* Held across the fork, so that the child has a whole list. Nothing else is locked under it. */
static void prepare(void)
{
    pthread_mutex_lock(&watched.lock);
}

static void in_parent(void)
{
    pthread_mutex_unlock(&watched.lock);
}

static void in_child(void)
{
    for (struct bp_fork_watch *watch = watched.first; watch; watch = watch->next)
        watch->in_child(watch->u);
    pthread_mutex_unlock(&watched.lock);
}

/* Without memory for the handlers, children of this process are not looked after. */
static void install(void)
{
    (void)pthread_atfork(prepare, in_parent, in_child);
}

void bp_fork_watch(struct bp_fork_watch *watch, void (*fn)(void *u), void *u)
{
    (void)pthread_once(&watched.once, install);
    pthread_mutex_lock(&watched.lock);
    *watch =
        (struct bp_fork_watch){.in_child = fn, .u = u, .next = watched.first, .at = &watched.first};
    if (watch->next)
        watch->next->at = &watch->next;
    watched.first = watch;
    pthread_mutex_unlock(&watched.lock);
}

void bp_fork_unwatch(struct bp_fork_watch *watch)
{
    /* Not `at`: what is watched next to it changes that, under the lock. */
    if (!watch->in_child)
        return;
    pthread_mutex_lock(&watched.lock);
    *watch->at = watch->next;
    if (watch->next)
        watch->next->at = watch->at;
    watch->in_child = NULL;
    watch->at = NULL;
    pthread_mutex_unlock(&watched.lock);
}

void bp_fork_open_mutex(void *mutex)
{
    pthread_mutex_init(mutex, NULL);
}

void bp_fork_mutex_init(pthread_mutex_t *mutex, struct bp_fork_watch *watch)
{
    pthread_mutex_init(mutex, NULL);
    bp_fork_watch(watch, bp_fork_open_mutex, mutex);
}

void bp_fork_mutex_destroy(pthread_mutex_t *mutex, struct bp_fork_watch *watch)
{
    bp_fork_unwatch(watch);
    pthread_mutex_destroy(mutex);
}
