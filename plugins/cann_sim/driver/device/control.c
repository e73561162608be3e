/* SPDX-License-Identifier: MIT */
/* control.c - bp_ascend_sim.h: pausing and losing devices, counters, times. */
#include <string.h>

#include "core/clock.h"
#include "core/context.h"
#include "core/error.h"
#include "core/handle.h"
#include "core/state.h"
#include "model/model.h"

/* Tasks that run go on to their end. */
static aclError set_paused(int32_t id, bool paused)
{
    struct sim_device *device;
    aclError rc;

    sim_lock();
    rc = sim_device_get(id, &device);
    if (!rc) {
        device->paused = paused;
        sim_wake_device(device);
    }
    sim_unlock();
    return rc;
}

aclError bp_ascend_pause(int32_t device)
{
    return set_paused(device, true);
}

aclError bp_ascend_resume(int32_t device)
{
    return set_paused(device, false);
}

/* Streams notice with their next task, the host with its next call. */
aclError bp_ascend_set_state(int32_t id, uint32_t state)
{
    struct sim_device *device;
    aclError rc;

    if (state > BP_ASCEND_LOST)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "state %u of 0..%d", state, BP_ASCEND_LOST);
    sim_lock();
    rc = sim_device_get(id, &device);
    if (!rc)
        device->state = state;
    sim_unlock();
    return rc;
}

/* ---- counters ------------------------------------------------------------------------------- */

/*
 * Counts come from three places, and are not those of one moment. Programs that were compiled with
 * an earlier header get as much as they know of.
 */
aclError bp_ascend_get_counters(struct bp_ascend_counters *out)
{
    struct bp_ascend_counters now;
    size_t size;

    if (!out || out->struct_size < sizeof out->struct_size)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "bp_ascend_get_counters: struct_size is not set");
    sim_lock();
    now = sim_state.counters;
    sim_cache_count(&now);
    sim_unlock();
    sim_count_descriptions(&now);
    now.live_datasets = sim_live_datasets();
    now.live_model_descriptions = sim_live_model_descs();
    size = out->struct_size < sizeof now ? out->struct_size : sizeof now;
    now.struct_size = size;
    memcpy(out, &now, size);
    return ACL_SUCCESS;
}

/* What is allocated now stays counted, and becomes the peak. */
void bp_ascend_reset_counters(void)
{
    struct bp_ascend_counters *counters = &sim_state.counters, kept = {0};

    sim_lock();
    kept.live_bytes = kept.peak_bytes = counters->live_bytes;
    kept.host_live_bytes = kept.host_peak_bytes = counters->host_live_bytes;
    *counters = kept;
    sim_unlock();
    sim_reset_counts();
}

/* ---- times ---------------------------------------------------------------------------------- */

/* `simulated` is when all work that has run would be done. */
aclError bp_ascend_get_times(int32_t id, struct bp_ascend_times *out)
{
    struct bp_ascend_times now = {0};
    struct sim_device *device;
    aclError rc;

    if (!out || out->struct_size < sizeof out->struct_size)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "bp_ascend_get_times: struct_size is not set");
    sim_lock();
    rc = sim_device_get(id, &device);
    if (!rc) {
        now.real = sim_now() - device->opened_ns;
        now.host = device->host_ns;
        now.simulated = device->done_ns > device->host_ns ? device->done_ns : device->host_ns;
        now.busy_operators = device->busy_operators;
        now.busy_copies = device->busy_copies;
        now.busy_compiling = device->busy_compiling;
    }
    sim_unlock();
    if (rc)
        return rc;
    now.struct_size = out->struct_size < sizeof now ? out->struct_size : sizeof now;
    memcpy(out, &now, now.struct_size);
    return ACL_SUCCESS;
}

/* Streams have clocks too; a task that is queued has been given its time already. [locked] */
static aclError reset_times(struct sim_device *device)
{
    struct sim_stream *stream;

    for (size_t at = 0; (stream = sim_handle_next(SIM_STREAM, &at)) != NULL;)
        if (stream->device == device && stream->finished < stream->submitted)
            return sim_fail(ACL_ERROR_RT_STREAM_NOT_COMPLETE, "device %d has work", device->id);
    for (size_t at = 0; (stream = sim_handle_next(SIM_STREAM, &at)) != NULL;)
        if (stream->device == device)
            stream->clock_ns = 0;
    device->opened_ns = sim_now();
    device->host_ns = device->done_ns = 0;
    device->busy_operators = device->busy_copies = device->busy_compiling = 0;
    return 0;
}

aclError bp_ascend_reset_times(int32_t id)
{
    struct sim_device *device;
    aclError rc;

    sim_lock();
    rc = sim_device_get(id, &device);
    if (!rc)
        rc = reset_times(device);
    sim_unlock();
    return rc;
}
