/* SPDX-License-Identifier: MIT */
/* ep_devices.h - OrtEpDevice: a usable provider on one of its devices; constant once listed. */
#ifndef BP_ORT_DEVICES_EP_DEVICES_H
#define BP_ORT_DEVICES_EP_DEVICES_H

#include "ort/devices/hardware.h"

struct OrtEpDevice {
    char name[128]; /* "CPUExecutionProvider" */
    char plain[64]; /* "cpu" */
    char *vendor;
    uint32_t device; /* the provider's index of it */
    OrtKeyValuePairs metadata, options;
    const OrtHardwareDevice *hardware;
};

struct ort_devices {
    struct ort_hardware hardware;
    OrtEpDevice *devices;
    const OrtEpDevice **list; /* CPU's first */
    size_t n;
};

void ort_devices_destroy(struct ort_devices *devices);
/* The environment's devices, found by the first call and borrowed. [any thread] */
OrtStatus *ort_devices_need(const OrtEnv *env, const struct ort_devices **out);
/* A provider's device, by the host's name of the provider; NULL: none. */
const OrtEpDevice *ort_devices_find(const struct ort_devices *devices, const char *plain,
                                    uint32_t device);

#endif
