/* SPDX-License-Identifier: MIT */
/*
 * device.c - see device.h. Memory spaces: 1, buffers of OpenCL. A stream is a queue that works in
 * order; an event is a marker in one.
 */

#define _GNU_SOURCE /* nanosleep */

#include "run/device.h"

#include "base/memory.h"
#include "run/events.h"

#include <time.h>

enum { ALIGN = 64 };

/* ---- memory ---------------------------------------------------------------------------------- */

/* Kernels take any multiple of an element's size, so that every alignment is fine. */
static bp_rc alloc_memory(bp_instance *instance, uint32_t dev, uint32_t space, size_t n,
                          size_t align, void **base, bp_err *err)
{
    cl_mem memory;
    bp_rc rc = bp_opencl_memory_alloc(instance, n, &memory, err);

    (void)dev;
    (void)space;
    (void)align;
    if (rc >= 0)
        *base = memory;
    return rc;
}

static void free_memory(bp_instance *instance, uint32_t dev, uint32_t space, void *base)
{
    (void)dev;
    (void)space;
    bp_opencl_memory_free(instance, base);
}

/* ---- copies ---------------------------------------------------------------------------------- */

/* *call: what was called. */
static cl_int copy_row(const bp_instance *instance, cl_command_queue queue, const bp_copy *row,
                       const char **call)
{
    const bp_tensor *dst = row->dst, *src = row->src;
    size_t n = dst->bytes;

    if (n == 0)
        return CL_SUCCESS;
    *call = dst->space == BP_SPACE_HOST   ? "clEnqueueReadBuffer"
            : src->space == BP_SPACE_HOST ? "clEnqueueWriteBuffer"
                                          : "clEnqueueCopyBuffer";
    if (dst->space == BP_SPACE_HOST)
        return instance->cl->clEnqueueReadBuffer(queue, src->base, CL_FALSE, (size_t)src->offset, n,
                                                 bp_tensor_data(dst), 0, NULL, NULL);
    if (src->space == BP_SPACE_HOST)
        return instance->cl->clEnqueueWriteBuffer(queue, dst->base, CL_FALSE, (size_t)dst->offset,
                                                  n, bp_tensor_data(src), 0, NULL, NULL);
    return instance->cl->clEnqueueCopyBuffer(queue, src->base, dst->base, (size_t)src->offset,
                                             (size_t)dst->offset, n, 0, NULL, NULL);
}

/* Without a stream they are done when it returns, after a failure too. */
static bp_rc copy(bp_instance *instance, const bp_copy *rows, uint32_t n, void *stream, bp_err *err)
{
    cl_command_queue queue = bp_opencl_queue_of(instance, stream);
    const char *call = NULL;
    cl_int code = CL_SUCCESS, last;

    for (uint32_t i = 0; i < n && code == CL_SUCCESS; i++)
        code = copy_row(instance, queue, &rows[i], &call);
    last = stream ? instance->cl->clFlush(queue) : instance->cl->clFinish(queue);
    if (code == CL_SUCCESS) {
        code = last;
        call = stream ? "clFlush" : "clFinish";
    }
    return code == CL_SUCCESS ? BP_OK : bp_opencl_fail(err, code, "%s of a copy", call);
}

/* ---- streams --------------------------------------------------------------------------------- */

cl_command_queue bp_opencl_queue_of(const bp_instance *instance, void *stream)
{
    return stream ? (cl_command_queue)stream : instance->queue;
}

static bp_rc stream_create(bp_instance *instance, uint32_t dev, uint32_t flags, void **out,
                           bp_err *err)
{
    cl_int code = CL_SUCCESS;
    cl_command_queue queue = instance->cl->clCreateCommandQueue(
        instance->context, instance->device->id, instance->profiles ? CL_QUEUE_PROFILING_ENABLE : 0,
        &code);

    (void)dev;
    (void)flags;
    if (code != CL_SUCCESS)
        return bp_opencl_fail(err, code, "clCreateCommandQueue");
    *out = queue;
    return BP_OK;
}

/* OpenCL cannot end work, so that it is waited for. */
static void stream_destroy(bp_instance *instance, void *stream)
{
    if (!stream)
        return;
    instance->cl->clFinish(stream);
    bp_opencl_notify_settle(instance, stream);
    instance->cl->clReleaseCommandQueue(stream);
}

/* ---- events ---------------------------------------------------------------------------------- */

/* The marker of the last record; NULL: not recorded yet. */
struct event {
    pthread_mutex_t lock;
    cl_command_queue queue; /* that it was recorded in */
    cl_event marker;
};

static bp_rc event_create(bp_instance *instance, uint32_t dev, uint32_t flags, void **out,
                          bp_err *err)
{
    struct event *event = instance->host.alloc(instance->host.h, sizeof *event, ALIGN);

    (void)dev;
    (void)flags; /* a host asks for BP_EVENT_MANUAL only where there is event_signal */
    if (!event)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for an event");
    pthread_mutex_init(&event->lock, NULL);
    event->marker = NULL;
    event->queue = NULL;
    *out = event;
    return BP_OK;
}

