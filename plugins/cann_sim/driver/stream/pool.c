/* SPDX-License-Identifier: MIT */
/* pool.c - tasks and workspaces, used again. */
#include "stream/pool.h"

#include <stdlib.h>
#include <string.h>

#include "stream/stream.h"

enum { ALIGN = 64 };

/* ---- tasks ---------------------------------------------------------------------------------- */

static struct sim_pool *pools;

void *sim_pool_get(struct sim_pool *pool)
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

void sim_pool_put(struct sim_pool *pool, struct sim_task *unused)
{
    unused->next = pool->unused;
    pool->unused = unused;
}

static void empty(struct sim_pool *pool)
{
    while (pool->unused) {
        struct sim_task *task = pool->unused;

        pool->unused = task->next;
        free(task);
    }
}

/* ---- workspaces ----------------------------------------------------------------------------- */

struct sim_space {
    struct sim_space *next;
    size_t size;
    void *bytes;
};

/* As many as operators ever ran at a time. Of its own lock, as operators run without the world's. */
static struct {
    pthread_mutex_t lock;
    struct sim_space *unused;
} spaces = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The one that was put back last, and of those the first that is large enough, if there is one. */
static struct sim_space *take(size_t size)
{
    struct sim_space **at = &spaces.unused, *space;

    while (*at && (*at)->size < size)
        at = &(*at)->next;
    if (!*at)
        at = &spaces.unused;
    space = *at;
    if (space)
        *at = space->next;
    return space;
}

static void drop(struct sim_space *space)
{
    free(space->bytes);
    free(space);
}

struct sim_space *sim_space_get(size_t size)
{
    size_t rounded = (size + ALIGN - 1) / ALIGN * ALIGN;
    struct sim_space *space;

    pthread_mutex_lock(&spaces.lock);
    space = take(size);
    pthread_mutex_unlock(&spaces.lock);
    if (!space)
        space = calloc(1, sizeof *space);
    if (!space || space->size >= size)
        return space;
    free(space->bytes);
    space->bytes = rounded >= size ? aligned_alloc(ALIGN, rounded) : NULL;
    space->size = rounded;
    if (space->bytes)
        return space;
    drop(space);
    return NULL;
}

void *sim_space_bytes(struct sim_space *space)
{
    return space->bytes;
}

void sim_space_put(struct sim_space *space)
{
    if (!space)
        return;
    pthread_mutex_lock(&spaces.lock);
    space->next = spaces.unused;
    spaces.unused = space;
    pthread_mutex_unlock(&spaces.lock);
}

void sim_pools_end(void)
{
    for (struct sim_pool *pool = pools; pool; pool = pool->next)
        empty(pool);
    pthread_mutex_lock(&spaces.lock);
    while (spaces.unused) {
        struct sim_space *space = spaces.unused;

        spaces.unused = space->next;
        drop(space);
    }
    pthread_mutex_unlock(&spaces.lock);
}
