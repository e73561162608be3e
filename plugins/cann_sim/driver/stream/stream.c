/* SPDX-License-Identifier: MIT */
/*
 * stream.c - a stream's thread and queue, and waiting for it.
 *
 * The thread takes one task after the other and runs it with the lock held; tasks that work for
 * long release it meanwhile. Simulated time: a task starts when the stream's last one has ended and
 * the host has queued it, whichever is later, and takes its cost.
 */
#include "stream/stream.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/clock.h"
#include "core/context.h"
#include "core/cost.h"
#include "core/error.h"
#include "core/fault.h"
#include "core/handle.h"
#include "core/interrupt.h"
#include "core/state.h"

/* ---- its thread ----------------------------------------------------------------------------- */

/*
 * What ends a task before it starts: a lost device, the limit of aclrtSetOpExecuteTimeOut(), an
 * injected fault. Events and callbacks have no faults, so that waiting for them stays possible.
 */
static aclError check_task(struct sim_stream *stream, const struct sim_task *task)
{
    uint64_t limit = sim_state.op_timeout * UINT64_C(1000000000);

    if (stream->device->state == BP_ASCEND_LOST)
        return sim_fail(ACL_ERROR_RT_LOST_HEARTBEAT, "device %d is lost", stream->device->id);
    if (limit && task->busy == SIM_BUSY_OPERATOR && task->cost_ns > limit)
        return sim_fail(ACL_ERROR_RT_AICORE_TIMEOUT,
                        "an operator of %llu simulated ns has only %u s",
                        (unsigned long long)task->cost_ns, sim_state.op_timeout);
    return task->busy == SIM_BUSY_NOT ? 0 : sim_fault(BP_ASCEND_AT_TASK);
}

/*
 * ACL reports a failed task at the next synchronisation, with the first failure. The sentence was
 * made on this thread, so it is taken from here and kept with the stream.
 */
static void record_error(struct sim_stream *stream, aclError rc)
{
    const char *text = aclGetRecentErrMsg();

    if (stream->error)
        return;
    stream->error = rc;
    snprintf(stream->error_text, sizeof stream->error_text, "%s", text ? text : "a task failed");
}

/* The stream's clock goes on by the task, and the device's end of work with it. */
static void advance_clock(struct sim_stream *stream, const struct sim_task *task)
{
    struct sim_device *device = stream->device;
    uint64_t start = stream->clock_ns > task->ready_ns ? stream->clock_ns : task->ready_ns;

    stream->clock_ns = start + task->cost_ns;
    if (stream->clock_ns > device->done_ns)
        device->done_ns = stream->clock_ns;
    if (task->busy == SIM_BUSY_OPERATOR)
        device->busy_operators += task->cost_ns;
    else if (task->busy == SIM_BUSY_COPY)
        device->busy_copies += task->cost_ns;
}

static bool is_interrupted(const struct sim_stream *stream)
{
    return __atomic_load_n(&stream->is_interrupted, __ATOMIC_RELAXED) != 0;
}

/*
 * After a failure a stream of ACL_STOP_ON_FAILURE frees its tasks without running them; others go
 * on. A task has finished when it is freed: those who wait may then free what it used.
 */
static void run_task(struct sim_stream *stream, struct sim_task *task)
{
    bool skipped = stream->error && stream->failure_mode == ACL_STOP_ON_FAILURE;
    aclError rc = 0;

    __atomic_store_n(&stream->is_interrupted, 0, __ATOMIC_RELAXED);
    if (sim_state.config.late_us) {
        sim_unlock();
        sim_sleep_us(sim_state.config.late_us);
        sim_lock();
    }
    skipped = skipped || is_interrupted(stream);
    if (!skipped)
        rc = check_task(stream, task);
    if (!skipped && !rc) {
        advance_clock(stream, task);
        rc = task->run(task, stream);
        sim_state.counters.tasks_run++;
    }
    if (is_interrupted(stream)) {
        aclGetRecentErrMsg(); /* it was asked for: no failure of the stream */
    } else if (rc) {
        sim_state.counters.tasks_failed++;
        record_error(stream, rc);
    }
    task->drop(task);
    stream->finished++;
    pthread_cond_broadcast(&sim_state.changed);
}

/*
 * The thread of a stream: until `stopping` is set and its queue is empty. While the device is
 * paused nothing starts.
 */
