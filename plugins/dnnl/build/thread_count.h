/* SPDX-License-Identifier: MIT */
/* thread_count.h - how many threads a frame is worth. */
#ifndef BP_DNNL_THREAD_COUNT_H
#define BP_DNNL_THREAD_COUNT_H

#include <bp/sdk.h>

/*
 * Floating-point operations of a parallel region, a multiplication and an addition counted as two,
 * below which a team is not worth it. Starting a team and meeting at its end costs microseconds on
 * idle processors, and up to some hundred where other processes want them: 654 us for what one
 * thread did in 19. At 2e10 operations a second and thread this many take 20 us. The region is a
 * node here, a step of a sequence in ops/rnn.c.
 */
enum { BP_DNNL_WORTH_A_TEAM = 400000 };

/*
 * Threads for a frame of these shapes, of at most `width`: 1 where no node is worth a team. Where
 * the processors are busy, each barrier of a team waits until the kernel lets its last thread run.
 */
uint32_t bp_dnnl_thread_count(const bp_program *program, const bp_frame_desc *desc, uint32_t width);

#endif
