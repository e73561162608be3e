/* SPDX-License-Identifier: MIT */
/*
 * devices.c - OrtHardwareDevice and OrtEpDevice.
 *
 * The host does not say what hardware a provider drives, so all of them are shown on the one device
 * that is certain: the processor.
 */

#include "config.h"

#include "ort/devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/env.h"
#include "ort/memory.h"
#include "ort/options.h"
#include "ort/status.h"

struct OrtHardwareDevice {
    OrtHardwareDeviceType type;
    uint32_t vendor_id, device_id;
    char vendor[64];
    OrtKeyValuePairs metadata;
};

struct OrtEpDevice {
    char name[128];
    char *vendor;
    OrtKeyValuePairs metadata, options;
    const OrtHardwareDevice *hardware;
};

struct ort_devices {
    OrtHardwareDevice processor;
    OrtEpDevice *devices;
    const OrtEpDevice **list;
    size_t n;
};

void ort_devices_destroy(struct ort_devices *devices)
{
    if (!devices)
        return;
    for (size_t i = 0; i < devices->n; i++) {
        free(devices->devices[i].vendor);
        ort_keys_finish(&devices->devices[i].metadata);
        ort_keys_finish(&devices->devices[i].options);
    }
    ort_keys_finish(&devices->processor.metadata);
    free(devices->devices);
    free(devices->list);
    free(devices);
}

/* Who made the processor, as the kernel says. */
static void ask_kernel(OrtHardwareDevice *device)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];

    snprintf(device->vendor, sizeof device->vendor, "unknown");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "vendor_id : %63s", device->vendor) == 1)
            break;
    }
    if (file)
        fclose(file);
    if (strcmp(device->vendor, "GenuineIntel") == 0)
        device->vendor_id = 0x8086;
    else if (strcmp(device->vendor, "AuthenticAMD") == 0)
        device->vendor_id = 0x1022;
}

static bool add(struct ort_devices *to, const bp_provider_info *info)
{
    OrtEpDevice *device = &to->devices[to->n++];

    bp_provider_long_name(info->name, device->name, sizeof device->name);
    device->hardware = &to->processor;
    device->vendor = strdup(info->vendor ? info->vendor : "");
    return device->vendor &&
           ort_keys_set(&device->metadata, "version", info->version ? info->version : "0.0.0") &&
           (!info->file || ort_keys_set(&device->metadata, "library_path", info->file));
}

static bool add_usable(struct ort_devices *to, bp_env *host, uint32_t n, bool cpu)
{
    for (uint32_t i = 0; i < n; i++) {
        bp_provider_info info = {.struct_size = sizeof info};

        if (bp_env_provider_info(host, i, &info, NULL) < 0 || info.code < 0 ||
            (strcmp(info.name, "cpu") == 0) != cpu)
            continue;
        if (!add(to, &info))
            return false;
    }
    return true;
}

/* CPU comes first here. */
static struct ort_devices *build(bp_env *host, uint32_t n)
{
    struct ort_devices *made = calloc(1, sizeof *made);

    if (!made)
        return NULL;
    made->devices = calloc(n + 1, sizeof *made->devices);
    made->list = calloc(n + 1, sizeof *made->list);
    if (!made->devices || !made->list || !add_usable(made, host, n, true) ||
        !add_usable(made, host, n, false)) {
        ort_devices_destroy(made);
        return NULL;
    }
    ask_kernel(&made->processor);
    for (size_t i = 0; i < made->n; i++)
        made->list[i] = &made->devices[i];
    return made;
}

static OrtStatus *need(const OrtEnv *given, struct ort_devices **out)
{
    union {
        const OrtEnv *given;
        OrtEnv *shared;
    } env = {given};
    OrtStatus *status = NULL;
    struct ort_err err;
    uint32_t n = 0;

    pthread_mutex_lock(&env.shared->lock);
    if (!env.shared->devices) {
        status = ort_from(bp_env_provider_count(given->host, &n, ort_err_init(&err)), &err,
                          ORT_OTHER, NULL);
        if (!status) {
            env.shared->devices = build(given->host, n);
            if (!env.shared->devices)
                status = ort_no_memory();
        }
    }
    *out = given->devices;
    pthread_mutex_unlock(&env.shared->lock);
    return status;
}

/* ---- slots: devices ----------------------------------------------------------------------------- */

