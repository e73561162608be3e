/* SPDX-License-Identifier: MIT */
/* thread_count.h - how many threads a frame is worth. */
#ifndef BP_DNNL_THREAD_COUNT_H
#define BP_DNNL_THREAD_COUNT_H

#include <bp/sdk.h>

/*
 * Threads for a frame of these shapes, of at most `width`: 1 where no node is worth a team. Where the
 * processors are busy, each barrier of a team waits until the kernel lets its last thread run.
 */
uint32_t bp_dnnl_thread_count(const bp_graph *graph, const bp_frame_desc *desc, uint32_t width);

#endif
