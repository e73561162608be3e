/* SPDX-License-Identifier: MIT */
/* stream.c - libbp-sim: streams, a thread each, which works late; copies and events. */

#include "parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { RING = 256 }; /* entries of a stream that may wait */

struct entry {
    bp_sim_kernel kernel;
    _Alignas(16) unsigned char arg[BP_SIM_ARG];
};

struct bp_sim_stream {
    bp_sim_device *device;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved; /* any of the following changed */
    uint64_t put, done;   /* entries so far */
    uint64_t asked;       /* a lazy stream works up to here */
    int must_end, has_failed;
    uint32_t refs; /* its maker's, and of entries of other streams that wait for it; atomic */
    struct entry ring[RING];
};

/* ---- waiting for another stream --------------------------------------------------------------- */

static void unref(bp_sim_stream *stream);

/* The entry's event has a reference to its stream. */
static int run_order(bp_sim_device *device, const void *arg)
{
    const bp_sim_event *event = (const bp_sim_event *)arg;
    bp_sim_stream *stream = event->stream;
    int result;

    (void)device;
    pthread_mutex_lock(&stream->lock);
    if (stream->asked < event->ticket)
        stream->asked = event->ticket;
    pthread_cond_broadcast(&stream->moved);
    while (stream->done < event->ticket && !stream->must_end)
        pthread_cond_wait(&stream->moved, &stream->lock);
    result = stream->done < event->ticket || stream->has_failed ? -1 : 0;
    pthread_mutex_unlock(&stream->lock);
    unref(stream);
    return result;
}

/* An entry that will not run. */
static void drop(const struct entry *entry)
{
    if (entry->kernel == run_order)
        unref(((const bp_sim_event *)(const void *)entry->arg)->stream);
}

/* ---- the thread ------------------------------------------------------------------------------ */

static int may_work(const bp_sim_stream *stream)
{
    return stream->done < stream->put &&
           (!(stream->device->options.flags & BP_SIM_LAZY) || stream->done < stream->asked);
}

static void *work(void *arg)
{
    bp_sim_stream *stream = (bp_sim_stream *)arg;

    pthread_mutex_lock(&stream->lock);
    while (!stream->must_end) {
        struct entry *entry = &stream->ring[stream->done % RING];
        int has_failed;

        if (!may_work(stream)) {
            pthread_cond_wait(&stream->moved, &stream->lock);
            continue;
        }
        pthread_mutex_unlock(&stream->lock);
        bp_sim_spend(stream->device, stream->device->options.launch_ns);
        has_failed = bp_sim_fails(stream->device, BP_SIM_LATE);
        if (has_failed)
            drop(entry);
        else
            has_failed = entry->kernel(stream->device, entry->arg) != 0;
        pthread_mutex_lock(&stream->lock);
        stream->has_failed |= has_failed;
        stream->done++;
        pthread_cond_broadcast(&stream->moved);
    }
    pthread_mutex_unlock(&stream->lock);
    return NULL;
}

/* ---- streams --------------------------------------------------------------------------------- */

static void init_sync(bp_sim_stream *stream)
{
    pthread_condattr_t attr;

    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&stream->moved, &attr);
    pthread_condattr_destroy(&attr);
    pthread_mutex_init(&stream->lock, NULL);
}

/* Frees it with the last reference. */
static void unref(bp_sim_stream *stream)
{
    if (SIM_SUB(stream->refs, 1) > 0)
        return;
    pthread_cond_destroy(&stream->moved);
    pthread_mutex_destroy(&stream->lock);
    free(stream);
}

bp_sim_stream *bp_sim_stream_create(bp_sim_device *device)
{
    bp_sim_stream *stream;

    if (bp_sim_fails(device, BP_SIM_STREAM))
        return NULL;
    stream = (bp_sim_stream *)calloc(1, sizeof *stream);
    if (!stream)
        return NULL;
    stream->device = device;
    stream->refs = 1;
    init_sync(stream);
    if (pthread_create(&stream->thread, NULL, work, stream) != 0) {
        unref(stream);
        return NULL;
    }
    SIM_ADD(sim_counters.streams, 1);
    return stream;
}

void bp_sim_stream_destroy(bp_sim_stream *stream)
{
    pthread_mutex_lock(&stream->lock);
    stream->must_end = 1;
    pthread_cond_broadcast(&stream->moved);
    pthread_mutex_unlock(&stream->lock);
    pthread_join(stream->thread, NULL);
    for (; stream->done < stream->put; stream->done++)
        drop(&stream->ring[stream->done % RING]);
    unref(stream);
    SIM_SUB(sim_counters.streams, 1);
}

int bp_sim_launch(bp_sim_device *device, bp_sim_stream *stream, bp_sim_kernel kernel,
                  const void *arg, size_t n_arg)
{
    struct entry *entry;

    if (n_arg > BP_SIM_ARG)
        return -1;
    if (!stream) {
        bp_sim_spend(device, device->options.launch_ns);
        return kernel(device, arg) != 0 ? -1 : 0;
    }
    pthread_mutex_lock(&stream->lock);
    while (stream->put - stream->done == RING) { /* full: even a lazy one has to work */
        stream->asked = stream->put;
        pthread_cond_broadcast(&stream->moved);
        pthread_cond_wait(&stream->moved, &stream->lock);
    }
    entry = &stream->ring[stream->put++ % RING];
    entry->kernel = kernel;
    memcpy(entry->arg, arg, n_arg);
    pthread_cond_broadcast(&stream->moved);
    pthread_mutex_unlock(&stream->lock);
    return 0;
}

