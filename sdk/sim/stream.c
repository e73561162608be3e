/* SPDX-License-Identifier: MIT */
/* stream.c - libbp-sim: streams, a thread each, which works late; copies and events. */

#include "parts.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    RING = 256,       /* entries of a stream that may wait */
    MAX_NOTICES = 32, /* of a stream that are due */
    LOOK_NS = 1000000 /* between looks whether a stream that waits for a signal is to end */
};

struct entry {
    bp_sim_kernel kernel;
    _Alignas(16) unsigned char arg[BP_SIM_ARG];
};

/* A call that is due when the stream has come to a ticket; fn NULL: none. */
struct notice {
    void (*fn)(void *u, int failed);
    void *u;
    uint64_t ticket;
};

struct bp_sim_stream {
    bp_sim_device *device;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t moved; /* any of the following changed */
    uint64_t put, done;   /* entries so far */
    uint64_t asked;       /* a lazy stream works up to here */
    int must_end, has_failed;
    struct notice notices[MAX_NOTICES];
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

/* ---- telling others --------------------------------------------------------------------------- */

/* Calls what is due, or (all) what will never be. With the lock, which is given up meanwhile. */
static void tell(bp_sim_stream *stream, int all)
{
    for (int i = 0; i < MAX_NOTICES; i++) {
        struct notice notice = stream->notices[i];
        int failed = stream->has_failed || stream->done < notice.ticket ? -1 : 0;

        if (!notice.fn || (!all && stream->done < notice.ticket))
            continue;
        stream->notices[i].fn = NULL;
        pthread_mutex_unlock(&stream->lock);
        SIM_ADD(sim_counters.notices, 1);
        notice.fn(notice.u, failed);
        pthread_mutex_lock(&stream->lock);
    }
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
        /* as accelerators do: what follows a failed entry would read what was never written */
        has_failed = stream->has_failed;
        pthread_mutex_unlock(&stream->lock);
        bp_sim_spend(stream->device, stream->device->options.launch_ns);
        has_failed = has_failed || bp_sim_fails(stream->device, BP_SIM_LATE);
        if (has_failed)
            drop(entry);
        else
            has_failed = entry->kernel(stream->device, entry->arg) != 0;
        pthread_mutex_lock(&stream->lock);
        stream->has_failed |= has_failed;
        stream->done++;
        pthread_cond_broadcast(&stream->moved);
        tell(stream, 0);
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
    pthread_mutex_lock(&stream->lock);
    tell(stream, 1);
    pthread_mutex_unlock(&stream->lock);
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

/* ---- calls back ------------------------------------------------------------------------------- */

/* Puts it into a free place; 0: there is none. With the lock. */
static int add_notice(bp_sim_stream *stream, struct notice notice)
{
    for (int i = 0; i < MAX_NOTICES; i++) {
        if (stream->notices[i].fn)
            continue;
        stream->notices[i] = notice;
        return 1;
    }
    return 0;
}

int bp_sim_notify(const bp_sim_event *event, void (*fn)(void *u, int failed), void *u)
{
    bp_sim_stream *stream = event->stream;
    int is_there, is_added = 0, failed;

    if (stream && bp_sim_fails(stream->device, BP_SIM_NOTIFY))
        return -1;
    if (!stream) { /* never recorded */
        SIM_ADD(sim_counters.notices, 1);
        fn(u, 0);
        return 0;
    }
    pthread_mutex_lock(&stream->lock);
    is_there = stream->done >= event->ticket;
    failed = stream->has_failed ? -1 : 0;
    if (!is_there)
        is_added = add_notice(stream, (struct notice){fn, u, event->ticket});
    if (is_added && stream->asked < event->ticket)
        stream->asked = event->ticket;
    pthread_cond_broadcast(&stream->moved);
    pthread_mutex_unlock(&stream->lock);
    if (is_there) {
        SIM_ADD(sim_counters.notices, 1);
        fn(u, failed);
    }
    return is_there || is_added ? 0 : -1;
}

/* ---- manual events ---------------------------------------------------------------------------- */

/* Waits are numbered from 1, in the order in which they were put in. */
struct bp_sim_manual_event {
    pthread_mutex_t lock;
    pthread_cond_t fired;
    uint64_t n_waits, n_fired; /* n_fired: the last wait that a signal has let go */
    int has_failed;            /* by the last signal */
};

/* An entry of a stream that waits. */
struct manual_wait {
    bp_sim_manual_event *event;
    bp_sim_stream *stream;
    uint64_t n;
};

bp_sim_manual_event *bp_sim_manual_create(bp_sim_device *device)
{
    bp_sim_manual_event *event;
    pthread_condattr_t attr;

    if (bp_sim_fails(device, BP_SIM_EVENT))
        return NULL;
    event = (bp_sim_manual_event *)calloc(1, sizeof *event);
    if (!event)
        return NULL;
    pthread_mutex_init(&event->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&event->fired, &attr);
    pthread_condattr_destroy(&attr);
    SIM_ADD(sim_counters.events, 1);
    return event;
}

void bp_sim_manual_destroy(bp_sim_manual_event *event)
{
    pthread_cond_destroy(&event->fired);
    pthread_mutex_destroy(&event->lock);
    free(event);
    SIM_SUB(sim_counters.events, 1);
}

void bp_sim_manual_signal(bp_sim_manual_event *event, int failed)
{
    pthread_mutex_lock(&event->lock);
    event->n_fired = event->n_waits;
    event->has_failed = failed != 0;
    pthread_cond_broadcast(&event->fired);
    pthread_mutex_unlock(&event->lock);
}

static int is_ending(bp_sim_stream *stream)
{
    int must_end;

    pthread_mutex_lock(&stream->lock);
    must_end = stream->must_end;
    pthread_mutex_unlock(&stream->lock);
    return must_end;
}

/* Looks again and again, as the end of the stream wakes no thread here. */
static int run_manual_wait(bp_sim_device *device, const void *arg)
{
    const struct manual_wait *wait = (const struct manual_wait *)arg;
    bp_sim_manual_event *event = wait->event;
    int failed;

    (void)device;
    pthread_mutex_lock(&event->lock);
    while (event->n_fired < wait->n && !is_ending(wait->stream)) {
        struct timespec until = in_future(LOOK_NS);

        pthread_cond_timedwait(&event->fired, &event->lock, &until);
    }
    failed = event->n_fired < wait->n || event->has_failed ? -1 : 0;
    pthread_mutex_unlock(&event->lock);
    return failed;
}

int bp_sim_manual_wait(bp_sim_stream *stream, bp_sim_manual_event *event)
{
    struct manual_wait wait = {event, stream, 0};

    if (bp_sim_fails(stream->device, BP_SIM_ORDER))
        return -1;
    pthread_mutex_lock(&event->lock);
    wait.n = ++event->n_waits;
    pthread_mutex_unlock(&event->lock);
    return bp_sim_launch(stream->device, stream, run_manual_wait, &wait, sizeof wait);
}