static void *run_stream(void *argument)
{
    struct sim_stream *stream = argument;

    sim_lock();
    sim_interrupt_watch(&stream->is_interrupted);
    for (;;) {
        struct sim_task *task = stream->head;

        if (!task && stream->stopping)
            break;
        if (!task || stream->device->paused) {
            sim_wait(&stream->work, UINT64_MAX);
            continue;
        }
        stream->head = task->next;
        run_task(stream, task);
    }
    sim_unlock();
    return NULL;
}

/* ---- its life ------------------------------------------------------------------------------- */

/* The thread comes with the first task, as most default streams never get one. */
aclError sim_stream_create(struct sim_context *context, bool is_default, uint32_t flags,
                           struct sim_stream **out)
{
    struct sim_device *device = context->device;
    struct sim_stream *stream;

    *out = NULL;
    if (device->streams >= device->config->streams)
        return sim_fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "device %d has no more than %llu streams",
                        device->id, (unsigned long long)device->config->streams);
    stream = calloc(1, sizeof *stream);
    if (!stream)
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a stream");
    if (sim_condition_init(&stream->work) != 0) {
        free(stream);
        return sim_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "no condition for a stream");
    }
    stream->handle = sim_handle_create(SIM_STREAM, stream);
    if (!stream->handle) {
        pthread_cond_destroy(&stream->work);
        free(stream);
        return sim_fail(ACL_ERROR_RT_NO_STREAM_RESOURCE, "no handle for a stream");
    }
    stream->context = context;
    stream->device = device;
    stream->is_default = is_default;
    stream->persistent = (flags & ACL_STREAM_PERSISTENT) != 0;
    stream->refs = 1;
    device->streams++;
    sim_state.counters.streams_created++;
    *out = stream;
    return 0;
}

/*
 * The handle is one reference, each one who waits in a synchronisation or for a queue slot another.
 */
static void unref(struct sim_stream *stream)
{
    if (--stream->refs > 0)
        return;
    pthread_cond_destroy(&stream->work);
    free(stream);
}

/*
 * Frees tasks without running them. They count as finished, so that whoever waits for them goes on.
 */
static void discard_tasks(struct sim_stream *stream, struct sim_task *task)
{
    while (task) {
        struct sim_task *next = task->next;

        task->drop(task);
        stream->finished++;
        task = next;
    }
    pthread_cond_broadcast(&sim_state.changed);
}

/* Read by the kernel that runs, without the lock. */
static void interrupt(struct sim_stream *stream)
{
    __atomic_store_n(&stream->is_interrupted, 1, __ATOMIC_RELAXED);
}

void sim_stream_discard(struct sim_stream *stream)
{
    struct sim_task *first = stream->head;

    interrupt(stream);
    stream->head = NULL;
    discard_tasks(stream, first);
}

/*
 * The tasks that are dropped are freed when the one that runs has ended: events that were to be
 * recorded after it count as passed then, and other streams go on.
 */
void sim_stream_destroy(struct sim_stream *stream, bool force)
{
    struct sim_task *dropped = NULL;

    sim_handle_drop(stream->handle);
    if (force) {
        stream->aborts++;
        interrupt(stream);
        dropped = stream->head;
        stream->head = NULL;
    }
    stream->stopping = true;
    pthread_cond_signal(&stream->work);
    pthread_cond_broadcast(&sim_state.changed);
    if (stream->started) {
        sim_unlock();
        pthread_join(stream->thread, NULL);
        sim_lock();
    }
    discard_tasks(stream, dropped);
    stream->device->streams--;
    sim_state.counters.streams_destroyed++;
    unref(stream);
}

/* A stream of another context is refused even on the same device, as ACL does. */
aclError sim_stream_get(const void *handle, struct sim_stream **out)
{
    struct sim_context *context;
    aclError rc = sim_current(&context);

    *out = NULL;
    if (rc)
        return rc;
    *out = handle ? sim_handle_get(SIM_STREAM, handle) : context->default_stream;
    if (!*out)
        return sim_violate(BP_ASCEND_BAD_HANDLE, ACL_ERROR_RT_INVALID_HANDLE,
                           "%p is not a stream, or was destroyed", handle);
    if ((*out)->context != context)
        return sim_violate(BP_ASCEND_WRONG_CONTEXT, ACL_ERROR_RT_STREAM_CONTEXT,
                           "stream %p is of another context than the current one", handle);
    return 0;
}

/* ---- its queue ------------------------------------------------------------------------------ */

/*
 * Waits for a free slot of the queue, whose depth is the chip's. The stream may be aborted or
 * destroyed by another thread meanwhile: the reference keeps it until this thread has noticed.
 */
