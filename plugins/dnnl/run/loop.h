/* SPDX-License-Identifier: MIT */
/* loop.h - our own loops on oneDNN's team of threads, so that a process has but one team. */
#ifndef BP_DNNL_LOOP_H
#define BP_DNNL_LOOP_H

#include <bp/sdk.h>

struct bp_dnnl_step;

/*
 * Runs a step of the frame that is a loop: on the frame's threads if it has enough elements, else
 * on the caller. `at` has the addresses of its arguments. run: may ask it to stop, then
 * frame->is_stopped is set and iterations are left out; NULL: nothing stops it.
 */
void bp_dnnl_run_loop(bp_frame *frame, const struct bp_dnnl_step *step, const bp_run *run,
                      void *const *at);

#endif
