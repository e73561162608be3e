/* SPDX-License-Identifier: MIT */
/*
 * task_pool.c - memory of tasks, used again. A pool registers itself at its first use, so that
 * sim_task_pools_free() finds them all without knowing the kinds of tasks.
 */
#include "stream/task_pool.h"

#include <stdlib.h>
#include <string.h>

#include "stream/stream.h"

static struct sim_task_pool *pools;

/* Zeroed, also when it was used before. */
void *sim_task_pool_get(struct sim_task_pool *pool)
{
    struct sim_task *task = pool->unused;

    if (!pool->is_known) {
        pool->is_known = true;
        pool->next = pools;
        pools = pool;
    }
    if (!task)
        return calloc(1, pool->size);
    pool->unused = task->next;
    return memset(task, 0, pool->size);
}

void sim_task_pool_put(struct sim_task_pool *pool, struct sim_task *unused)
{
    unused->next = pool->unused;
    pool->unused = unused;
}

/* Frees the tasks of one pool that are not in use. */
static void empty(struct sim_task_pool *pool)
{
    while (pool->unused) {
        struct sim_task *task = pool->unused;

        pool->unused = task->next;
        free(task);
    }
}

void sim_task_pools_free(void)
{
    for (struct sim_task_pool *pool = pools; pool; pool = pool->next)
        empty(pool);
}