static aclError wait_for_queue(struct sim_stream *stream)
{
    struct bp_ascend_counters *counters = &sim_state.counters;
    uint64_t depth = stream->device->config->queue_depth, aborts = stream->aborts;

    if (stream->submitted - stream->finished < depth)
        return 0;
    if (stream->persistent)
        return sim_fail(ACL_ERROR_RT_STREAM_TASK_FULL, "the stream's queue is full: %llu tasks",
                        (unsigned long long)depth);
    counters->queue_blocked++;
    stream->refs++;
    while (stream->submitted - stream->finished >= depth && !stream->stopping &&
           stream->aborts == aborts)
        sim_wait(&sim_state.changed, UINT64_MAX);
    if (stream->stopping || stream->aborts != aborts) {
        unref(stream);
        return sim_fail(ACL_ERROR_RT_STREAM_ABORT, "the stream was aborted or destroyed");
    }
    stream->refs--; /* not the last: its handle lives */
    return 0;
}

/* Makes the thread, if there is none yet. */
static aclError start(struct sim_stream *stream)
{
    if (stream->started)
        return 0;
    if (pthread_create(&stream->thread, NULL, run_stream, stream) != 0)
        return sim_fail(ACL_ERROR_RT_RESOURCE_ALLOC_FAIL, "no thread for a stream");
    stream->started = true;
    return 0;
}

/* The host spends submit_ns for each call; the task cannot start before that in simulated time. */
aclError sim_submit(struct sim_stream *stream, struct sim_task *task)
{
    struct bp_ascend_counters *counters = &sim_state.counters;
    struct sim_device *device = stream->device;
    aclError rc = wait_for_queue(stream);

    if (!rc)
        rc = start(stream);
    if (rc) {
        task->drop(task);
        return rc;
    }
    sim_host_spends(device, device->config->submit_ns);
    task->ready_ns = device->host_ns;
    task->next = NULL;
    if (stream->head)
        stream->tail->next = task;
    else
        stream->head = task;
    stream->tail = task;
    stream->submitted++;
    counters->tasks_queued++;
    if (stream->submitted - stream->finished > counters->queue_high_water)
        counters->queue_high_water = stream->submitted - stream->finished;
    pthread_cond_signal(&stream->work);
    return 0;
}

/* The first failure is reported once; a stream that stops on failure reports it each time. */
static aclError report_error(struct sim_stream *stream)
{
    aclError rc = stream->error;

    if (!rc)
        return 0;
    if (stream->failure_mode != ACL_STOP_ON_FAILURE)
        stream->error = 0;
    return sim_fail(rc, "a task of the stream: %s", stream->error_text);
}

/* When it has caught up, the host's simulated clock is at least the stream's. */
aclError sim_stream_synchronize(struct sim_stream *stream, uint64_t deadline)
{
    struct sim_device *device = stream->device;
    uint64_t target = stream->submitted, aborts = stream->aborts;
    bool in_time = true;
    aclError rc;

    stream->refs++;
    while (stream->finished < target && stream->aborts == aborts && in_time)
        in_time = sim_wait(&sim_state.changed, deadline);
    if (stream->aborts != aborts)
        rc = sim_fail(ACL_ERROR_RT_STREAM_ABORT, "the stream was aborted");
    else if (stream->finished < target)
        rc = sim_fail(ACL_ERROR_RT_STREAM_SYNC_TIMEOUT, "the stream still has work");
    else
        rc = report_error(stream);
    if (stream->clock_ns > device->host_ns && stream->finished >= target)
        device->host_ns = stream->clock_ns;
    unref(stream);
    return rc;
}

/*
 * Other streams are waited for after a failure too. The table of handles may change while this
 * waits: an index that is out of date skips a stream or meets one twice, which is harmless.
 */
aclError sim_device_synchronize(struct sim_device *device, uint64_t deadline)
{
    aclError first = 0;
    struct sim_stream *stream;

    for (size_t at = 0; (stream = sim_handle_next(SIM_STREAM, &at)) != NULL;) {
        aclError rc;

        if (stream->device != device)
            continue;
        rc = sim_stream_synchronize(stream, deadline);
        if (!first)
            first = rc;
    }
    return first;
}

/* Each stream waits on a condition of its own. */
void sim_wake_device(struct sim_device *device)
{
    struct sim_stream *stream;

    for (size_t at = 0; (stream = sim_handle_next(SIM_STREAM, &at)) != NULL;)
        if (stream->device == device)
            pthread_cond_signal(&stream->work);
    pthread_cond_broadcast(&sim_state.changed);
}
