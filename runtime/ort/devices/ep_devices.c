/* SPDX-License-Identifier: MIT */
/*
 * ep_devices.c - OrtEpDevice (OrtApi since version 22): usable providers, one entry for each device.
 *
 * A provider's device is matched to hardware by its PCI bus id, if it reports one; else an entry of
 * hardware is created from what the provider reports.
 */

#include "config.h"

#include "ort/devices/ep_devices.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/env.h"
#include "ort/session/options.h"
#include "ort/status.h"
#include "ort/values/memory.h"

void ort_devices_destroy(struct ort_devices *devices)
{
    if (!devices)
        return;
    for (size_t i = 0; i < devices->n; i++) {
        free(devices->devices[i].vendor);
        ort_keys_finish(&devices->devices[i].metadata);
        ort_keys_finish(&devices->devices[i].options);
    }
    ort_hardware_finish(&devices->hardware);
    free(devices->devices);
    free(devices->list);
    free(devices);
}

const OrtEpDevice *ort_devices_find(const struct ort_devices *devices, const char *plain,
                                    uint32_t device)
{
    for (size_t i = 0; i < devices->n; i++) {
        if (strcmp(devices->devices[i].plain, plain) == 0 && devices->devices[i].device == device)
            return &devices->devices[i];
    }
    return NULL;
}

/* ---- finding --------------------------------------------------------------------------------- */

/* ONNX Runtime knows CPU, GPU and NPU; other accelerators count as NPU. */
static OrtHardwareDevice *add_hardware(struct ort_devices *to, const bp_device *device)
{
    OrtHardwareDeviceType type =
        device->kind == BP_DEVICE_GPU ? OrtHardwareDeviceType_GPU : OrtHardwareDeviceType_NPU;
    OrtHardwareDevice *made = ort_hardware_add(&to->hardware, type, device->vendor_id, 0);
    char bytes[24];
    bool ok = made != NULL;

    snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)device->mem_total);
    if (ok && device->id[0])
        ok = ort_keys_set(&made->metadata, "id", device->id);
    if (ok && device->name[0])
        ok = ort_keys_set(&made->metadata, "Description", device->name);
    if (ok && device->mem_total > 0)
        ok = ort_keys_set(&made->metadata, "memory", bytes);
    return ok ? made : NULL;
}

/* The hardware of a provider's device. */
static OrtHardwareDevice *match(struct ort_devices *to, const bp_device *device)
{
    OrtHardwareDevice *found;

    if (device->kind == BP_DEVICE_CPU)
        return to->hardware.rows[0];
    found = device->id[0] ? ort_hardware_find(&to->hardware, "pci_bus_id", device->id) : NULL;
    if (!found && device->id[0]) /* another provider reported it before */
        found = ort_hardware_find(&to->hardware, "id", device->id);
    return found ? found : add_hardware(to, device);
}

/*
 * Adds the device; its metadata has the keys version, library_path and os_driver_version. False: no
 * memory.
 */
static bool add(struct ort_devices *to, const bp_provider_info *info, const bp_device *device,
                uint32_t index)
{
    OrtEpDevice *made = &to->devices[to->n++];

    bp_provider_long_name(info->name, made->name, sizeof made->name);
    snprintf(made->plain, sizeof made->plain, "%s", info->name);
    made->device = index;
    made->hardware = match(to, device);
    made->vendor = strdup(info->vendor ? info->vendor : "");
    return made->hardware && made->vendor &&
           ort_keys_set(&made->metadata, "version", info->version ? info->version : "0.0.0") &&
           (!info->file || ort_keys_set(&made->metadata, "library_path", info->file)) &&
           (!device->driver[0] ||
            ort_keys_set(&made->metadata, "os_driver_version", device->driver));
}

/* Space for one more device. */
static bool grow(struct ort_devices *to)
{
    OrtEpDevice *devices = realloc(to->devices, (to->n + 1) * sizeof *devices);

    if (!devices)
        return false;
    to->devices = devices;
    devices[to->n] = (OrtEpDevice){0};
    return true;
}

/* Providers that failed to load, or whose device can't be queried, are left out. */
static bool add_usable(struct ort_devices *to, bp_env *host, uint32_t n, bool cpu)
{
    for (uint32_t i = 0; i < n; i++) {
        bp_provider_info info = {.struct_size = sizeof info};

        if (bp_env_provider_info(host, i, &info, NULL) < 0 || info.code < 0 ||
            (strcmp(info.name, "cpu") == 0) != cpu)
            continue;
        for (uint32_t d = 0; d < info.n_devices; d++) {
            bp_device device = {.struct_size = sizeof device};

            if (bp_env_provider_device(host, i, d, &device, NULL) < 0)
                continue; /* it cannot tell: not offered */
            if (!grow(to) || !add(to, &info, &device, d))
                return false;
        }
    }
    return true;
}

/* CPU comes first, as in ONNX Runtime. */
static struct ort_devices *build(bp_env *host, uint32_t n)
{
    struct ort_devices *made = calloc(1, sizeof *made);
    bool ok = made && ort_hardware_scan(&made->hardware, "/proc/cpuinfo", "/sys/bus/pci/devices") &&
              add_usable(made, host, n, true) && add_usable(made, host, n, false);

