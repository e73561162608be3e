/* SPDX-License-Identifier: MIT */
/* state.c - the simulator's state, its lock, and waiting under it. */
#include "core/state.h"

#include <stdlib.h>
#include <time.h>

#include "core/clock.h"

struct sim_state sim_state = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* On the monotonic clock, as the deadlines of sim_now() are. */
int sim_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t monotonic;
    int failed = pthread_condattr_init(&monotonic);

    if (failed)
        return failed;
    failed = pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    if (!failed)
        failed = pthread_cond_init(condition, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return failed;
}

/* A condition on another clock has no static initialiser, so it is made on first use. */
static void make_condition(void)
{
    if (sim_condition_init(&sim_state.changed) != 0)
        abort(); /* of a constant attribute: cannot be */
}

/* Everything begins with this, so the condition is made here. */
void sim_lock(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, make_condition);
    pthread_mutex_lock(&sim_state.lock);
}

void sim_unlock(void)
{
    pthread_mutex_unlock(&sim_state.lock);
}

/* A deadline that has passed already does not wait, so that a timeout of 0 ms only asks. */
bool sim_wait(pthread_cond_t *condition, uint64_t deadline)
{
    struct timespec until = {.tv_sec = (time_t)(deadline / 1000000000),
                             .tv_nsec = (long)(deadline % 1000000000)};

    if (deadline == UINT64_MAX) {
        pthread_cond_wait(condition, &sim_state.lock);
        return true;
    }
    if (sim_now() >= deadline)
        return false;
    pthread_cond_timedwait(condition, &sim_state.lock, &until);
    return true;
}
