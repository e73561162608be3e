/* SPDX-License-Identifier: MIT */
/* devices.h - OrtEpDevice: usable providers on the processor. */
#ifndef BP_ORT_DEVICES_H
#define BP_ORT_DEVICES_H

#include "ort/slots.h"

struct ort_devices;

void ort_devices_destroy(struct ort_devices *devices);

#endif
