/* SPDX-License-Identifier: MIT */
/* device_queue.c - a provider's copies and its work in order, and waiting for them. */

#include "config.h"

#include "exec/device.h"

#include <stdlib.h>
#include <time.h>

#include "exec/run_shared.h"

enum { WAIT_NS = 20 * 1000 * 1000 }; /* between looks whether the run should end */

/* Counted for the provider, by the bytes that were asked for. */
bp_rc bp_device_alloc(const struct bp_queue *queue, uint32_t space, size_t n, size_t align,
                      void **out, bp_err *err)
{
    const struct bp_active *by = queue->by;
    void *base = NULL;
    bp_rc rc;

    bp_err_clear(err);
    rc = by->provider->dev->alloc(by->instance, queue->device, space, n, align, &base, err);
    rc = bp_err_complete(err, rc);
    if (rc >= 0 && !base)
        rc = bp_fail(err, BP_E_INTERNAL, "it succeeded without memory");
    if (rc < 0)
        return bp_fail_in(err, rc, "%zu bytes of its memory", n);
    bp_memory_add(&by->memory->own, n);
    *out = base;
    return BP_OK;
}

void bp_device_free(const struct bp_queue *queue, uint32_t space, void *base, size_t n)
{
    if (!base)
        return;
    queue->by->provider->dev->free(queue->by->instance, queue->device, space, base);
    bp_memory_drop(&queue->by->memory->own, n);
}

/* Linear: a session has few devices with memory of their own. */
bp_rc bp_queue_get(struct bp_queue **list, const struct bp_active *by, uint32_t device,
                   struct bp_queue **out, bp_err *err)
{
    struct bp_queue *queue = *list;

    while (queue && (queue->by != by || queue->device != device))
        queue = queue->next;
    if (!queue) {
        queue = calloc(1, sizeof *queue);
        if (!queue)
            return bp_fail_nomem(err, "a provider's queue");
        queue->by = by;
        queue->device = device;
        queue->next = *list;
        *list = queue;
    }
    *out = queue;
    return BP_OK;
}

/* Ends a stream, whatever is in it. */
static void stop(struct bp_queue *queue)
{
    const bp_device_ops *dev = queue->by->provider->dev;

    if (queue->stream)
        dev->stream_destroy(queue->by->instance, queue->stream);
    if (queue->event)
        dev->event_destroy(queue->by->instance, queue->event);
    queue->stream = NULL;
    queue->event = NULL;
    queue->is_pending = false;
}

void bp_queues_destroy(struct bp_queue *list)
{
    while (list) {
        struct bp_queue *next = list->next;

        stop(list);
        free(list);
        list = next;
    }
}

/*
 * Destroying a stream waits for it or ends it: the memory is free to use afterwards. A new stream
 * comes with the next use.
 */
void bp_queues_abandon(struct bp_queue *list)
{
    for (; list; list = list->next) {
        if (list->is_pending)
            stop(list);
    }
}

/* Made late, so that sessions that never run make no stream; again after bp_queues_abandon(). */
bp_rc bp_queue_start(struct bp_queue *queue, bp_err *err)
{
    const bp_device_ops *dev = queue->by->provider->dev;
    bp_instance *instance = queue->by->instance;
    void *event = NULL;
    void *stream = NULL;
    bp_rc rc;

    if (queue->stream || !dev->stream_create)
        return BP_OK;
    bp_err_clear(err);
    rc = bp_err_complete(err, dev->event_create(instance, queue->device, 0, &event, err));
    if (rc >= 0 && event)
        rc = bp_err_complete(err, dev->stream_create(instance, queue->device, 0, &stream, err));
    if (rc >= 0 && !stream)
        rc = bp_fail(err, BP_E_INTERNAL, "it succeeded without a stream and an event");
    if (rc < 0) {
        if (event)
            dev->event_destroy(instance, event);
        return bp_fail_in(err, rc, "making a stream");
    }
    queue->event = event;
    queue->stream = stream;
    return BP_OK;
}

/* Without streams the copy is done when this returns. */
bp_rc bp_queue_copy(struct bp_queue *queue, const bp_copy *rows, uint32_t n, bp_err *err)
{
    bp_rc rc = bp_queue_start(queue, err);

    if (rc < 0)
        return rc;
    queue->is_pending = queue->stream != NULL; /* also when it fails halfway */
    bp_err_clear(err);
    rc = queue->by->provider->dev->copy(queue->by->instance, rows, n, queue->stream, err);
    return bp_err_complete(err, rc);
}

/* The event is kept for later runs. */
bp_rc bp_handover_record(struct bp_handover *handover, bp_err *err)
{
    struct bp_queue *queue = handover->queue;
    const bp_device_ops *dev = queue->by->provider->dev;
    bp_instance *instance = queue->by->instance;
    bp_rc rc = bp_queue_start(queue, err);

    if (rc < 0)
        return rc;
    bp_err_clear(err);
    if (!handover->event) {
        rc = bp_err_complete(err,
                             dev->event_create(instance, queue->device, 0, &handover->event, err));
        if (rc >= 0 && !handover->event)
            rc = bp_fail(err, BP_E_INTERNAL, "it succeeded without an event");
    }
    if (rc >= 0)
        rc = bp_err_complete(err, dev->event_record(instance, queue->stream, handover->event, err));
    return rc < 0 ? bp_fail_in(err, rc, "recording an event") : rc;
}

bp_rc bp_queue_order(struct bp_queue *queue, const struct bp_handover *handover, bp_err *err)
{
    bp_rc rc = bp_queue_start(queue, err);

    if (rc < 0)
        return rc;
    queue->is_pending = true; /* also when it fails halfway */
    bp_err_clear(err);
    rc = queue->by->provider->dev->stream_wait(queue->by->instance, queue->stream, handover->event,
                                               err);
    rc = bp_err_complete(err, rc);
    return rc < 0 ? bp_fail_in(err, rc, "letting a stream wait for an event") : rc;
}

void bp_handover_finish(struct bp_handover *handover)
{
    const struct bp_active *by = handover->queue->by;

    if (handover->event)
        by->provider->dev->event_destroy(by->instance, handover->event);
    handover->event = NULL;
}

/* Nanoseconds of one wait: without limit if the run can't be cancelled and has no deadline. */
static int64_t patience(const struct bp_run_shared *shared)
{
    return shared->cancel || shared->deadline_ns ? WAIT_NS : -1;
}

/*
 * Waits in slices where somebody may end the run meanwhile. When it does, the queue stays pending
 * and is abandoned by the run.
 */
bp_rc bp_queue_wait(struct bp_queue *queue, const struct bp_run_shared *shared, bp_err *err)
{
    const bp_device_ops *dev = queue->by->provider->dev;
    bp_instance *instance = queue->by->instance;
    bp_rc rc;

    if (!queue->is_pending)
        return BP_OK;
    bp_err_clear(err);
    rc = bp_err_complete(err, dev->event_record(instance, queue->stream, queue->event, err));
    while (rc >= 0) {
        rc = bp_err_complete(err, dev->event_wait(instance, queue->event, patience(shared), err));
        if (rc >= 0) {
            queue->is_pending = false;
            return BP_OK;
        }
        if (rc == BP_E_TIMEOUT && patience(shared) > 0) {
            rc = bp_run_check(shared, err);
            if (rc < 0)
                return rc;
        }
    }
    return bp_fail_in(err, rc, "waiting for its stream");
}
