/* SPDX-License-Identifier: MIT */
/*
 * event.c - events: marks in a stream that streams and the host wait for, with the time of passing.
 *
 * An event can be recorded again and again. Records are numbered, and an event is complete when the
 * last one that was asked for has been passed: whoever waits, waits for the number of the last
 * record at that time.
 */
#include <stdlib.h>

#include "core/clock.h"
#include "core/context.h"
#include "core/error.h"
#include "core/fault.h"
#include "core/handle.h"
#include "core/state.h"
#include "stream/stream.h"
#include "stream/task_pool.h"

/* What aclrtEvent stands for. All of it is [locked]. */
struct sim_event {
    void *handle;
    struct sim_context *context;
    struct sim_device *device;
    unsigned refs; /* its handle, tasks that name it, and those who wait for it */
    bool timed;
    uint64_t recorded, completed, cleared;
    uint64_t simulated_ns, real_ns; /* of the last completed one */
};

/*
 * What a task does with the event: record it, undo its completion, or hold the stream until it is
 * complete.
 */
enum event_work { RECORD, RESET, WAIT };

/* A task of one of the three kinds. `number` is the record that it makes or waits for. */
struct event_task {
    struct sim_task task;
    struct sim_event *event;
    enum event_work work;
    uint64_t number;
    bool passed;
};

static struct sim_task_pool event_tasks = {.size = sizeof(struct event_task)};

/* Tasks that name the event, and threads that wait for it, outlive aclrtDestroyEvent(). */
static void unref(struct sim_event *event)
{
    if (--event->refs == 0)
        free(event);
}

/* aclrtResetEvent() makes a completed event incomplete until it is recorded again. */
static bool is_complete(const struct sim_event *event)
{
    return event->completed >= event->recorded && event->completed > event->cleared;
}

/* ---- on the stream's thread ----------------------------------------------------------------- */

/* The stream has come to the record. Streams and the host may wait for it. */
static void complete(struct event_task *mark)
{
    mark->passed = true;
    if (mark->event->completed < mark->number)
        mark->event->completed = mark->number;
    pthread_cond_broadcast(&sim_state.changed);
}

/*
 * A wait holds the whole stream, and ends early when the stream is aborted. In simulated time it
 * goes on at the time of the event, if that is later than its own.
 */
static aclError run_event(struct sim_task *task, struct sim_stream *stream)
{
    struct event_task *mark = (struct event_task *)task;
    struct sim_event *event = mark->event;

    switch (mark->work) {
    case RECORD:
        event->simulated_ns = stream->clock_ns;
        event->real_ns = sim_now();
        complete(mark);
        break;
    case RESET:
        event->cleared = event->completed;
        break;
    case WAIT: {
        uint64_t aborts = stream->aborts;

        while (event->completed < mark->number && stream->aborts == aborts)
            sim_wait(&sim_state.changed, UINT64_MAX);
        if (event->simulated_ns > stream->clock_ns)
            stream->clock_ns = event->simulated_ns;
        break;
    }
    }
    return 0;
}

/* A record that never ran is passed all the same, so that no wait lasts for ever. */
static void drop_event(struct sim_task *task)
{
    struct event_task *mark = (struct event_task *)task;

    if (mark->work == RECORD && !mark->passed)
        complete(mark);
    unref(mark->event);
    sim_task_pool_put(&event_tasks, task);
}

/* ---- their life ----------------------------------------------------------------------------- */

/*
 * An event can be used in every context of its device. ACL_ERROR_INVALID_PARAM,
 * ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT. [locked]
 */
static aclError event_get(const void *handle, struct sim_event **out)
{
    struct sim_context *context;
    aclError rc = sim_current(&context);

    *out = NULL;
    if (rc)
        return rc;
    if (!handle)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "no event");
    *out = sim_handle_get(SIM_EVENT, handle);
    if (!*out)
        return sim_violate(BP_ASCEND_BAD_HANDLE, ACL_ERROR_RT_INVALID_HANDLE,
                           "%p is not an event, or was destroyed", handle);
    if ((*out)->device != context->device)
        return sim_violate(BP_ASCEND_WRONG_CONTEXT, ACL_ERROR_RT_STREAM_CONTEXT,
                           "event %p is of device %d, the current one is %d", handle,
                           (*out)->device->id, context->device->id);
    return 0;
}

