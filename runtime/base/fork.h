/* SPDX-License-Identifier: MIT */
/* fork.h - objects that are repaired in the child of a fork(), which has one thread only. */
#ifndef BP_BASE_FORK_H
#define BP_BASE_FORK_H

#include <pthread.h>

/* An object that is told in the child. With in_child NULL, it is in no list. */
struct bp_fork_watch {
    /*
     * Called in the child, before fork() returns there. Locks that other threads of the parent held
     * are to be made anew: their owners are gone. It takes no lock and allocates nothing.
     */
    void (*in_child)(void *u);
    void *u;
    struct bp_fork_watch *next, **at; /* of the list, under its lock */
};

/*
 * A mutex that the child finds open, whoever held it: what it guards must then be as good as whole
 * after each store, as that is where the child goes on. For pthread_mutex_init() and _destroy().
 */
void bp_fork_mutex_init(pthread_mutex_t *mutex, struct bp_fork_watch *watch);
void bp_fork_mutex_destroy(pthread_mutex_t *mutex, struct bp_fork_watch *watch);
/* bp_fork_watch.in_child for a pthread_mutex_t. */
void bp_fork_open_mutex(void *mutex);

/* [any thread] The watch must not move until bp_fork_unwatch(). */
void bp_fork_watch(struct bp_fork_watch *watch, void (*in_child)(void *u), void *u);
/* [any thread] One that is not watched, or is zeroed, is fine. */
void bp_fork_unwatch(struct bp_fork_watch *watch);

#endif
