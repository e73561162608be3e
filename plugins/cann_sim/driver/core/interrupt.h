/* SPDX-License-Identifier: MIT */
/*
 * interrupt.h - a kernel that runs ends early when its stream is aborted, as kernels of a device do.
 * Each thread that runs kernels watches a flag, which other threads set.
 */
#ifndef SIM_INTERRUPT_H
#define SIM_INTERRUPT_H

#include <stdbool.h>
#include <stdint.h>

/* Elements that a kernel computes between two looks: well below a millisecond. */
enum { SIM_CHUNK = 1 << 16 };

/* The calling thread's kernels end once *flag is not 0; it lives until another is watched. NULL: never. */
void sim_interrupt_watch(const uint32_t *flag);
/* Should the kernel that runs on this thread end? Its outputs are of no use then. */
bool sim_interrupted(void);

#endif