/* With ACL_EVENT_TIME_LINE it can be asked for times. [locked] */
static aclError create(struct sim_context *context, uint32_t flags, aclrtEvent *out)
{
    struct sim_device *device = context->device;
    struct sim_event *event;

    if (device->events >= device->config->events)
        return sim_fail(ACL_ERROR_RT_NO_EVENT_RESOURCE, "device %d has no more than %llu events",
                        device->id, (unsigned long long)device->config->events);
    event = calloc(1, sizeof *event);
    if (event)
        event->handle = sim_handle_create(SIM_EVENT, event);
    if (!event || !event->handle) {
        free(event);
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for an event");
    }
    event->context = context;
    event->device = device;
    event->refs = 1;
    event->timed = (flags & ACL_EVENT_TIME_LINE) != 0;
    device->events++;
    sim_state.counters.events_created++;
    *out = event->handle;
    return 0;
}

aclError aclrtCreateEventWithFlag(aclrtEvent *event, uint32_t flag)
{
    struct sim_context *context;
    aclError rc;

    if (!event)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtCreateEvent: NULL");
    sim_lock();
    rc = sim_current(&context);
    if (!rc)
        rc = sim_fault(BP_ASCEND_AT_CREATE_EVENT);
    if (!rc)
        rc = create(context, flag, event);
    sim_unlock();
    return rc;
}

aclError aclrtCreateEvent(aclrtEvent *event)
{
    return aclrtCreateEventWithFlag(event, ACL_EVENT_SYNC | ACL_EVENT_TIME_LINE);
}

/* The handle's reference goes; tasks that are queued keep theirs. [locked] */
static void destroy(struct sim_event *event)
{
    sim_handle_drop(event->handle);
    event->device->events--;
    sim_state.counters.events_destroyed++;
    unref(event);
}

aclError aclrtDestroyEvent(aclrtEvent handle)
{
    struct sim_event *event;
    aclError rc;

    sim_lock();
    rc = event_get(handle, &event);
    if (!rc)
        destroy(event);
    sim_unlock();
    return rc;
}

size_t sim_events_free(const struct sim_device *device)
{
    struct sim_event *event;
    size_t freed = 0;

    for (size_t at = 0; (event = sim_handle_next(SIM_EVENT, &at)) != NULL;)
        if (event->device == device) {
            destroy(event);
            freed++;
        }
    return freed;
}

/* ---- in streams ----------------------------------------------------------------------------- */

/*
 * The number of a record is taken when it is queued, so that a wait that is queued later waits for
 * it, whichever of the streams runs first. [locked, may wait]
 */
static aclError submit(struct sim_event *event, enum event_work work, struct sim_stream *stream)
{
    struct event_task *mark = sim_task_pool_get(&event_tasks);

    if (!mark)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for an event's task");
    if (work == RECORD)
        event->recorded++;
    mark->task.run = run_event;
    mark->task.drop = drop_event;
    mark->event = event;
    mark->work = work;
    mark->number = event->recorded;
    event->refs++;
    return sim_submit(stream, &mark->task);
}

/*
 * Waiting for an event that was never recorded would never end: it is counted as a violation, and
 * is over at once.
 */
static aclError queue(aclrtEvent handle, enum event_work work, aclrtStream stream_handle)
{
    struct sim_stream *stream;
    struct sim_event *event;
    aclError rc;

    sim_lock();
    rc = event_get(handle, &event);
    if (!rc)
        rc = sim_stream_get(stream_handle, &stream);
    if (!rc && work == WAIT && event->recorded == 0)
        sim_note_violation(BP_ASCEND_NEVER_RECORDED, "a stream is to wait for event %p", handle);
    else if (!rc)
        rc = submit(event, work, stream);
    sim_unlock();
    return rc;
}

aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream)
{
    return queue(event, RECORD, stream);
}

aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream)
{
    return queue(event, RESET, stream);
}

aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event)
{
    return queue(event, WAIT, stream);
}

/* ---- on the host ---------------------------------------------------------------------------- */

/*
 * The host waits for the last record asked for. Unlike the synchronisation of a stream it says
 * nothing of failed tasks, but a lost device is noticed. [locked, waits]
 */
static aclError wait_for(struct sim_event *event, uint64_t deadline)
{
    uint64_t number = event->recorded;
    aclError rc = 0;
    bool in_time = true;

    if (number == 0)
        sim_note_violation(BP_ASCEND_NEVER_RECORDED, "the host is to wait for event %p",
                           event->handle);
    event->refs++;
    while (event->completed < number && in_time)
        in_time = sim_wait(&sim_state.changed, deadline);
    if (event->completed < number)
        rc = sim_fail(ACL_ERROR_RT_EVENT_SYNC_TIMEOUT, "the event is not complete");
    else if (event->device->state == BP_ASCEND_LOST)
        rc = sim_fail(ACL_ERROR_RT_LOST_HEARTBEAT, "device %d is lost", event->device->id);
    else if (event->simulated_ns > event->device->host_ns)
        event->device->host_ns = event->simulated_ns;
    unref(event);
    return rc;
}

aclError aclrtSynchronizeEventWithTimeout(aclrtEvent handle, int32_t timeout)
{
    struct sim_event *event;
    aclError rc;

    if (timeout < -1)
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "a timeout of %d ms", timeout);
    sim_lock();
    rc = event_get(handle, &event);
    if (!rc)
        rc = sim_fault(BP_ASCEND_AT_SYNC);
    if (!rc) {
        sim_state.counters.syncs_event++;
        rc = wait_for(event, sim_deadline(timeout));
    }
    sim_unlock();
    return rc;
}

aclError aclrtSynchronizeEvent(aclrtEvent event)
{
    return aclrtSynchronizeEventWithTimeout(event, -1);
}

/* Does not wait; faults and lost devices are not seen. */
aclError aclrtQueryEventStatus(aclrtEvent handle, aclrtEventRecordedStatus *status)
{
    struct sim_event *event;
    aclError rc;

    if (!status)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtQueryEventStatus: NULL");
    sim_lock();
    rc = event_get(handle, &event);
    if (!rc)
        *status = is_complete(event) ? ACL_EVENT_RECORDED_STATUS_COMPLETE
                                     : ACL_EVENT_RECORDED_STATUS_NOT_READY;
    sim_unlock();
    return rc;
}

/* Simulated time, or real time where the configuration says event_time = real. [locked] */
static aclError elapsed(const struct sim_event *start, const struct sim_event *end, float *ms)
{
    bool real = sim_state.config.real_event_time;
    uint64_t from = real ? start->real_ns : start->simulated_ns;
    uint64_t to = real ? end->real_ns : end->simulated_ns;

    if (!start->timed || !end->timed)
        return sim_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID,
                        "an event without ACL_EVENT_TIME_LINE has no time");
    if (!is_complete(start) || !is_complete(end))
        return sim_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID, "an event is not complete");
    if (to < from)
        return sim_fail(ACL_ERROR_RT_EVENT_TIMESTAMP_REVERSAL, "the end is before the start");
    *ms = (float)((double)(to - from) * 1e-6);
    return 0;
}

aclError aclrtEventElapsedTime(float *ms, aclrtEvent startEvent, aclrtEvent endEvent)
{
    struct sim_event *start, *end;
    aclError rc;

    if (!ms)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtEventElapsedTime: NULL");
    sim_lock();
    rc = event_get(startEvent, &start);
    if (!rc)
        rc = event_get(endEvent, &end);
    if (!rc)
        rc = elapsed(start, end, ms);
    sim_unlock();
    return rc;
}
