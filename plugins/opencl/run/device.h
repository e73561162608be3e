/* SPDX-License-Identifier: MIT */
/* device.h - memory, copies, streams and events of the device, for the host and for the provider. */
#ifndef BP_OPENCL_DEVICE_H
#define BP_OPENCL_DEVICE_H

#include "base/memory.h"

/* See bp/abi.h. A base is a cl_mem. */
extern const bp_device_ops bp_opencl_device_ops;

/* The queue of a stream of the host's; NULL: the instance's own. */
cl_command_queue bp_opencl_queue_of(const bp_instance *instance, void *stream);

#endif
