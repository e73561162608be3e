/* SPDX-License-Identifier: MIT */
/* loop.h - our own loops on oneDNN's team of threads, so that a process has but one team. */
#ifndef BP_DNNL_LOOP_H
#define BP_DNNL_LOOP_H

#include <stdint.h>

struct bp_dnnl_step;

/*
 * Runs a step that is a loop: on `threads` threads if it has enough elements, else on the caller.
 * `at` has the addresses of its arguments.
 */
void bp_dnnl_run_loop(const struct bp_dnnl_step *step, uint32_t threads, void *const *at);

#endif