static void event_destroy(bp_instance *instance, void *handle)
{
    struct event *event = handle;

    if (!event)
        return;
    if (event->marker)
        instance->cl->clReleaseEvent(event->marker);
    pthread_mutex_destroy(&event->lock);
    instance->host.free(instance->host.h, event, sizeof *event, ALIGN);
}

static bp_rc event_record(bp_instance *instance, void *stream, void *handle, bp_err *err)
{
    struct event *event = handle;
    cl_event marker = NULL, old;
    cl_int code = instance->cl->clEnqueueMarkerWithWaitList(stream, 0, NULL, &marker);

    if (code != CL_SUCCESS)
        return bp_opencl_fail(err, code, "clEnqueueMarkerWithWaitList");
    code = instance->cl->clFlush(stream);
    if (code != CL_SUCCESS) {
        instance->cl->clReleaseEvent(marker);
        return bp_opencl_fail(err, code, "clFlush");
    }
    pthread_mutex_lock(&event->lock);
    old = event->marker;
    event->marker = marker;
    event->queue = stream;
    pthread_mutex_unlock(&event->lock);
    if (old)
        instance->cl->clReleaseEvent(old);
    return BP_OK;
}

static cl_event marker_of(struct event *event)
{
    cl_event marker;

    pthread_mutex_lock(&event->lock);
    marker = event->marker;
    pthread_mutex_unlock(&event->lock);
    return marker;
}

static bp_rc stream_wait(bp_instance *instance, void *stream, void *handle, bp_err *err)
{
    cl_event marker = marker_of(handle);
    cl_int code;

    if (!marker)
        return BP_OK;
    code = instance->cl->clEnqueueBarrierWithWaitList(stream, 1, &marker, NULL);
    return code == CL_SUCCESS ? BP_OK : bp_opencl_fail(err, code, "clEnqueueBarrierWithWaitList");
}

static int64_t now_ns(const bp_instance *instance)
{
    return instance->host.now_ns(instance->host.h);
}

/* A time limit may be as long as there are numbers for it. */
static int64_t end_of(int64_t now, int64_t timeout_ns)
{
    return timeout_ns > INT64_MAX - now ? INT64_MAX : now + timeout_ns;
}

/* OpenCL has no wait with an end, so that the event is looked at, less often the longer it takes. */
static cl_int wait_until(const bp_instance *instance, cl_event marker, int64_t deadline,
                         bool *is_late)
{
    int64_t pause = 5000;

    for (;;) {
        struct timespec time = {0};
        cl_int status = CL_QUEUED;
        cl_int code = instance->cl->clGetEventInfo(marker, CL_EVENT_COMMAND_EXECUTION_STATUS,
                                                   sizeof status, &status, NULL);

        if (code != CL_SUCCESS || status <= CL_COMPLETE)
            return code != CL_SUCCESS ? code : status;
        *is_late = now_ns(instance) >= deadline;
        if (*is_late)
            return CL_SUCCESS;
        time.tv_nsec = pause;
        nanosleep(&time, NULL);
        pause = pause < 500000 ? pause * 2 : pause;
    }
}

static bp_rc event_wait(bp_instance *instance, void *handle, int64_t timeout_ns, bp_err *err)
{
    cl_event marker = marker_of(handle);
    bool is_late = false;
    cl_int code;

    if (!marker)
        return BP_OK;
    if (timeout_ns < 0)
        code = instance->cl->clWaitForEvents(1, &marker);
    else
        code = wait_until(instance, marker, end_of(now_ns(instance), timeout_ns), &is_late);
    if (is_late)
        return bp_fail(err, BP_E_TIMEOUT, "opencl: the stream has not come so far");
    return code == CL_SUCCESS
               ? BP_OK
               : bp_opencl_fail(err, code, "%s for work in a stream",
                                timeout_ns < 0 ? "clWaitForEvents" : "clGetEventInfo");
}

static bp_rc event_notify(bp_instance *instance, void *handle, void (*fn)(void *u, bp_rc rc),
                          void *u, bp_err *err)
{
    struct event *event = handle;
    cl_event marker = marker_of(event);

    if (!marker)
        return bp_fail(err, BP_E_INVALID, "opencl: the event is not recorded");
    return bp_opencl_notify(instance, event->queue, marker, fn, u, err);
}

const bp_device_ops bp_opencl_device_ops = {
    .struct_size = sizeof(bp_device_ops),
    .flags = BP_DEV_COPY_DIRECT,
    .alloc = alloc_memory,
    .free = free_memory,
    .copy = copy,
    .stream_create = stream_create,
    .stream_destroy = stream_destroy,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .stream_wait = stream_wait,
    .event_wait = event_wait,
    .event_notify = event_notify,
};
