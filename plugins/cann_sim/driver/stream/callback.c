/* SPDX-License-Identifier: MIT */
/*
 * callback.c - host functions in a stream's order, run by the thread that subscribed to the stream.
 *
 * aclrtLaunchCallback() queues a task. When the stream comes to it, the task hands a report to the
 * list, and the subscribed thread takes it out in aclrtProcessReport() and runs the function there.
 */
#include <stdlib.h>

#include "core/clock.h"
#include "core/context.h"
#include "core/error.h"
#include "core/state.h"
#include "stream/stream.h"

/* The runtime's code for a stream without a subscriber; acl_base.h has no name for it. */
#define NOT_SUBSCRIBED 107015

/* A function that waits for its thread, on the list in the order in which streams came to it. */
struct report {
    struct report *next;
    uint64_t thread;
    aclrtCallback run;
    void *data;
    bool done;
    unsigned refs; /* the list, then the thread that runs it; a stream that waits for it */
};

/* `block`: the stream waits until the function has run. */
struct callback_task {
    struct sim_task task;
    struct report *report; /* NULL once it was handed over */
    bool block;
};

/* Of all streams and threads. [locked] */
static struct report *reports;

/* The first report for the thread, off the list; NULL: none. */
static struct report *take_report(uint64_t thread)
{
    for (struct report **at = &reports; *at; at = &(*at)->next) {
        struct report *report = *at;

        if (report->thread == thread) {
            *at = report->next;
            return report;
        }
    }
    return NULL;
}

/* At the end of the list; threads that wait in aclrtProcessReport() look again. */
static void add_report(struct report *report)
{
    struct report **at = &reports;

    while (*at)
        at = &(*at)->next;
    report->next = NULL;
    *at = report;
    pthread_cond_broadcast(&sim_state.changed);
}

/*
 * The list's reference becomes that of the thread which runs it; a stream that waits has another.
 */
static void unref(struct report *report)
{
    if (--report->refs == 0)
        free(report);
}

/* A stream that is destroyed or aborted does not wait for ever for a thread that may not come. */
static aclError run_callback(struct sim_task *task, struct sim_stream *stream)
{
    struct callback_task *callback = (struct callback_task *)task;
    struct report *report = callback->report;
    uint64_t aborts = stream->aborts;

    callback->report = NULL;
    add_report(report);
    if (!callback->block)
        return 0;
    report->refs++;
    while (!report->done && !stream->stopping && stream->aborts == aborts)
        sim_wait(&sim_state.changed, UINT64_MAX);
    unref(report);
    return 0;
}

/* The report is freed here only if the task never ran. */
static void drop_callback(struct sim_task *task)
{
    struct callback_task *callback = (struct callback_task *)task;

    free(callback->report);
    free(callback);
}

/* Without a subscriber it would never run: an error now. [locked, may wait] */
static aclError launch(aclrtCallback fn, void *data, bool block, struct sim_stream *stream)
{
    struct callback_task *callback;

    if (!stream->subscriber)
        return sim_fail(NOT_SUBSCRIBED, "no thread subscribed to the stream's callbacks");
    callback = calloc(1, sizeof *callback);
    if (callback)
        callback->report = calloc(1, sizeof *callback->report);
    if (!callback || !callback->report) {
        free(callback);
        return sim_fail(ACL_ERROR_BAD_ALLOC, "no memory for a callback");
    }
    callback->task.run = run_callback;
    callback->task.drop = drop_callback;
    callback->block = block;
    callback->report->refs = 1;
    callback->report->thread = stream->subscriber;
    callback->report->run = fn;
    callback->report->data = data;
    sim_state.counters.callbacks++;
    return sim_submit(stream, &callback->task);
}

aclError aclrtLaunchCallback(aclrtCallback fn, void *userData, aclrtCallbackBlockType blockType,
                             aclrtStream handle)
{
    struct sim_stream *stream;
    aclError rc;

    if (!fn)
        return sim_fail(ACL_ERROR_INVALID_PARAM, "aclrtLaunchCallback: no function");
    sim_lock();
    rc = sim_stream_get(handle, &stream);
    if (!rc)
        rc = launch(fn, userData, blockType == ACL_CALLBACK_BLOCK, stream);
    sim_unlock();
    return rc;
}

/* One thread at a time; it unsubscribes with its own id. */
static aclError subscribe(uint64_t thread, aclrtStream handle, bool on)
{
    struct sim_stream *stream;
    aclError rc;

    sim_lock();
    rc = sim_stream_get(handle, &stream);
    if (!rc && (thread == 0 || (on ? stream->subscriber != 0 : stream->subscriber != thread)))
        rc = sim_fail(ACL_ERROR_RT_PARAM_INVALID, on ? "a thread subscribed to the stream already"
                                                     : "that thread is not the subscriber");
    if (!rc)
        stream->subscriber = on ? thread : 0;
    sim_unlock();
    return rc;
}

aclError aclrtSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    return subscribe(threadId, stream, true);
}

aclError aclrtUnSubscribeReport(uint64_t threadId, aclrtStream stream)
{
    return subscribe(threadId, stream, false);
}

/*
 * Runs one callback of the calling thread, without the lock, so that it may call ACL.
 * ACL_ERROR_RT_REPORT_TIMEOUT: none came within `timeout` ms.
 */
aclError aclrtProcessReport(int32_t timeout)
{
    uint64_t thread = (uint64_t)(uintptr_t)pthread_self(), deadline = sim_deadline(timeout);
    struct report *report;
    aclError rc;

    if (timeout < -1)
        return sim_fail(ACL_ERROR_RT_PARAM_INVALID, "a timeout of %d ms", timeout);
    sim_lock();
    rc = sim_need_init();
    while (!rc && !(report = take_report(thread)))
        if (!sim_wait(&sim_state.changed, deadline))
            rc = sim_fail(ACL_ERROR_RT_REPORT_TIMEOUT, "no callback in %d ms", timeout);
    if (!rc) {
        sim_unlock();
        report->run(report->data);
        sim_lock();
        report->done = true;
        unref(report);
        pthread_cond_broadcast(&sim_state.changed);
    }
    sim_unlock();
    return rc;
}

/* Streams are gone by then, so no report is waited for. */
void sim_callbacks_free(void)
{
    while (reports) {
        struct report *report = reports;

        reports = report->next;
        unref(report);
    }
}
