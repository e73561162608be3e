/* SPDX-License-Identifier: MIT */
/* stream.h - queues of tasks, each with a thread, and events. */
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

enum sim_busy { SIM_BUSY_NOT, SIM_BUSY_OPERATOR, SIM_BUSY_COPY };

/* The head of each kind of task. */
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
    uint64_t failure_mode;
    uint64_t clock_ns;   /* simulated: the end of its last task */
    uint64_t subscriber; /* the thread that runs its callbacks; 0: none */
    aclError error;      /* the first since it was last told */
    char error_text[SIM_TEXT];
};

/* The stream of a handle, in the thread's current context; NULL is its default one. [locked] */
aclError sim_stream_get(const void *handle, struct sim_stream **out);
aclError sim_stream_create(struct sim_context *context, bool is_default, uint32_t flags,
                           struct sim_stream **out); /* [locked] */
/* Waits for its tasks, or drops them. The handle is dead from the start. [locked, may wait] */
void sim_stream_destroy(struct sim_stream *stream, bool force);
/* Drops what has not started. [locked] */
void sim_stream_discard(struct sim_stream *stream);
/* Queues; takes the task even when it fails. Waits while the queue is full. [locked, may wait] */
aclError sim_submit(struct sim_stream *stream, struct sim_task *task);
/* Waits until all that is queued now has run, and returns the first failure. [locked, waits] */
aclError sim_stream_synchronize(struct sim_stream *stream, uint64_t deadline);
/* Every stream of a device. [locked, waits] */
aclError sim_device_synchronize(struct sim_device *device, uint64_t deadline);

/* The device was paused or resumed: its streams look again. [locked] */
void sim_wake_device(struct sim_device *device);

/* Forgets callbacks that no thread ran. [locked] */
void sim_callbacks_free(void);

/* Frees events of a device; returns how many. [locked] */
size_t sim_events_free(const struct sim_device *device);

#endif
