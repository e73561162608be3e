/* SPDX-License-Identifier: MIT */
/*
 * incompatibility.c - GetHardwareDeviceEpIncompatibilityDetails (OrtApi since version 24): why a
 * provider can't run on a device.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/devices/ep_devices.h"
#include "ort/env.h"
#include "ort/status.h"

/* Fixed sizes, so that one free() releases it. */
struct OrtDeviceEpIncompatibilityDetails {
    uint32_t reasons;
    int32_t code;
    char notes[1024]; /* "": none */
};

/* The host's error code and load stage as ONNX Runtime's bit mask. */
static uint32_t reasons_of(const bp_provider_info *info)
{
    if (info->code == BP_E_VERSION)
        return OrtDeviceEpIncompatibility_DRIVER_INCOMPATIBLE;
    switch (info->stage) {
    case BP_STAGE_ARCH:
    case BP_STAGE_ISA:
        return OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE;
    case BP_STAGE_FOUND:
    case BP_STAGE_DEPENDENCIES:
    case BP_STAGE_OPEN:
        return OrtDeviceEpIncompatibility_MISSING_DEPENDENCY;
    default:
        return (uint32_t)OrtDeviceEpIncompatibility_UNKNOWN;
    }
}

/* A provider that failed to load has its own reason; a usable one may lack this device. */
static void explain(const struct ort_devices *devices, const bp_provider_info *info,
                    const OrtHardwareDevice *hw, OrtDeviceEpIncompatibilityDetails *out)
{
    if (info->code < 0) {
        out->reasons = reasons_of(info);
        out->code = info->code;
        snprintf(out->notes, sizeof out->notes, "%s%s%s", info->reason ? info->reason : "",
                 info->fix ? "; " : "", info->fix ? info->fix : "");
        return;
    }
    for (size_t i = 0; i < devices->n; i++) {
        if (strcmp(devices->devices[i].plain, info->name) == 0 &&
            devices->devices[i].hardware == hw)
            return; /* it runs there */
    }
    out->reasons = OrtDeviceEpIncompatibility_DEVICE_INCOMPATIBLE;
    out->code = BP_E_UNSUPPORTED;
    snprintf(out->notes, sizeof out->notes, "provider '%s' has no device of this hardware",
             info->name);
}

/* OrtApi since version 24. */
OrtStatus *
ort_GetHardwareDeviceEpIncompatibilityDetails(const OrtEnv *env, const char *ep_name,
                                              const OrtHardwareDevice *hw,
                                              OrtDeviceEpIncompatibilityDetails **details)
{
    bp_provider_info info = {.struct_size = sizeof info};
    OrtDeviceEpIncompatibilityDetails *made;
    const struct ort_devices *devices;
    struct ort_err err;
    OrtStatus *status;
    uint32_t index;

    ORT_NEED(env);
    ORT_NEED(ep_name);
    ORT_NEED(hw);
    ORT_NEED(details);
    if (bp_env_find_provider(env->host, ep_name, &index, ort_err_init(&err)) < 0 ||
        bp_env_provider_info(env->host, index, &info, &err.err) < 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "%s", err.text);
    status = ort_devices_need(env, &devices);
    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        return ort_no_memory();
    explain(devices, &info, hw, made);
    *details = made;
    return NULL;
}

/* OrtApi since version 24. */
OrtStatus *ort_DeviceEpIncompatibilityDetails_GetReasonsBitmask(
    const OrtDeviceEpIncompatibilityDetails *details, uint32_t *reasons_bitmask)
{
    ORT_NEED(details);
    ORT_NEED(reasons_bitmask);
    *reasons_bitmask = details->reasons;
    return NULL;
}

/* OrtApi since version 24. */
OrtStatus *
ort_DeviceEpIncompatibilityDetails_GetNotes(const OrtDeviceEpIncompatibilityDetails *details,
                                            const char **notes)
{
    ORT_NEED(details);
    ORT_NEED(notes);
    *notes = details->notes[0] ? details->notes : NULL;
    return NULL;
}

/* OrtApi since version 24. */
OrtStatus *
ort_DeviceEpIncompatibilityDetails_GetErrorCode(const OrtDeviceEpIncompatibilityDetails *details,
                                                int32_t *error_code)
{
    ORT_NEED(details);
    ORT_NEED(error_code);
    *error_code = details->code;
    return NULL;
}

/* OrtApi since version 24. */
void ort_ReleaseDeviceEpIncompatibilityDetails(OrtDeviceEpIncompatibilityDetails *input)
{
    free(input);
}
