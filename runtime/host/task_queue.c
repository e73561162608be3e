/* SPDX-License-Identifier: MIT */
/* task_queue.c - calls in the background, each on one of a few threads; the others wait. */

#include "config.h"

#include "host/task_queue.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/fork.h"

struct bp_task_queue {
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t wake;
    struct bp_task *first, **last;
    uint32_t n_waiting; /* tasks */
    uint32_t n_idle;    /* threads, those that were woken and have not looked yet included */
    uint32_t n_threads, most;
    bool stop;
    bool is_left; /* its owner is a task: the thread that runs it frees the queue */
    struct bp_fork_watch fork;
    pthread_t threads[];
};

static void release(struct bp_task_queue *queue)
{
    bp_fork_unwatch(&queue->fork);
    pthread_cond_destroy(&queue->wake);
    pthread_mutex_destroy(&queue->lock);
    free(queue);
}

/* In the child of a fork() there is no thread of it, and what waited is the parent's. */
static void begin_anew(void *u)
{
    struct bp_task_queue *queue = u;

    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->wake, NULL);
    queue->first = NULL;
    queue->last = &queue->first;
    queue->n_waiting = queue->n_idle = queue->n_threads = 0;
}

bp_rc bp_task_queue_create(uint32_t most, struct bp_task_queue **out, bp_err *err)
{
    struct bp_task_queue *queue = calloc(1, sizeof *queue + most * sizeof *queue->threads);

    *out = queue;
    if (!queue)
        return bp_fail_nomem(err, "a queue");
    queue->most = most;
    queue->last = &queue->first;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_cond_init(&queue->wake, NULL);
    bp_fork_watch(&queue->fork, begin_anew, queue);
    return BP_OK;
}

/* The next task, when there is one; NULL: the queue ends. With the lock. */
static struct bp_task *take(struct bp_task_queue *queue)
{
    struct bp_task *task;

    while (!queue->first && !queue->stop) {
        queue->n_idle++;
        pthread_cond_wait(&queue->wake, &queue->lock);
        queue->n_idle--;
    }
    task = queue->first;
    if (!task)
        return NULL;
    queue->first = task->next;
    if (!queue->first)
        queue->last = &queue->first;
    queue->n_waiting--;
    return task;
}

static void *thread_main(void *u)
{
    struct bp_task_queue *queue = u;
    struct bp_task *task;
    bool is_left;

    pthread_mutex_lock(&queue->lock);
    while ((task = take(queue))) {
        pthread_mutex_unlock(&queue->lock);
        task->run(task);
        pthread_mutex_lock(&queue->lock);
    }
    is_left = queue->is_left;
    pthread_mutex_unlock(&queue->lock);
    if (is_left)
        release(queue);
    return NULL;
}

bp_rc bp_task_queue_push(struct bp_task_queue *queue, struct bp_task *task, bp_err *err)
{
    bp_rc rc = BP_OK;
    int failed = 0;

    pthread_mutex_lock(&queue->lock);
    if (queue->n_waiting + 1 > queue->n_idle && queue->n_threads < queue->most) {
        failed = pthread_create(&queue->threads[queue->n_threads], NULL, thread_main, queue);
        queue->n_threads += failed == 0;
    }
    if (queue->n_threads == 0) {
        rc = bp_fail(err, BP_E_UNAVAILABLE, "no thread can be started: %s", strerror(failed));
    } else {
        task->next = NULL;
        *queue->last = task;
        queue->last = &task->next;
        queue->n_waiting++;
        pthread_cond_signal(&queue->wake);
    }
    pthread_mutex_unlock(&queue->lock);
    return rc;
}

void bp_task_queue_destroy(struct bp_task_queue *queue)
{
    uint32_t n_threads;
    bool is_inside = false;

    if (!queue)
        return;
    pthread_mutex_lock(&queue->lock);
    queue->stop = true;
    n_threads = queue->n_threads;
    for (uint32_t i = 0; i < n_threads; i++)
        is_inside |= pthread_equal(queue->threads[i], pthread_self()) != 0;
    pthread_cond_broadcast(&queue->wake);
    pthread_mutex_unlock(&queue->lock);
    for (uint32_t i = 0; i < n_threads; i++) {
        if (is_inside && pthread_equal(queue->threads[i], pthread_self()))
            pthread_detach(queue->threads[i]);
        else
            pthread_join(queue->threads[i], NULL);
    }
    if (!is_inside) {
        release(queue);
        return;
    }
    pthread_mutex_lock(&queue->lock);
    queue->is_left = true; /* all others have ended */
    pthread_mutex_unlock(&queue->lock);
}
