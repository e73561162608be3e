/* SPDX-License-Identifier: MIT */
/* spend.h - simulated time of a run, and its limit. */
#ifndef NN_SPEND_H
#define NN_SPEND_H

#include "run/engine.h"

/*
 * A device is handed a part of the model: its state, faults, the limit that may have passed already
 * (MISSED_DEADLINE_PERSISTENT), and the time of a launch. 0 or a code.
 */
int nn_launch(struct nn_run *run, uint32_t device);
/* An operation's time; MISSED_DEADLINE_TRANSIENT when the limit is passed. 0 or a code. */
int nn_compute_for(struct nn_run *run, uint32_t device, uint64_t ns);
/* Bytes between the program and a device, either way. */
void nn_copy_for(struct nn_run *run, uint32_t device, size_t bytes, bool out);

#endif
