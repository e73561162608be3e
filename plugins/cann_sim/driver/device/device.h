/* SPDX-License-Identifier: MIT */
/* device.h - devices as a whole: set up by aclInit(), emptied by a reset or aclFinalize(). */
#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

#include <stdbool.h>

struct sim_device;

/* All devices as the configuration in force has them, with nothing on them. [locked] */
void sim_devices_open(void);
/*
 * Waits for all work of a device, then frees its contexts, streams, events, models and memory, and
 * counts what a program should have freed; `force` drops what is queued. The device can be set
 * again afterwards. [locked, may wait]
 */
void sim_device_close(struct sim_device *device, bool force);

#endif