/* ---- copies ---------------------------------------------------------------------------------- */

struct copy {
    bp_sim_ref device;
    void *to;         /* NULL: to the device */
    const void *from; /* NULL: from the device */
};

static int run_copy(bp_sim_device *device, const void *arg)
{
    const struct copy *copy = (const struct copy *)arg;
    void *at = bp_sim_reach(device, copy->device);
    double gbps = copy->to ? device->options.d2h_gbps : device->options.h2d_gbps;

    if (!at)
        return -1;
    if (gbps > 0)
        bp_sim_spend(device, (int64_t)((double)copy->device.bytes / gbps));
    if (copy->to)
        memcpy(copy->to, at, copy->device.bytes);
    else
        memcpy(at, copy->from, copy->device.bytes);
    return 0;
}

int bp_sim_upload(bp_sim_device *device, bp_sim_stream *stream, bp_sim_ref to, const void *from)
{
    struct copy copy = {to, NULL, from};

    if (bp_sim_fails(device, BP_SIM_COPY))
        return -1;
    SIM_ADD(sim_counters.uploads, 1);
    SIM_ADD(sim_counters.bytes_up, to.bytes);
    return bp_sim_launch(device, stream, run_copy, &copy, sizeof copy);
}

int bp_sim_download(bp_sim_device *device, bp_sim_stream *stream, void *to, bp_sim_ref from)
{
    struct copy copy = {from, to, NULL};

    if (bp_sim_fails(device, BP_SIM_COPY))
        return -1;
    SIM_ADD(sim_counters.downloads, 1);
    SIM_ADD(sim_counters.bytes_down, from.bytes);
    return bp_sim_launch(device, stream, run_copy, &copy, sizeof copy);
}

struct exchange {
    bp_sim_ref to, from;
    bp_sim_device *from_device;
};

static int run_exchange(bp_sim_device *device, const void *arg)
{
    const struct exchange *copy = (const struct exchange *)arg;
    void *to = bp_sim_reach(device, copy->to);
    const void *from = bp_sim_reach(copy->from_device, copy->from);

    if (!to || !from || copy->to.bytes != copy->from.bytes)
        return -1;
    memcpy(to, from, copy->to.bytes);
    return 0;
}

int bp_sim_exchange(bp_sim_device *device, bp_sim_stream *stream, bp_sim_ref to,
                    bp_sim_device *from_device, bp_sim_ref from)
{
    struct exchange copy = {to, from, from_device};

    if (bp_sim_fails(device, BP_SIM_COPY))
        return -1;
    SIM_ADD(sim_counters.exchanges, 1);
    return bp_sim_launch(device, stream, run_exchange, &copy, sizeof copy);
}

/* ---- events ---------------------------------------------------------------------------------- */

bp_sim_event *bp_sim_event_create(bp_sim_device *device)
{
    bp_sim_event *event;

    if (bp_sim_fails(device, BP_SIM_EVENT))
        return NULL;
    event = (bp_sim_event *)calloc(1, sizeof *event);
    if (event)
        SIM_ADD(sim_counters.events, 1);
    return event;
}

void bp_sim_event_destroy(bp_sim_event *event)
{
    free(event);
    SIM_SUB(sim_counters.events, 1);
}

int bp_sim_record(bp_sim_stream *stream, bp_sim_event *event)
{
    if (bp_sim_fails(stream->device, BP_SIM_RECORD))
        return -1;
    pthread_mutex_lock(&stream->lock);
    event->stream = stream;
    event->ticket = stream->put;
    pthread_mutex_unlock(&stream->lock);
    return 0;
}

int bp_sim_stream_wait(bp_sim_stream *stream, const bp_sim_event *event)
{
    if (bp_sim_fails(stream->device, BP_SIM_ORDER))
        return -1;
    if (!event->stream)
        return 0; /* never recorded */
    SIM_ADD(event->stream->refs, 1);
    return bp_sim_launch(stream->device, stream, run_order, event, sizeof *event);
}

static struct timespec in_future(int64_t ns)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    ns += t.tv_nsec;
    t.tv_sec += ns / 1000000000;
    t.tv_nsec = ns % 1000000000;
    return t;
}

int bp_sim_wait(bp_sim_event *event, int64_t timeout_ns)
{
    bp_sim_stream *stream = event->stream;
    struct timespec until = in_future(timeout_ns < 0 ? 0 : timeout_ns);
    int is_late = 0, result;

    if (!stream)
        return 0; /* never recorded */
    if (bp_sim_fails(stream->device, BP_SIM_WAIT))
        return -1;
    pthread_mutex_lock(&stream->lock);
    if (stream->asked < event->ticket)
        stream->asked = event->ticket;
    pthread_cond_broadcast(&stream->moved);
    while (stream->done < event->ticket && !is_late) {
        if (timeout_ns < 0)
            pthread_cond_wait(&stream->moved, &stream->lock);
        else
            is_late = pthread_cond_timedwait(&stream->moved, &stream->lock, &until) != 0;
    }
    result = stream->done < event->ticket ? 1 : stream->has_failed ? -1 : 0;
    pthread_mutex_unlock(&stream->lock);
    return result;
}
