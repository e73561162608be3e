/* SPDX-License-Identifier: MIT */
/*
 * events.h - callbacks when a queue reaches an event. What is due is in a list of the instance's.
 */
#ifndef BP_OPENCL_EVENTS_H
#define BP_OPENCL_EVENTS_H

#include "base/instance.h"

/* Lock and list of an instance. */
bp_rc bp_opencl_events_init(bp_instance *instance, bp_err *err);
void bp_opencl_events_finish(bp_instance *instance);

/* Calls fn(u, rc) once when the marker in the queue is reached, on a thread of the driver's. */
bp_rc bp_opencl_notify(bp_instance *instance, cl_command_queue queue, cl_event marker,
                       void (*fn)(void *u, bp_rc rc), void *u, bp_err *err);
/* Returns when all callbacks that are due in the queue have returned. */
void bp_opencl_notify_settle(bp_instance *instance, cl_command_queue queue);

#endif
