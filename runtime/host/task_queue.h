/* SPDX-License-Identifier: MIT */
/* task_queue.h - calls in the background, each on one of a few threads; the others wait. */
#ifndef BP_HOST_TASK_QUEUE_H
#define BP_HOST_TASK_QUEUE_H

#include "base/status.h"

struct bp_task_queue;

/* A call. It is the caller's, who may free it in run(). */
struct bp_task {
    void (*run)(struct bp_task *task);
    struct bp_task *next; /* the queue's */
};

/*
 * A queue with up to `most` threads, which start when tasks need them and stay. Tasks begin in the
 * order in which they came. In the child of a fork() it is empty, and starts threads anew.
 */
bp_rc bp_task_queue_create(uint32_t most, struct bp_task_queue **out, bp_err *err) BP_CHECKED;
/*
 * Ends the threads once no task waits. May be called in a task: then its own thread ends after it.
 * NULL is fine.
 */
void bp_task_queue_destroy(struct bp_task_queue *queue);
/* BP_E_UNAVAILABLE: no thread can be started; run() is not called then. [any thread] */
bp_rc bp_task_queue_push(struct bp_task_queue *queue, struct bp_task *task, bp_err *err) BP_CHECKED;

#endif
