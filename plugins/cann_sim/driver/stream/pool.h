/* SPDX-License-Identifier: MIT */
/*
 * pool.h - memory that is kept for the next one who needs as much: queueing what was queued before,
 * and running it, allocates nothing. All of it goes with aclFinalize().
 */
#ifndef SIM_POOL_H
#define SIM_POOL_H

#include <stdbool.h>
#include <stddef.h>

struct sim_task;

/* Tasks of one kind, `size` bytes each, that are not in use; the rest starts as zeros. */
struct sim_pool {
    size_t size;
    struct sim_task *unused;
    struct sim_pool *next; /* of all that were ever asked */
    bool is_known;
};

void *sim_pool_get(struct sim_pool *pool);                         /* zeroed; NULL [locked] */
void sim_pool_put(struct sim_pool *pool, struct sim_task *unused); /* [locked] */

/* Bytes to work in, for as long as an operator runs; NULL: no memory. Any thread, lock or not. */
struct sim_space *sim_space_get(size_t size);
void *sim_space_bytes(struct sim_space *space); /* at a multiple of 64 */
void sim_space_put(struct sim_space *space);

/* Gives back what nobody uses: all of it, once the streams are gone. [locked] */
void sim_pools_end(void);

#endif
