/* SPDX-License-Identifier: MIT */
/*
 * device.c - devices and contexts: made, chosen, and emptied.
 *
 * A device gets a default context with the first aclrtSetDevice() and loses it with the last
 * aclrtResetDevice(). Every context has a default stream.
 */
#include "device/device.h"

#include <stdlib.h>
#include <string.h>

#include "core/clock.h"
#include "core/context.h"
#include "core/error.h"
#include "core/fault.h"
#include "core/handle.h"
#include "core/state.h"
#include "memory/memory.h"
#include "model/model.h"

/* The release of ACL whose headers this follows. */
#define VERSION_MAJOR 1
#define VERSION_MINOR 17
#define VERSION_PATCH 0

/* All of them, also those beyond device_count, which no program can reach. */
void sim_devices_open(void)
{
    for (int32_t i = 0; i < SIM_DEVICES; i++) {
        struct sim_device *device = &sim_state.devices[i];

        memset(device, 0, sizeof *device);
        device->id = i;
        device->config = &sim_state.config.devices[i];
        device->state = device->config->state;
        device->opened_ns = sim_now();
    }
}

/* ---- contexts ------------------------------------------------------------------------------- */

/* With its default stream. [locked] */
static aclError create_context(struct sim_device *device, struct sim_context **out)
{
    struct sim_context *context = calloc(1, sizeof *context);
    aclError rc;

    *out = NULL;
    if (!context)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a context");
    context->device = device;
    context->handle = sim_handle_create(SIM_CONTEXT, context);
    rc = context->handle ? sim_stream_create(context, true, 0, &context->default_stream)
                         : sim_fail(ACL_ERROR_BAD_ALLOC, "no handle for a context");
    if (rc) {
        sim_handle_drop(context->handle);
        free(context);
        return rc;
    }
    sim_state.counters.contexts_created++;
    *out = context;
    return 0;
}

/*
 * Its streams go with it; returns how many were not its own default one. The table of streams is
 * searched from the start after each, as others may have come and gone while it was waited for.
 * [locked, may wait]
 */
static size_t destroy_context(struct sim_context *context, bool force)
{
    struct sim_stream *stream;
    size_t left = 0;

    sim_handle_drop(context->handle);
    for (size_t at = 0; (stream = sim_handle_next(SIM_STREAM, &at)) != NULL;) {
        if (stream->context != context)
            continue;
        left += !stream->is_default;
        sim_stream_destroy(stream, force);
        at = 0; /* others may have come and gone while it was waited for */
    }
    sim_state.counters.contexts_destroyed++;
    free(context);
    return left;
}

/*
 * Streams first, as their tasks use all the rest; then models, which own memory; then events and
 * memory.
 */
void sim_device_close(struct sim_device *device, bool force)
{
    struct sim_context *context;
    size_t streams = 0, blocks, events, models;

    device->paused = false;
    sim_wake_device(device);
    for (size_t at = 0; (context = sim_handle_next(SIM_CONTEXT, &at)) != NULL;) {
        if (context->device != device)
            continue;
        streams += destroy_context(context, force);
        at = 0;
    }
    models = sim_models_free(device);
    events = sim_events_free(device);
    blocks = sim_free_all(device);
    device->context = NULL;
    device->set_count = 0;
    if (streams || events || blocks || models)
        sim_note_violation(BP_ASCEND_LEFT_BEHIND,
                           "device %d: %zu streams, %zu events, %zu blocks of memory, %zu models",
                           device->id, streams, events, blocks, models);
}

aclError aclrtCreateContext(aclrtContext *out, int32_t deviceId)
{
    struct sim_context *context;
    struct sim_device *device;
    aclError rc;

    if (!out)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateContext: NULL");
    sim_lock();
    rc = sim_device_get(deviceId, &device);
    if (!rc)
        rc = create_context(device, &context);
    if (!rc)
        sim_set_current(*out = context->handle);
    sim_unlock();
    return rc;
}

/*
 * The default context belongs to the device. Threads that are in a destroyed context get
 * ACL_ERROR_RT_CONTEXT_NULL from then on.
 */
aclError aclrtDestroyContext(aclrtContext handle)
{
    struct sim_context *context;
    aclError rc;
    size_t left;

    sim_lock();
    rc = sim_context_get(handle, &context);
    if (!rc && context->device->context == handle)
        rc = sim_fail(ACL_ERROR_INVALID_PARAM,
                      "a default context goes with aclrtResetDevice() alone");
    if (!rc) {
        left = destroy_context(context, false);
        if (left)
            sim_note_violation(BP_ASCEND_LEFT_BEHIND, "a context: %zu streams", left);
    }
    sim_unlock();
    return rc;
}

