/* SPDX-License-Identifier: MIT */
/* profiles.h - the simulated devices as they are without a configuration. */
#ifndef NN_PROFILES_H
#define NN_PROFILES_H

#include "core/settings.h"

#define NN_REFERENCE "nnapi-reference"

/* "gpu", "npu" or "cpu": fills *device. False: there is no such profile. Any thread. */
bool nn_profile(const char *name, struct nn_device_config *device);

#endif
