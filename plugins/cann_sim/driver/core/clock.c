/* SPDX-License-Identifier: MIT */
/* clock.c - real time. */
#include "core/clock.h"

#include <time.h>

uint64_t sim_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t sim_deadline(int32_t timeout)
{
    return timeout < 0 ? UINT64_MAX : sim_now() + (uint64_t)timeout * 1000000;
}
