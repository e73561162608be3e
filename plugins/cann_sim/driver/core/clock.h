/* SPDX-License-Identifier: MIT */
/* clock.h - real time, in nanoseconds, for timeouts. Any thread. */
#ifndef SIM_CLOCK_H
#define SIM_CLOCK_H

#include <stdint.h>

/* Real and monotonic, of no particular start. */
uint64_t sim_now(void);
/* Lets the calling thread sleep; 0: not at all. Without the lock. */
void sim_sleep_us(uint64_t us);
/* The deadline, for sim_wait(), of a timeout in ms from now on; UINT64_MAX for one below 0. */
uint64_t sim_deadline(int32_t timeout);

#endif
