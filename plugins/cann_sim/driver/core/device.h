/* SPDX-License-Identifier: MIT */
/* device.h - finding devices, and holding them. */
#ifndef SIM_DEVICE_H
#define SIM_DEVICE_H

#include "core/sim.h"

/* ACL_ERROR_RT_NO_DEVICE, ACL_ERROR_RT_INVALID_DEVICEID. [locked] */
aclError sim_device_get(int32_t id, struct sim_device **out);

#endif