aclError aclrtSetCurrentContext(aclrtContext handle)
{
    struct sim_context *context;
    aclError rc;

    sim_lock();
    rc = sim_context_get(handle, &context);
    if (!rc)
        sim_set_current(handle);
    sim_unlock();
    return rc;
}

aclError aclrtGetCurrentContext(aclrtContext *out)
{
    struct sim_context *context;
    aclError rc;

    if (!out)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetCurrentContext: NULL");
    sim_lock();
    rc = sim_current(&context);
    if (!rc)
        *out = context->handle;
    sim_unlock();
    return rc;
}

/* ---- devices -------------------------------------------------------------------------------- */

/*
 * A device that was lost can still be set by those who have it, to free what they have there.
 * [locked]
 */
static aclError set_device(struct sim_device *device)
{
    struct sim_context *context;
    aclError rc = sim_fault(BP_ASCEND_AT_SET_DEVICE);

    sim_state.counters.set_device_calls++;
    if (rc)
        return rc;
    if (device->state == BP_ASCEND_BUSY)
        return sim_fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "device %d is busy", device->id);
    if (device->state == BP_ASCEND_LOST && !device->context)
        return sim_fail(ACL_ERROR_RT_DEV_SETUP_ERROR, "device %d is lost", device->id);
    if (!device->context) {
        rc = create_context(device, &context);
        if (rc)
            return rc;
        device->context = context->handle;
    }
    device->set_count++;
    sim_set_current(device->context);
    return 0;
}

aclError aclrtSetDevice(int32_t deviceId)
{
    struct sim_device *device;
    aclError rc;

    sim_lock();
    rc = sim_device_get(deviceId, &device);
    if (!rc)
        rc = set_device(device);
    sim_unlock();
    return rc;
}

/* Undoes one aclrtSetDevice(), or with `force` all of them. */
static aclError reset_device(int32_t id, bool force)
{
    struct sim_device *device;
    aclError rc;

    sim_lock();
    rc = sim_device_get(id, &device);
    if (!rc && device->set_count == 0)
        rc = sim_violate(BP_ASCEND_NO_CONTEXT, ACL_ERROR_RT_CONTEXT_NULL,
                         "device %d was not set, or was reset as often", id);
    if (!rc && (force || --device->set_count == 0))
        sim_device_close(device, force);
    sim_unlock();
    return rc;
}

aclError aclrtResetDevice(int32_t deviceId)
{
    return reset_device(deviceId, false);
}

aclError aclrtResetDeviceForce(int32_t deviceId)
{
    return reset_device(deviceId, true);
}

aclError aclrtGetDevice(int32_t *deviceId)
{
    struct sim_context *context;
    aclError rc;

    if (!deviceId)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDevice: NULL");
    sim_lock();
    rc = sim_current(&context);
    if (!rc)
        *deviceId = context->device->id;
    sim_unlock();
    return rc;
}

aclError aclrtGetDeviceCount(uint32_t *count)
{
    aclError rc;

    if (!count)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetDeviceCount: NULL");
    sim_lock();
    rc = sim_need_init();
    if (!rc)
        *count = sim_state.config.device_count;
    sim_unlock();
    return rc;
}

aclError aclrtQueryDeviceStatus(int32_t deviceId, aclrtDeviceStatus *deviceStatus)
{
    struct sim_device *device;
    aclError rc;

    if (!deviceStatus)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtQueryDeviceStatus: NULL");
    sim_lock();
    rc = sim_device_get(deviceId, &device);
    if (!rc)
        *deviceStatus = device->state == BP_ASCEND_LOST ? ACL_RT_DEVICE_STATUS_ABNORMAL
                                                        : ACL_RT_DEVICE_STATUS_NORMAL;
    sim_unlock();
    return rc;
}

/* The text belongs to the configuration, which stays until the next aclInit(). */
const char *aclrtGetSocName(void)
{
    struct sim_context *context;
    const char *name = NULL;

    sim_lock();
    if (sim_need_init() == 0) {
        context = sim_current_or_null();
        if (context)
            name = context->device->config->soc;
        else if (sim_state.config.device_count > 0)
            name = sim_state.config.devices[0].soc;
    }
    sim_unlock();
    return name;
}

aclError aclrtGetVersion(int32_t *major, int32_t *minor, int32_t *patch)
{
    if (!major || !minor || !patch)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetVersion: NULL");
    *major = VERSION_MAJOR;
    *minor = VERSION_MINOR;
    *patch = VERSION_PATCH;
    return ACL_SUCCESS;
}

/* The program runs on the host, not on the device's own processor. */
aclError aclrtGetRunMode(aclrtRunMode *runMode)
{
    if (!runMode)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetRunMode: NULL");
    *runMode = ACL_HOST;
    return ACL_SUCCESS;
}
