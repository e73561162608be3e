/* SPDX-License-Identifier: MIT */
/* execute.h - runs frames. A frame is run by one thread at a time. */
#ifndef BP_DNNL_EXECUTE_H
#define BP_DNNL_EXECUTE_H

#include "base/library.h"

struct bp_dnnl_step;

/*
 * bp_provider.execute: the steps one after the other, with the thread team. BP_E_CANCELLED,
 * BP_E_TIMEOUT: as the run asks, between steps and within loops; a long primitive is several steps.
 */
bp_rc bp_dnnl_execute(bp_frame *frame, const bp_run *run, bp_err *err);

/* Tells all steps the addresses of the frame's inputs, outputs and scratch memory. */
void bp_dnnl_bind(bp_frame *frame, uint32_t io_epoch);
/*
 * Runs one step of a bound frame; the team is entered. run: see bp_dnnl_run_loop(); NULL: nothing
 * stops it.
 */
dnnl_status_t bp_dnnl_run_step(bp_frame *frame, const struct bp_dnnl_step *step, const bp_run *run);

#endif
