/* SPDX-License-Identifier: MIT */
/* device_queue.c - a provider's copies and its work in order, and waiting for them. */

#include "config.h"

#include "exec/device.h"

#include <stdlib.h>
#include <time.h>

#include "exec/run_shared.h"

enum { WAIT_NS = 5 * 1000 * 1000 }; /* between looks whether the run should end */

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

/* In the child of a fork(): the provider's threads, which would notify, are not there. */
static void forget_due(void *u)
{
    struct bp_queue *queue = u;

    queue->n_due = 0;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->told, NULL);
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
        pthread_mutex_init(&queue->lock, NULL);
        pthread_cond_init(&queue->told, NULL);
        bp_fork_watch(&queue->fork, forget_due, queue);
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

/* stream_destroy() has told of what will not come, so that this is short. */
static void settle(struct bp_queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    while (queue->n_due > 0)
        pthread_cond_wait(&queue->told, &queue->lock);
    pthread_mutex_unlock(&queue->lock);
}

void bp_queues_destroy(struct bp_queue *list)
{
    while (list) {
        struct bp_queue *next = list->next;

        stop(list);
        settle(list);
        bp_fork_unwatch(&list->fork);
        pthread_cond_destroy(&list->told);
        pthread_mutex_destroy(&list->lock);
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
    for (struct bp_queue *queue = list; queue; queue = queue->next) {
        if (queue->is_pending)
            stop(queue);
    }
    for (; list; list = list->next)
        settle(list);
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

/* An event of a queue's provider, unless there is one; kept for later runs. */
static bp_rc make_event(const struct bp_queue *queue, uint32_t flags, void **event, bp_err *err)
{
    const bp_device_ops *dev = queue->by->provider->dev;
    bp_rc rc;

    if (*event)
        return BP_OK;
    bp_err_clear(err);
    rc = bp_err_complete(err,
                         dev->event_create(queue->by->instance, queue->device, flags, event, err));
    if (rc >= 0 && !*event)
        rc = bp_fail(err, BP_E_INTERNAL, "it succeeded without an event");
    return rc < 0 ? bp_fail_in(err, rc, "making an event") : rc;
}

bp_rc bp_handover_prepare(struct bp_handover *handover, bp_err *err)
{
    return make_event(handover->queue, 0, &handover->event, err);
}

bp_rc bp_handover_record(struct bp_handover *handover, bp_err *err)
{
    struct bp_queue *queue = handover->queue;
    const bp_device_ops *dev = queue->by->provider->dev;
    bp_rc rc = bp_queue_start(queue, err);

    if (rc >= 0)
        rc = bp_handover_prepare(handover, err);
    if (rc < 0)
        return rc;
    bp_err_clear(err);
    rc = bp_err_complete(
        err, dev->event_record(queue->by->instance, queue->stream, handover->event, err));
    return rc < 0 ? bp_fail_in(err, rc, "recording an event") : rc;
}

/* Lets a started queue's stream wait for an event of its instance. */
static bp_rc order(struct bp_queue *queue, void *event, bp_err *err)
{
    bp_rc rc;

    queue->is_pending = true; /* also when it fails halfway */
    bp_err_clear(err);
    rc = queue->by->provider->dev->stream_wait(queue->by->instance, queue->stream, event, err);
    rc = bp_err_complete(err, rc);
    return rc < 0 ? bp_fail_in(err, rc, "letting a stream wait for an event") : rc;
}

bp_rc bp_queue_order(struct bp_queue *queue, const struct bp_handover *handover, bp_err *err)
{
    bp_rc rc = bp_queue_start(queue, err);

    return rc < 0 ? rc : order(queue, handover->event, err);
}

/* ---- links ----------------------------------------------------------------------------------- */

/*
 * On a thread of the provider that is waited for, which must not be kept: passes the word on. The
 * link may be gone as soon as the queue is told.
 */
static void notified(void *u, bp_rc rc)
{
    struct bp_link *link = u;
    struct bp_queue *from = link->from->queue, *to = link->to;

    atomic_store(&link->failed, rc < 0 ? rc : 0);
    to->by->provider->dev->event_signal(to->by->instance, link->event, rc < 0 ? rc : BP_OK);
    pthread_mutex_lock(&from->lock);
    from->n_due--;
    pthread_cond_broadcast(&from->told);
    pthread_mutex_unlock(&from->lock);
}

/* Counted before, as it may come before the call returns. */
static bp_rc notify(struct bp_link *link, bp_err *err)
{
    struct bp_queue *from = link->from->queue;
    bp_rc rc;

    pthread_mutex_lock(&from->lock);
    from->n_due++;
    pthread_mutex_unlock(&from->lock);
    bp_err_clear(err);
    rc = from->by->provider->dev->event_notify(from->by->instance, link->from->event, notified,
                                               link, err);
    rc = bp_err_complete(err, rc);
    if (rc >= 0)
        return rc;
    pthread_mutex_lock(&from->lock);
    from->n_due--; /* it will not come */
    pthread_mutex_unlock(&from->lock);
    return bp_fail_in(err, rc, "'%s', asked to tell of an event", from->by->name);
}

/* The stream waits first, so that it is not passed by the signal. */
bp_rc bp_link_follow(struct bp_link *link, bp_err *err)
{
    bp_rc rc = bp_queue_start(link->to, err);

    if (rc >= 0)
        rc = make_event(link->to, BP_EVENT_MANUAL, &link->event, err);
    if (rc >= 0)
        rc = order(link->to, link->event, err);
    return rc < 0 ? rc : notify(link, err);
}

void bp_link_finish(struct bp_link *link)
{
    const struct bp_active *by = link->to->by;

    settle(link->from->queue);
    if (link->event)
        by->provider->dev->event_destroy(by->instance, link->event);
    link->event = NULL;
}

/* ---- waiting --------------------------------------------------------------------------------- */

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
 * Waits in slices where the application may end the run meanwhile. When it does, the queue stays pending
 * and is abandoned by the run.
 */
bp_rc bp_queue_wait(struct bp_queue *queue, struct bp_run_shared *shared, bp_err *err)
{
    const bp_device_ops *dev = queue->by->provider->dev;
    bp_instance *instance = queue->by->instance;
    bp_rc rc;

    if (!queue->is_pending)
        return BP_OK;
    shared->host_waits++;
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
