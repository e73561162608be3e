/* SPDX-License-Identifier: MIT */
/* device.h - memory, copies, streams and events of the device, for the host and for the provider. */
#ifndef BP_OPENCL_DEVICE_H
#define BP_OPENCL_DEVICE_H

#include "base/instance.h"

/* See bp/abi.h. A base is a cl_mem. */
extern const bp_device_ops bp_opencl_device_ops;

/* The queue of a stream of the host's; NULL: the instance's own. */
cl_command_queue bp_opencl_queue_of(const bp_instance *instance, void *stream);

/*
 * Memory of the device, counted, within the option memory_limit; to be given to
 * bp_opencl_memory_free(). BP_E_NOMEM
 */
bp_rc bp_opencl_memory_alloc(bp_instance *instance, size_t n, cl_mem *out, bp_err *err);
/* Counts n bytes that another session has allocated. BP_E_NOMEM: more than the option memory_limit. */
bp_rc bp_opencl_memory_count(bp_instance *instance, size_t n, bp_err *err);
void bp_opencl_memory_free(bp_instance *instance, cl_mem memory);

#endif
