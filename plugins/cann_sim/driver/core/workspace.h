/* SPDX-License-Identifier: MIT */
/*
 * workspace.h - host memory that a simulated operator works in, kept for the next one that needs as
 * much: running what ran before allocates nothing. aclFinalize() gives it all back.
 */
#ifndef SIM_WORKSPACE_H
#define SIM_WORKSPACE_H

#include <stddef.h>

struct sim_workspace;

/*
 * At least `size` bytes, for sim_workspace_put(); NULL: no memory. Any thread, with the lock or
 * not.
 */
struct sim_workspace *sim_workspace_get(size_t size);
/* The bytes, at a multiple of 64; not zeroed. */
void *sim_workspace_bytes(struct sim_workspace *space);
void sim_workspace_put(struct sim_workspace *space); /* NULL is fine */
/* Frees all that are not in use. Any thread. */
void sim_workspaces_free(void);

#endif
