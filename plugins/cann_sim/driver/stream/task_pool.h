/* SPDX-License-Identifier: MIT */
/*
 * task_pool.h - memory of tasks that is kept for the next task of its kind: queueing what was
 * queued before allocates nothing. aclFinalize() gives it all back.
 */
#ifndef SIM_TASK_POOL_H
#define SIM_TASK_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct sim_task;

/* Tasks of one kind that are not in use. Static: `size` is set at its definition, the rest is 0. */
struct sim_task_pool {
    size_t size; /* bytes of a task, which begins with a struct sim_task */
    struct sim_task *unused;
    struct sim_task_pool *next; /* of all pools that were ever used */
    bool is_known;
};

/* A zeroed task, for sim_task_pool_put(); NULL: no memory. [locked] */
void *sim_task_pool_get(struct sim_task_pool *pool);
void sim_task_pool_put(struct sim_task_pool *pool, struct sim_task *unused); /* [locked] */
/*
 * Frees the tasks of all unused pools: all of them, once the streams are gone. [locked]
 */
void sim_task_pools_free(void);

#endif
