/* SPDX-License-Identifier: MIT */
/*
 * hardware.c - hardware as the kernel reports it (/proc/cpuinfo, /sys/bus/pci), and the slots of
 * OrtHardwareDevice.
 */

#include "config.h"

#include "ort/devices/hardware.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_SIZE = 1024 }; /* bytes; longer paths are cut and then not found */

/* Vendors by PCI vendor id. */
static const struct {
    uint32_t id;
    const char *name;
} vendors[] = {
    {0x1002, "AMD"},         {0x1022, "AMD"},    {0x10de, "NVIDIA"},   {0x106b, "Apple"},
    {0x1414, "Microsoft"},   {0x19e5, "Huawei"}, {0x1ae0, "Google"},   {0x1da3, "Habana"},
    {0x1e52, "Tenstorrent"}, {0x1e60, "Hailo"},  {0x5143, "Qualcomm"}, {0x8086, "Intel"},
};

/* An unknown vendor is named by its id in hexadecimal. */
OrtHardwareDevice *ort_hardware_add(struct ort_hardware *list, OrtHardwareDeviceType type,
                                    uint32_t vendor_id, uint32_t device_id)
{
    OrtHardwareDevice *row = calloc(1, sizeof *row);

    if (list->n == list->cap) {
        size_t cap = list->cap ? list->cap * 2 : 8;
        OrtHardwareDevice **grown = realloc(list->rows, cap * sizeof *grown);

        if (grown) {
            list->rows = grown;
            list->cap = cap;
        }
    }
    if (!row || list->n == list->cap) {
        free(row);
        return NULL;
    }
    row->type = type;
    row->vendor_id = vendor_id;
    row->device_id = device_id;
    snprintf(row->vendor, sizeof row->vendor, "0x%04x", vendor_id);
    for (size_t i = 0; i < sizeof vendors / sizeof *vendors; i++) {
        if (vendors[i].id == vendor_id)
            snprintf(row->vendor, sizeof row->vendor, "%s", vendors[i].name);
    }
    list->rows[list->n++] = row;
    return row;
}

OrtHardwareDevice *ort_hardware_find(const struct ort_hardware *list, const char *key,
                                     const char *value)
{
    for (size_t i = 0; i < list->n; i++) {
        const char *own = ort_keys_get(&list->rows[i]->metadata, key);

        if (own && strcmp(own, value) == 0)
            return list->rows[i];
    }
    return NULL;
}

void ort_hardware_finish(struct ort_hardware *list)
{
    for (size_t i = 0; i < list->n; i++) {
        ort_keys_finish(&list->rows[i]->metadata);
        free(list->rows[i]);
    }
    free(list->rows);
    *list = (struct ort_hardware){0};
}

/* ---- CPU ------------------------------------------------------------------------------------- */

/*
 * The first processor's vendor_id names the vendor: GenuineIntel, AuthenticAMD. False: no memory.
 */
static bool add_processor(struct ort_hardware *list, const char *cpuinfo)
{
    OrtHardwareDevice *device = ort_hardware_add(list, OrtHardwareDeviceType_CPU, 0, 0);
    FILE *file = fopen(cpuinfo, "re");
    char line[256];

    if (device) {
        snprintf(device->vendor, sizeof device->vendor, "unknown");
        while (file && fgets(line, sizeof line, file)) {
            if (sscanf(line, "vendor_id : %63s", device->vendor) == 1)
                break;
        }
        if (strcmp(device->vendor, "GenuineIntel") == 0)
            device->vendor_id = 0x8086;
        else if (strcmp(device->vendor, "AuthenticAMD") == 0)
            device->vendor_id = 0x1022;
    }
    if (file)
        fclose(file);
    return device != NULL;
}

/* ---- PCI ------------------------------------------------------------------------------------- */

/* Reads a hexadecimal attribute of sysfs; false: it doesn't exist. */
static bool read_number(const char *pci, const char *slot, const char *name, uint32_t *out)
{
    char path[PATH_SIZE];
    unsigned value;
    FILE *file;
    bool ok;

    snprintf(path, sizeof path, "%s/%s/%s", pci, slot, name);
    file = fopen(path, "re");
    if (!file)
        return false;
    ok = fscanf(file, "%x", &value) == 1;
    fclose(file);
    if (ok)
        *out = value;
    return ok;
}

