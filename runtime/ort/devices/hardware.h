/* SPDX-License-Identifier: MIT */
/*
 * hardware.h - OrtHardwareDevice: the CPU, devices on the PCI bus, and devices that providers
 * report.
 */
#ifndef BP_ORT_DEVICES_HARDWARE_H
#define BP_ORT_DEVICES_HARDWARE_H

#include "ort/key_values.h"

struct OrtHardwareDevice {
    OrtHardwareDeviceType type;
    uint32_t vendor_id, device_id;
    char vendor[64];
    OrtKeyValuePairs metadata;
};

/* Rows are allocated one by one, so their addresses are stable. Start from {0}. */
struct ort_hardware {
    OrtHardwareDevice **rows;
    size_t n, cap;
};

/* A new row at the end; NULL: no memory. */
OrtHardwareDevice *ort_hardware_add(struct ort_hardware *list, OrtHardwareDeviceType type,
                                    uint32_t vendor_id, uint32_t device_id);
/*
 * Adds the CPU, then GPUs and NPUs by PCI address. cpuinfo: a file like /proc/cpuinfo; pci: a folder
 * like /sys/bus/pci/devices. Devices that can't be read are left out. False: no memory.
 */
bool ort_hardware_scan(struct ort_hardware *list, const char *cpuinfo, const char *pci);
/* The row with this entry in its metadata, or NULL. */
OrtHardwareDevice *ort_hardware_find(const struct ort_hardware *list, const char *key,
                                     const char *value);
void ort_hardware_finish(struct ort_hardware *list);

#endif
