/* SPDX-License-Identifier: MIT */
/*
 * clock.c - real time, by a clock that nobody sets: timeouts must not end early because the date
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

/* Milliseconds, as all timeouts of ACL are. The product fits: INT32_MAX ms are 2.1e15 ns. */
uint64_t sim_deadline(int32_t timeout)
{
    return timeout < 0 ? UINT64_MAX : sim_now() + (uint64_t)timeout * 1000000;
}
