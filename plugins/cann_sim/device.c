/* SPDX-License-Identifier: MIT */
/*
 * device.c - the provider's memory, copies, streams and events, as the host calls them:
 * bp_device_ops.
 */

#define _GNU_SOURCE /* clock_gettime */

#include "cann.h"

#include <time.h>

enum { SPACE = 1 };

/*
 * A stream of the host's: one of ACL's, or with do_copy_in_default_stream=false three of them. Then
 * each copy waits for all that was queued before it, and what is queued next waits for the copy.
 */
struct stream {
    aclrtStream kernels, to_device, to_host; /* the last two are NULL without copies of their own */
    aclrtEvent kernels_done, copy_done;      /* a copy */
};

/* An event of the host's. */
struct event {
    aclrtEvent event;
    struct stream *stream; /* where it was recorded last */
};

/* Before every other call of ACL, as the host may call from any thread. */
bp_rc bp_cann_enter(const bp_instance *instance, bp_err *err)
{
    aclError code = instance->driver->acl.aclrtSetCurrentContext(instance->context);

    if (code == ACL_SUCCESS)
        return BP_OK;
    return bp_cann_fail(instance->driver, err, code, "aclrtSetCurrentContext");
}

aclrtStream bp_cann_kernel_stream(void *stream)
{
    return stream ? ((struct stream *)stream)->kernels : NULL;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* There is one device and one memory space. */
static bp_rc dev_alloc(bp_instance *instance, uint32_t dev, uint32_t space, size_t n, size_t align,
                       void **base, bp_err *err)
{
    bp_rc rc;

    if (dev != 0 || space != SPACE || n == 0)
        return bp_fail(err, BP_E_INVALID, "cann: there is no space %u of device %u", space, dev);
    rc = bp_cann_enter(instance, err);
    return rc < 0 ? rc : bp_cann_arena_alloc(&instance->arena, n, align, base, err);
}

static void dev_free(bp_instance *instance, uint32_t dev, uint32_t space, void *base)
{
    (void)dev;
    (void)space;
    if (base)
        bp_cann_arena_free(&instance->arena, base);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* Where a tensor begins, in whatever space. */
static void *address_of(const bp_tensor *tensor)
{
    return (char *)tensor->base + tensor->offset;
}

bp_rc bp_cann_upload(const bp_instance *instance, void *to, const void *from, size_t bytes,
                     bp_err *err)
{
    const struct bp_cann_driver *driver = instance->driver;
    aclError code = driver->acl.aclrtMemcpy(to, bytes, from, bytes, ACL_MEMCPY_HOST_TO_DEVICE);

    if (code == ACL_SUCCESS)
        return BP_OK;
    return bp_cann_fail(driver, err, code, "a copy of %zu bytes to the device", bytes);
}

/* Lets stream `second` wait for what is in `first` now. */
static aclError wait_for(const struct bp_cann_driver *driver, aclrtStream first, aclrtStream second,
                         aclrtEvent event)
{
    aclError code = driver->acl.aclrtRecordEvent(event, first);

    return code ? code : driver->acl.aclrtStreamWaitEvent(second, event);
}

/* With streams for copies: kernels, then the copy, then kernels again. */
static aclError copy_in_stream(const struct bp_cann_driver *driver, const struct stream *stream,
                               const bp_copy *row, aclrtMemcpyKind kind)
{
    aclrtStream own = kind == ACL_MEMCPY_HOST_TO_DEVICE ? stream->to_device : stream->to_host;
    size_t n = row->dst->bytes;
    aclError code = 0;

    if (own)
        code = wait_for(driver, stream->kernels, own, stream->kernels_done);
    if (!code)
        code = driver->acl.aclrtMemcpyAsync(address_of(row->dst), n, address_of(row->src), n, kind,
                                            own ? own : stream->kernels);
    if (!code && own)
        code = wait_for(driver, own, stream->kernels, stream->copy_done);
    return code;
}

/* One side is the device's, the other the host's; within a device the host has no copies. */
static bp_rc copy_one(const bp_instance *instance, const bp_copy *row, void *stream, bp_err *err)
{
    const struct bp_cann_driver *driver = instance->driver;
    bool is_to_device = row->dst->space == SPACE;
    aclrtMemcpyKind kind = is_to_device ? ACL_MEMCPY_HOST_TO_DEVICE : ACL_MEMCPY_DEVICE_TO_HOST;
    size_t n = row->dst->bytes;
    aclError code;

    if ((row->src->space == SPACE) == is_to_device || row->src->bytes < n)
        return bp_fail(err, BP_E_INVALID, "cann: a copy of %zu bytes from space %u to space %u", n,
                       row->src->space, row->dst->space);
    if (n == 0)
        return BP_OK;
    if (stream)
        code = copy_in_stream(driver, stream, row, kind);
    else
        code = driver->acl.aclrtMemcpy(address_of(row->dst), n, address_of(row->src), n, kind);
    if (code == ACL_SUCCESS)
        return BP_OK;
    return bp_cann_fail(driver, err, code, "a copy of %zu bytes %s the device", n,
                        is_to_device ? "to" : "from");
}

/* Rows in order; what was queued before a failure stays so. */
static bp_rc dev_copy(bp_instance *instance, const bp_copy *rows, uint32_t n, void *stream,
                      bp_err *err)
{
    bp_rc rc = bp_cann_enter(instance, err);

    for (uint32_t i = 0; i < n && rc >= 0; i++)
        rc = copy_one(instance, &rows[i], stream, err);
    return rc;
}

/* ---- streams --------------------------------------------------------------------------------- */

/*
 * All work that the host needs is done before: something is queued only when a run has failed or
 * passed its deadline, and then a device that hangs must not hold the caller. Handles of ACL that
 * are NULL were not made.
 */
static void end_stream(const bp_instance *instance, struct stream *stream)
{
    const struct bp_cann_driver *driver = instance->driver;
    aclrtStream streams[] = {stream->to_device, stream->kernels, stream->to_host};

    for (int i = 0; i < 3 && driver->abort_stream; i++) {
        if (streams[i])
            driver->abort_stream(streams[i]); /* all of them first, as they wait for each other */
    }
    for (int i = 0; i < 3; i++) {
        if (streams[i])
            driver->end_stream(streams[i]);
    }
    if (stream->kernels_done)
        driver->acl.aclrtDestroyEvent(stream->kernels_done);
    if (stream->copy_done)
        driver->acl.aclrtDestroyEvent(stream->copy_done);
    bp_cann_free(instance, stream, 1, sizeof *stream);
}

/* Makes ACL's streams and events; after a failure end_stream() destroys those that there are. */
static aclError begin_stream(const bp_instance *instance, struct stream *stream)
{
    const struct bp_cann_driver *driver = instance->driver;
    aclError code = driver->acl.aclrtCreateStream(&stream->kernels);

    if (code || !instance->copies_apart)
        return code;
    code = driver->acl.aclrtCreateStream(&stream->to_device);
    if (!code)
        code = driver->acl.aclrtCreateStream(&stream->to_host);
    if (!code)
        code = driver->acl.aclrtCreateEvent(&stream->kernels_done);
    if (!code)
        code = driver->acl.aclrtCreateEvent(&stream->copy_done);
    return code;
}

static bp_rc stream_create(bp_instance *instance, uint32_t dev, uint32_t flags, void **out,
                           bp_err *err)
{
    bp_rc rc = bp_cann_enter(instance, err);
    struct stream *stream;
    aclError code;

    if (rc < 0)
        return rc;
    if (dev != 0 || flags & BP_CRITICAL)
        return bp_fail(err, BP_E_INVALID, "cann: device %u, flags 0x%x of a stream", dev, flags);
    stream = bp_cann_calloc(instance, 1, sizeof *stream);
    if (!stream)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for a stream");
    code = begin_stream(instance, stream);
    if (code != ACL_SUCCESS) {
        rc = bp_cann_fail(instance->driver, err, code, "creating a stream");
        end_stream(instance, stream);
        return rc;
    }
    *out = stream;
    return BP_OK;
}

static void stream_destroy(bp_instance *instance, void *stream)
{
    if (stream && bp_cann_enter(instance, NULL) >= 0)
        end_stream(instance, stream);
}

/* ---- events ---------------------------------------------------------------------------------- */

static bp_rc event_create(bp_instance *instance, uint32_t dev, uint32_t flags, void **out,
                          bp_err *err)
{
    bp_rc rc = bp_cann_enter(instance, err);
    struct event *event;
    aclError code;

    if (rc < 0)
        return rc;
    if (dev != 0)
        return bp_fail(err, BP_E_INVALID, "cann: device %u of an event", dev);
    if (flags & BP_EVENT_MANUAL)
        return bp_fail(err, BP_E_UNSUPPORTED, "cann: events fire by their stream only");
    event = bp_cann_calloc(instance, 1, sizeof *event);
    if (!event)
        return bp_fail(err, BP_E_NOMEM, "cann: no memory for an event");
    code = instance->driver->acl.aclrtCreateEvent(&event->event);
    if (code != ACL_SUCCESS) {
        bp_cann_free(instance, event, 1, sizeof *event);
        return bp_cann_fail(instance->driver, err, code, "creating an event");
    }
    *out = event;
    return BP_OK;
}

static void event_destroy(bp_instance *instance, void *handle)
{
    struct event *event = handle;

    if (!event || bp_cann_enter(instance, NULL) < 0)
        return;
    instance->driver->acl.aclrtDestroyEvent(event->event);
    bp_cann_free(instance, event, 1, sizeof *event);
}

/* After kernels: copies are waited for by kernels already. */
static bp_rc event_record(bp_instance *instance, void *stream, void *handle, bp_err *err)
{
    struct event *event = handle;
    bp_rc rc = bp_cann_enter(instance, err);
    aclError code;

    if (rc < 0)
        return rc;
    event->stream = stream;
    code = instance->driver->acl.aclrtRecordEvent(event->event, bp_cann_kernel_stream(stream));
    if (code == ACL_SUCCESS)
        return BP_OK;
    return bp_cann_fail(instance->driver, err, code, "recording an event");
}

/* Copies queued later wait for kernels, so they wait for the event too. */
static bp_rc stream_wait(bp_instance *instance, void *stream, void *handle, bp_err *err)
{
    const struct event *event = handle;
    bp_rc rc = bp_cann_enter(instance, err);
    aclError code;

    if (rc < 0)
        return rc;
    code = instance->driver->acl.aclrtStreamWaitEvent(bp_cann_kernel_stream(stream), event->event);
    if (code == ACL_SUCCESS)
        return BP_OK;
    return bp_cann_fail(instance->driver, err, code, "aclrtStreamWaitEvent");
}

/* Nanoseconds of the monotonic clock. */
static int64_t now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/*
 * Milliseconds until the deadline, rounded up, so that it has passed when waiting ends; -1 is for
 * ever.
 */
static int32_t remaining_ms(int64_t deadline)
{
    int64_t ms;

    if (deadline < 0)
        return -1;
    ms = (deadline - now_ns() + 999999) / 1000000;
    return ms < 0 ? 0 : ms > INT32_MAX ? INT32_MAX : (int32_t)ms;
}

/*
 * ACL tells what failed when a stream is synchronised, not when an event is. A stream that more was
 * queued into since says only that it is not done: then it is waited for, as the application must not read what a
 * failed task was to write.
 */
static aclError ask_stream(const struct bp_cann_driver *driver, aclrtStream stream,
                           int64_t deadline)
{
    aclError code;

    if (!stream)
        return 0;
    code = driver->acl.aclrtSynchronizeStreamWithTimeout(stream, 0);
    if (code == ACL_ERROR_RT_STREAM_SYNC_TIMEOUT)
        code = driver->acl.aclrtSynchronizeStreamWithTimeout(stream, remaining_ms(deadline));
    return code;
}

/* Below 0 waits for ever. A stream of copies may have failed on its own. */
static bp_rc event_wait(bp_instance *instance, void *handle, int64_t timeout_ns, bp_err *err)
{
    const struct event *event = handle;
    const struct bp_cann_driver *driver = instance->driver;
    int64_t deadline = timeout_ns < 0                          ? -1
                       : timeout_ns > INT64_MAX / 2 - now_ns() ? INT64_MAX / 2
                                                               : now_ns() + timeout_ns;
    bp_rc rc = bp_cann_enter(instance, err);
    aclError code;

    if (rc < 0)
        return rc;
    if (!event->stream)
        return BP_OK; /* never recorded */
    code = driver->acl.aclrtSynchronizeEventWithTimeout(event->event, remaining_ms(deadline));
    if (!code)
        code = ask_stream(driver, event->stream->kernels, deadline);
    if (!code)
        code = ask_stream(driver, event->stream->to_device, deadline);
    if (!code)
        code = ask_stream(driver, event->stream->to_host, deadline);
    if (code == ACL_SUCCESS)
        return BP_OK;
    return bp_cann_fail(driver, err, code, "waiting for the device");
}

const bp_device_ops bp_cann_device_ops = {
    .struct_size = sizeof(bp_device_ops),
    .alloc = dev_alloc,
    .free = dev_free,
    .copy = dev_copy,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .stream_wait = stream_wait,
    .event_wait = event_wait,
};