    if (ok)
        made->list = calloc(made->n + 1, sizeof *made->list);
    if (!ok || !made->list) {
        ort_devices_destroy(made);
        return NULL;
    }
    for (size_t i = 0; i < made->n; i++)
        made->list[i] = &made->devices[i];
    return made;
}

/* Probing is done once; the environment's lock covers it. */
OrtStatus *ort_devices_need(const OrtEnv *given, const struct ort_devices **out)
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
        status = ort_from(bp_env_probe(given->host, ort_err_init(&err)), &err, ORT_OTHER, NULL);
        if (!status)
            status = ort_from(bp_env_provider_count(given->host, &n, ort_err_init(&err)), &err,
                              ORT_OTHER, NULL);
        if (!status) {
            env.shared->devices = build(given->host, n);
            env.shared->devices_destroy = ort_devices_destroy;
            if (!env.shared->devices)
                status = ort_no_memory();
        }
    }
    *out = given->devices;
    pthread_mutex_unlock(&env.shared->lock);
    return status;
}

/* ---- slots: devices -------------------------------------------------------------------------- */

/* OrtApi since version 22: The array is the environment's. */
OrtStatus *ort_GetEpDevices(const OrtEnv *env, const OrtEpDevice *const **ep_devices,
                            size_t *num_ep_devices)
{
    const struct ort_devices *devices;
    OrtStatus *status;

    ORT_NEED(env);
    ORT_NEED(ep_devices);
    ORT_NEED(num_ep_devices);
    status = ort_devices_need(env, &devices);
    if (status)
        return status;
    *ep_devices = devices->list;
    *num_ep_devices = devices->n;
    return NULL;
}

/* OrtApi since version 24. */
OrtStatus *ort_GetNumHardwareDevices(const OrtEnv *env, size_t *num_devices)
{
    const struct ort_devices *all;
    OrtStatus *status;

    ORT_NEED(env);
    ORT_NEED(num_devices);
    status = ort_devices_need(env, &all);
    if (!status)
        *num_devices = all->hardware.n;
    return status;
}

/*
 * OrtApi since version 24: ORT_INVALID_ARGUMENT: the array is too short; see GetNumHardwareDevices.
 */
OrtStatus *ort_GetHardwareDevices(const OrtEnv *env, const OrtHardwareDevice **devices,
                                  size_t num_devices)
{
    const struct ort_devices *all;
    OrtStatus *status;

    ORT_NEED(env);
    ORT_NEED(devices);
    status = ort_devices_need(env, &all);
    if (status)
        return status;
    if (num_devices < all->hardware.n)
        return ort_fail(ORT_INVALID_ARGUMENT, "the array holds %zu devices, there are %zu",
                        num_devices, all->hardware.n);
    for (size_t i = 0; i < all->hardware.n; i++)
        devices[i] = all->hardware.rows[i];
    return NULL;
}

/* OrtApi since version 22. */
const char *ort_EpDevice_EpName(const OrtEpDevice *ep_device)
{
    return ep_device ? ep_device->name : NULL;
}

/* OrtApi since version 22. */
const char *ort_EpDevice_EpVendor(const OrtEpDevice *ep_device)
{
    return ep_device ? ep_device->vendor : NULL;
}

/* OrtApi since version 22. */
const OrtKeyValuePairs *ort_EpDevice_EpMetadata(const OrtEpDevice *ep_device)
{
    return ep_device ? &ep_device->metadata : NULL;
}

/* OrtApi since version 22. */
const OrtKeyValuePairs *ort_EpDevice_EpOptions(const OrtEpDevice *ep_device)
{
    return ep_device ? &ep_device->options : NULL;
}

/* OrtApi since version 22. */
const OrtHardwareDevice *ort_EpDevice_Device(const OrtEpDevice *ep_device)
{
    return ep_device ? ep_device->hardware : NULL;
}

/* OrtApi since version 23: Memory of other devices is private to their providers. */
const OrtMemoryInfo *ort_EpDevice_MemoryInfo(const OrtEpDevice *ep_device,
                                             OrtDeviceMemoryType memory_type)
{
    return ep_device && ep_device->hardware->type == OrtHardwareDeviceType_CPU &&
                   memory_type == OrtDeviceMemoryType_DEFAULT
               ? ort_cpu_memory()
               : NULL;
}

/* ---- slots: choosing ------------------------------------------------------------------------- */

/* ORT_INVALID_ARGUMENT: no device, or devices of different providers. */
static OrtStatus *check_one_provider(const OrtEpDevice *const *ep_devices, size_t n)
{
    if (n == 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "At least one EP device is needed");
    for (size_t i = 0; i < n; i++) {
        if (!ep_devices[i])
            return ort_fail(ORT_INVALID_ARGUMENT, "EP device %zu is NULL", i);
        if (strcmp(ep_devices[i]->name, ep_devices[0]->name) != 0)
            return ort_fail(ORT_INVALID_ARGUMENT, "All EP devices must be of one provider: %s, %s",
                            ep_devices[0]->name, ep_devices[i]->name);
    }
    return NULL;
}

/* OrtApi since version 22. */
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
    status = check_one_provider(ep_devices, num_ep_devices);
    if (!status)
        status = ort_keys_set_all(&kv, ep_option_keys, ep_option_vals, num_ep_options);
    if (!status)
        status = ort_append_on(session_options, ep_devices, num_ep_devices, &kv, ORT_FAIL);
    ort_keys_finish(&kv);
    return status;
}
