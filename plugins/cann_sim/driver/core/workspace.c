/* SPDX-License-Identifier: MIT */
/*
 * workspace.c - workspaces of operators, used again.
 *
 * Allocating one for each operator would make its time depend on the allocator, and tests check
 * that a repeated run allocates nothing.
 */
#include "core/workspace.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

/* Bytes: a cache line, and the widest vector. */
enum { ALIGN = 64 };

struct sim_workspace {
    struct sim_workspace *next;
    size_t size;
    void *bytes;
};

/*
 * As many as operators ever ran at a time. It has a lock of its own, as operators run without the
 * state's.
 */
static struct {
    pthread_mutex_t lock;
    struct sim_workspace *unused;
} spaces = {.lock = PTHREAD_MUTEX_INITIALIZER};

/*
 * The one that was put back last, if it is large enough, else the first one that is; else any, to
 * be enlarged. NULL: there is none.
 */
static struct sim_workspace *take(size_t size)
{
    struct sim_workspace **at = &spaces.unused, *space;

    while (*at && (*at)->size < size)
        at = &(*at)->next;
    if (!*at)
        at = &spaces.unused;
    space = *at;
    if (space)
        *at = space->next;
    return space;
}

static void drop(struct sim_workspace *space)
{
    free(space->bytes);
    free(space);
}

/* One that is too small loses its bytes and gets new ones; it never shrinks. */
struct sim_workspace *sim_workspace_get(size_t size)
{
    size_t rounded = (size + ALIGN - 1) / ALIGN * ALIGN;
    struct sim_workspace *space;

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

void *sim_workspace_bytes(struct sim_workspace *space)
{
    return space->bytes;
}

/* The last one in is the first one out: its bytes are likely to be in a cache. */
void sim_workspace_put(struct sim_workspace *space)
{
    if (!space)
        return;
    pthread_mutex_lock(&spaces.lock);
    space->next = spaces.unused;
    spaces.unused = space;
    pthread_mutex_unlock(&spaces.lock);
}

void sim_workspaces_free(void)
{
    pthread_mutex_lock(&spaces.lock);
    while (spaces.unused) {
        struct sim_workspace *space = spaces.unused;

        spaces.unused = space->next;
        drop(space);
    }
    pthread_mutex_unlock(&spaces.lock);
}