OrtStatus *ort_GetEpDevices(const OrtEnv *env, const OrtEpDevice *const **ep_devices,
                            size_t *num_ep_devices)
{
    struct ort_devices *devices;
    OrtStatus *status;

    ORT_NEED(env);
    ORT_NEED(ep_devices);
    ORT_NEED(num_ep_devices);
    status = need(env, &devices);
    if (status)
        return status;
    *ep_devices = devices->list;
    *num_ep_devices = devices->n;
    return NULL;
}

OrtStatus *ort_GetNumHardwareDevices(const OrtEnv *env, size_t *num_devices)
{
    ORT_NEED(env);
    ORT_NEED(num_devices);
    *num_devices = 1;
    return NULL;
}

OrtStatus *ort_GetHardwareDevices(const OrtEnv *env, const OrtHardwareDevice **devices,
                                  size_t num_devices)
{
    struct ort_devices *all;
    OrtStatus *status;

    ORT_NEED(env);
    ORT_NEED(devices);
    if (num_devices < 1)
        return ort_fail(ORT_INVALID_ARGUMENT, "room for no device, there is one");
    status = need(env, &all);
    if (!status)
        devices[0] = &all->processor;
    return status;
}

OrtHardwareDeviceType ort_HardwareDevice_Type(const OrtHardwareDevice *device)
{
    return device ? device->type : OrtHardwareDeviceType_CPU;
}

uint32_t ort_HardwareDevice_VendorId(const OrtHardwareDevice *device)
{
    return device ? device->vendor_id : 0;
}

const char *ort_HardwareDevice_Vendor(const OrtHardwareDevice *device)
{
    return device ? device->vendor : NULL;
}

uint32_t ort_HardwareDevice_DeviceId(const OrtHardwareDevice *device)
{
    return device ? device->device_id : 0;
}

const OrtKeyValuePairs *ort_HardwareDevice_Metadata(const OrtHardwareDevice *device)
{
    return device ? &device->metadata : NULL;
}

const char *ort_EpDevice_EpName(const OrtEpDevice *ep_device)
{
    return ep_device ? ep_device->name : NULL;
}

const char *ort_EpDevice_EpVendor(const OrtEpDevice *ep_device)
{
    return ep_device ? ep_device->vendor : NULL;
}

const OrtKeyValuePairs *ort_EpDevice_EpMetadata(const OrtEpDevice *ep_device)
{
    return ep_device ? &ep_device->metadata : NULL;
}

const OrtKeyValuePairs *ort_EpDevice_EpOptions(const OrtEpDevice *ep_device)
{
    return ep_device ? &ep_device->options : NULL;
}

const OrtHardwareDevice *ort_EpDevice_Device(const OrtEpDevice *ep_device)
{
    return ep_device ? ep_device->hardware : NULL;
}

const OrtMemoryInfo *ort_EpDevice_MemoryInfo(const OrtEpDevice *ep_device,
                                             OrtDeviceMemoryType memory_type)
{
    return ep_device && memory_type == OrtDeviceMemoryType_DEFAULT ? ort_cpu_memory() : NULL;
}

/* ---- slots: choosing ----------------------------------------------------------------------------- */

OrtStatus *ort_SessionOptionsAppendExecutionProvider_V2(
    OrtSessionOptions *session_options, OrtEnv *env, const OrtEpDevice *const *ep_devices,
    size_t num_ep_devices, const char *const *ep_option_keys, const char *const *ep_option_vals,
    size_t num_ep_options)
{
    OrtKeyValuePairs kv = {0};
    OrtStatus *status;

    ORT_NEED(session_options);
    ORT_NEED(env);
    ORT_NEED(ep_devices);
    if (num_ep_devices == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "At least one EP device is needed");
    for (size_t i = 0; i < num_ep_devices; i++) {
        ORT_NEED(ep_devices[i]);
        if (strcmp(ep_devices[i]->name, ep_devices[0]->name) != 0)
            return ort_fail(ORT_INVALID_ARGUMENT, "All EP devices must be of one provider: %s, %s",
                            ep_devices[0]->name, ep_devices[i]->name);
    }
    status = ort_keys_set_all(&kv, ep_option_keys, ep_option_vals, num_ep_options);
    if (!status)
        status = ort_append(session_options, ep_devices[0]->name, &kv, ORT_FAIL);
    ort_keys_finish(&kv);
    return status;
}
