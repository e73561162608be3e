/* SPDX-License-Identifier: MIT */
/* stream_api.c - ACL's functions of streams: they check, lock, and call stream.c. */
#include <stdlib.h>

#include "core/clock.h"
#include "core/context.h"
#include "core/error.h"
#include "core/fault.h"
#include "core/state.h"
#include "stream/stream.h"

/* Priorities are checked, 0 (highest) to 7, and ignored: all streams run alike. */
static aclError create(aclrtStream *out, uint32_t priority, uint32_t flags)
{
    struct sim_context *context;
    struct sim_stream *stream;
    aclError rc;

    if (!out || priority > 7)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateStream: NULL, or priority %u of 0..7",
                        priority);
    sim_lock();
    rc = sim_current(&context);
    if (!rc)
        rc = sim_fault(BP_ASCEND_AT_CREATE_STREAM);
    if (!rc)
        rc = sim_stream_create(context, false, flags, &stream);
    if (!rc)
        *out = stream->handle;
    sim_unlock();
    return rc;
}

aclError aclrtCreateStream(aclrtStream *stream)
{
    return create(stream, 0, 0);
}

aclError aclrtCreateStreamWithConfig(aclrtStream *stream, uint32_t priority, uint32_t flag)
{
    return create(stream, priority, flag);
}

/* The default stream cannot be destroyed, by NULL or by its handle. */
static aclError destroy(aclrtStream handle, bool force)
{
    struct sim_stream *stream;
    aclError rc;

    if (!handle)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "the default stream goes with its context");
    sim_lock();
    rc = sim_stream_get(handle, &stream);
    if (!rc && stream->is_default)
        rc = sim_fail(ACL_ERROR_INVALID_PARAM, "the default stream goes with its context");
    if (!rc)
        sim_stream_destroy(stream, force);
    sim_unlock();
    return rc;
}

aclError aclrtDestroyStream(aclrtStream stream)
{
    return destroy(stream, false);
}

aclError aclrtDestroyStreamForce(aclrtStream stream)
{
    return destroy(stream, true);
}

/* Below -1 is refused; -1 waits for ever, 0 asks. */
aclError aclrtSynchronizeStreamWithTimeout(aclrtStream handle, int32_t timeout)
{
    struct sim_stream *stream;
    aclError rc;

    if (timeout < -1)
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "a timeout of %d ms", timeout);
    sim_lock();
    rc = sim_stream_get(handle, &stream);
    if (!rc)
        rc = sim_fault(BP_ASCEND_AT_SYNC);
    if (!rc) {
        sim_state.counters.syncs_stream++;
        sim_state.counters.syncs_default_stream += stream->is_default;
        rc = sim_stream_synchronize(stream, sim_deadline(timeout));
    }
    sim_unlock();
    return rc;
}

aclError aclrtSynchronizeStream(aclrtStream stream)
{
    return aclrtSynchronizeStreamWithTimeout(stream, -1);
}

aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout)
{
    struct sim_context *context;
    aclError rc;

    if (timeout < -1)
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "a timeout of %d ms", timeout);
    sim_lock();
    rc = sim_current(&context);
    if (!rc)
        rc = sim_fault(BP_ASCEND_AT_SYNC);
    if (!rc) {
        sim_state.counters.syncs_device++;
        rc = sim_device_synchronize(context->device, sim_deadline(timeout));
    }
    sim_unlock();
    return rc;
}

aclError aclrtSynchronizeDevice(void)
{
    return aclrtSynchronizeDeviceWithTimeout(-1);
}

/*
 * Says whether everything queued has ended, not whether it succeeded: that takes a synchronisation.
 */
aclError aclrtStreamQuery(aclrtStream handle, aclrtStreamStatus *status)
{
    struct sim_stream *stream;
    aclError rc;

    if (!status)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtStreamQuery: NULL");
    sim_lock();
    rc = sim_stream_get(handle, &stream);
    if (!rc)
        *status = stream->finished == stream->submitted ? ACL_STREAM_STATUS_COMPLETE
                                                        : ACL_STREAM_STATUS_NOT_READY;
    sim_unlock();
    return rc;
}

/*
 * Threads that wait for the stream get ACL_ERROR_RT_STREAM_ABORT. The task that runs ends early; a
 * synchronisation that begins now waits for that.
 */
aclError aclrtStreamAbort(aclrtStream handle)
{
    struct sim_stream *stream;
    aclError rc;

    sim_lock();
    rc = sim_stream_get(handle, &stream);
    if (!rc) {
        stream->aborts++;
        sim_stream_discard(stream);
    }
    sim_unlock();
    return rc;
}

/* ACL_CONTINUE_ON_FAILURE or ACL_STOP_ON_FAILURE. */
aclError aclrtSetStreamFailureMode(aclrtStream handle, uint64_t mode)
{
    struct sim_stream *stream;
    aclError rc;

    if (mode > ACL_STOP_ON_FAILURE)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "failure mode %llu is neither 0 nor 1",
                        (unsigned long long)mode);
    sim_lock();
    rc = sim_stream_get(handle, &stream);
    if (!rc)
        stream->failure_mode = mode;
    sim_unlock();
    return rc;
}

/* Of the current device; default streams count among those in use. */
aclError aclrtGetStreamAvailableNum(uint32_t *streamCount)
{
    struct sim_context *context;
    aclError rc;

    if (!streamCount)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtGetStreamAvailableNum: NULL");
    sim_lock();
    rc = sim_current(&context);
    if (!rc)
        *streamCount = (uint32_t)context->device->config->streams - context->device->streams;
    sim_unlock();
    return rc;
}

/* For the whole process, until aclInit() is called again; 0 means no limit. */
aclError aclrtSetOpExecuteTimeOut(uint32_t timeout)
{
    aclError rc;

    sim_lock();
    rc = sim_need_init();
    if (!rc)
        sim_state.op_timeout = timeout;
    sim_unlock();
    return rc;
}
