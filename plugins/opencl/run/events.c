/* SPDX-License-Identifier: MIT */
/*
 * events.c - see events.h. Manual events are not offered: a stream that is destroyed while it waits
 * for one has to drop its work, which OpenCL does by a user event with an error, and PoCL 3.1 ends
 * the process then. The host waits in the stream's place.
 */

#define _GNU_SOURCE /* pthread, as C11 alone hides it */

#include "run/events.h"

enum { ALIGN = 64 };

/* A callback that is due. */
struct bp_opencl_notice {
    struct bp_opencl_notice *next;
    bp_instance *instance;
    cl_command_queue queue;
    void (*fn)(void *u, bp_rc rc);
    void *u;
};

bp_rc bp_opencl_events_init(bp_instance *instance, bp_err *err)
{
    if (pthread_mutex_init(&instance->events.lock, NULL) != 0)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for a lock");
    if (pthread_cond_init(&instance->events.told, NULL) != 0) {
        pthread_mutex_destroy(&instance->events.lock);
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for a lock");
    }
    return BP_OK;
}

void bp_opencl_events_finish(bp_instance *instance)
{
    pthread_cond_destroy(&instance->events.told);
    pthread_mutex_destroy(&instance->events.lock);
}

static void add_notice(struct bp_opencl_notice *notice)
{
    struct bp_opencl_events *events = &notice->instance->events;

    pthread_mutex_lock(&events->lock);
    notice->next = events->notices;
    events->notices = notice;
    pthread_mutex_unlock(&events->lock);
}

/* Told under the lock, so that the instance is not gone before. */
static void remove_notice(struct bp_opencl_notice *notice)
{
    bp_instance *instance = notice->instance;
    struct bp_opencl_notice **at = &instance->events.notices;

    pthread_mutex_lock(&instance->events.lock);
    while (*at != notice)
        at = &(*at)->next;
    *at = notice->next;
    instance->host.free(instance->host.h, notice, sizeof *notice, ALIGN);
    pthread_cond_broadcast(&instance->events.told);
    pthread_mutex_unlock(&instance->events.lock);
}

static void CL_CALLBACK reached(cl_event marker, cl_int status, void *u)
{
    struct bp_opencl_notice *notice = u;

    (void)marker;
    notice->fn(notice->u, status < 0 ? bp_opencl_fail(NULL, status, "work in a stream") : BP_OK);
    remove_notice(notice);
}

bp_rc bp_opencl_notify(bp_instance *instance, cl_command_queue queue, cl_event marker,
                       void (*fn)(void *u, bp_rc rc), void *u, bp_err *err)
{
    struct bp_opencl_notice *notice = instance->host.alloc(instance->host.h, sizeof *notice, ALIGN);
    cl_int code;

    if (!notice)
        return bp_fail(err, BP_E_NOMEM, "opencl: no memory for a callback");
    *notice = (struct bp_opencl_notice){.instance = instance, .queue = queue, .fn = fn, .u = u};
    add_notice(notice);
    code = instance->cl->clSetEventCallback(marker, CL_COMPLETE, reached, notice);
    if (code == CL_SUCCESS)
        return BP_OK;
    remove_notice(notice);
    return bp_opencl_fail(err, code, "clSetEventCallback");
}

/* [locked] */
static bool is_due(const bp_instance *instance, cl_command_queue queue)
{
    for (const struct bp_opencl_notice *at = instance->events.notices; at; at = at->next) {
        if (at->queue == queue)
            return true;
    }
    return false;
}

void bp_opencl_notify_settle(bp_instance *instance, cl_command_queue queue)
{
    pthread_mutex_lock(&instance->events.lock);
    while (is_due(instance, queue))
        pthread_cond_wait(&instance->events.told, &instance->events.lock);
    pthread_mutex_unlock(&instance->events.lock);
}