/* The index that a driver gave the device: 1 for "drm/card1". False: no such driver is bound. */
static bool driver_number(const char *pci, const char *slot, const char *kind, const char *prefix,
                          char out[16])
{
    char path[PATH_SIZE];
    size_t length = strlen(prefix);
    bool found = false;
    struct dirent *entry;
    DIR *dir;

    snprintf(path, sizeof path, "%s/%s/%s", pci, slot, kind);
    dir = opendir(path);
    while (dir && !found && (entry = readdir(dir))) {
        const char *number = entry->d_name + length;

        found = strncmp(entry->d_name, prefix, length) == 0 && *number &&
                strspn(number, "0123456789") == strlen(number) && strlen(number) < 16;
        if (found)
            memcpy(out, number, strlen(number) + 1);
    }
    if (dir)
        closedir(dir);
    return found;
}

/* Does a GPU have memory of its own, where that is certain? "1", "0" or NULL. */
static const char *is_discrete(const OrtHardwareDevice *device, const char *slot)
{
    if (device->type != OrtHardwareDeviceType_GPU)
        return NULL;
    if (device->vendor_id == 0x10de)
        return "1";
    if (device->vendor_id == 0x8086) /* Intel's integrated GPU is on bus 0 */
        return strncmp(slot, "0000:00:", 8) == 0 ? "0" : "1";
    return NULL;
}

/* PCI class 3 is a GPU; class 0x12, and devices of the accel subsystem, are NPUs. */
static bool add_slot(struct ort_hardware *list, const char *pci, const char *slot)
{
    uint32_t class_code, vendor, id;
    OrtHardwareDevice *device;
    char number[16];
    const char *discrete;
    bool is_accelerator, ok;

    if (!read_number(pci, slot, "class", &class_code) ||
        !read_number(pci, slot, "vendor", &vendor) || !read_number(pci, slot, "device", &id))
        return true;
    is_accelerator = class_code >> 16 == 0x12 || driver_number(pci, slot, "accel", "accel", number);
    if (class_code >> 16 != 0x03 && !is_accelerator)
        return true;
    device = ort_hardware_add(
        list, is_accelerator ? OrtHardwareDeviceType_NPU : OrtHardwareDeviceType_GPU, vendor, id);
    if (!device)
        return false;
    ok = ort_keys_set(&device->metadata, "pci_bus_id", slot);
    discrete = is_discrete(device, slot);
    if (discrete)
        ok &= ort_keys_set(&device->metadata, "Discrete", discrete);
    if (driver_number(pci, slot, "drm", "card", number))
        ok &= ort_keys_set(&device->metadata, "card_idx", number);
    if (driver_number(pci, slot, "accel", "accel", number))
        ok &= ort_keys_set(&device->metadata, "accel_idx", number);
    return ok;
}

bool ort_hardware_scan(struct ort_hardware *list, const char *cpuinfo, const char *pci)
{
    struct dirent **slots = NULL;
    bool ok = add_processor(list, cpuinfo);
    int n = ok ? scandir(pci, &slots, NULL, alphasort) : 0;

    for (int i = 0; i < n; i++) {
        if (ok && slots[i]->d_name[0] != '.')
            ok = add_slot(list, pci, slots[i]->d_name);
        free(slots[i]);
    }
    free(slots);
    return ok;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 22. */
OrtHardwareDeviceType ort_HardwareDevice_Type(const OrtHardwareDevice *device)
{
    return device ? device->type : OrtHardwareDeviceType_CPU;
}

/* OrtApi since version 22. */
uint32_t ort_HardwareDevice_VendorId(const OrtHardwareDevice *device)
{
    return device ? device->vendor_id : 0;
}

/* OrtApi since version 22. */
const char *ort_HardwareDevice_Vendor(const OrtHardwareDevice *device)
{
    return device ? device->vendor : NULL;
}

/* OrtApi since version 22. */
uint32_t ort_HardwareDevice_DeviceId(const OrtHardwareDevice *device)
{
    return device ? device->device_id : 0;
}

/* OrtApi since version 22. */
const OrtKeyValuePairs *ort_HardwareDevice_Metadata(const OrtHardwareDevice *device)
{
    return device ? &device->metadata : NULL;
}
