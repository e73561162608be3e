/* SPDX-License-Identifier: MIT */
/*
 * clock.c - real time, by a clock that cannot be set: timeouts must not end early because the date
 * changed.
 */
#include "core/clock.h"

#include <time.h>

uint64_t sim_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* A signal ends it early, which does no harm: the time is not guaranteed. */
void sim_sleep_us(uint64_t us)
{
    struct timespec time = {.tv_sec = (time_t)(us / 1000000),
                            .tv_nsec = (long)(us % 1000000 * 1000)};

    if (us > 0)
        nanosleep(&time, NULL);
}

/* Milliseconds, as all timeouts of ACL are. The product fits: INT32_MAX ms are 2.1e15 ns. */
uint64_t sim_deadline(int32_t timeout)
{
    return timeout < 0 ? UINT64_MAX : sim_now() + (uint64_t)timeout * 1000000;
}
