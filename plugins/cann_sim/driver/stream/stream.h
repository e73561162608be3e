/* SPDX-License-Identifier: MIT */
/*
 * stream.h - streams: queues of tasks that each run in order on a thread of their own; and events.
 *
 * A task is made by whoever knows what it does (copies, events, callbacks, operators, models),
 * queued by sim_submit(), and run and freed through its two function pointers.
 */
#ifndef SIM_STREAM_H
#define SIM_STREAM_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <acl/acl_rt.h>

#include "core/error.h"

struct sim_context;
struct sim_device;
struct sim_stream;

/*
 * What a task counts as in bp_ascend_get_times(); SIM_BUSY_NOT is neither, takes no simulated time,
 * and is not met by faults.
 */
enum sim_busy { SIM_BUSY_NOT, SIM_BUSY_OPERATOR, SIM_BUSY_COPY };

/* The head of each kind of task, its first member. The stream owns it from sim_submit() on. */
struct sim_task {
    struct sim_task *next;
    /* What it does; on the stream's thread. [locked, may unlock meanwhile] */
    aclError (*run)(struct sim_task *task, struct sim_stream *stream);
    /* Frees it, whether it ran or not. [locked] */
    void (*drop)(struct sim_task *task);
    enum sim_busy busy;
    uint64_t cost_ns;  /* simulated */
    uint64_t ready_ns; /* simulated: when the host queued it */
};

/*
 * What aclrtStream stands for. All of it is [locked].
 *
 * The counts `submitted` and `finished` only grow, so that a synchronisation waits for the tasks
 * that were queued when it began, and not for later ones. `aborts` counts up when the queue is
 * thrown away: whoever waits compares it with what it was.
 */
struct sim_stream {
    void *handle;
    struct sim_context *context;
    struct sim_device *device;
    pthread_t thread; /* made for the first task */
    pthread_cond_t work;
    bool started, stopping, persistent, is_default;
    unsigned refs; /* its handle, and those who wait for it */
    struct sim_task *head, *tail;
    uint64_t submitted, finished;
    uint64_t aborts;
    uint32_t is_interrupted; /* atomic: the task that runs is to end early */
    uint64_t failure_mode;
    uint64_t clock_ns;   /* simulated: the end of its last task */
    uint64_t subscriber; /* the thread that runs its callbacks; 0: none */
    aclError error;      /* the first since the last report */
    char error_text[SIM_TEXT];
};

/*
 * The stream of a handle, in the thread's current context; NULL is its default one. As
 * sim_current(), and ACL_ERROR_RT_INVALID_HANDLE, ACL_ERROR_RT_STREAM_CONTEXT. [locked]
 */
aclError sim_stream_get(const void *handle, struct sim_stream **out);
/*
 * *out is the context's until sim_stream_destroy(). `flags`: ACL_STREAM_PERSISTENT and others,
 * which are ignored. ACL_ERROR_RT_NO_STREAM_RESOURCE: the device has no more;
 * ACL_ERROR_BAD_ALLOC; ACL_ERROR_RT_RESOURCE_ALLOC_FAIL. [locked]
 */
aclError sim_stream_create(struct sim_context *context, bool is_default, uint32_t flags,
                           struct sim_stream **out);
/*
 * Waits for its tasks, or with `force` for the end of the one that runs, which comes early, and frees it when the last one who
 * waits for it has noticed. The handle is dead from the start. [locked, may wait]
 */
void sim_stream_destroy(struct sim_stream *stream, bool force);
/* Throws away the tasks that have not started, and ends the one that runs early. [locked] */
void sim_stream_discard(struct sim_stream *stream);
/*
 * Queues a task, which is the stream's then, also when this fails. A full queue makes the caller
 * wait, a persistent stream's is ACL_ERROR_RT_STREAM_TASK_FULL. ACL_ERROR_RT_STREAM_ABORT: the
 * stream was aborted or destroyed meanwhile. [locked, may wait]
 */
aclError sim_submit(struct sim_stream *stream, struct sim_task *task);
/*
 * Waits until all that is queued now has run, and returns the first failure of a task since the
 * last report. ACL_ERROR_RT_STREAM_SYNC_TIMEOUT: `deadline` of sim_now() has passed. [locked,
 * waits]
 */
aclError sim_stream_synchronize(struct sim_stream *stream, uint64_t deadline);
/* The same for every stream of a device; the first failure. [locked, waits] */
aclError sim_device_synchronize(struct sim_device *device, uint64_t deadline);

/* To be called when a device was paused or resumed: its streams look again. [locked] */
void sim_wake_device(struct sim_device *device);

/* Frees callbacks that no thread has run, for aclFinalize(). [locked] */
void sim_callbacks_free(void);

/* Destroys the events of a device, and returns how many there were. [locked] */
size_t sim_events_free(const struct sim_device *device);

#endif
