/* SPDX-License-Identifier: MIT */
/* pool.h - the one team of threads of an environment. */
#ifndef BP_BASE_POOL_H
#define BP_BASE_POOL_H

#include "base/log.h"

struct bp_pool;

typedef void (*bp_pool_fn)(void *u, uint32_t i, uint32_t worker);

/* Threads that this process may use at once: its affinity mask, and its cgroup's quota rounded up. */
uint32_t bp_pool_cpus(void);

/*
 * Processors' worth of time that a process may use: the tightest quota of its control groups, rounded
 * up; 0 for no limit. `groups` is /proc/self/cgroup, `tree` where they are mounted, the unified
 * hierarchy or the old ones, whose controller is "cpu".
 */
uint32_t bp_pool_quota(const char *groups, const char *tree);

/*
 * A team of `width` threads, the caller included (0: bp_pool_cpus()). Threads start at the first
 * job that wants them. Workers spin for a bounded time after a job, then sleep.
 */
bp_rc bp_pool_create(uint32_t width, struct bp_pool **out, bp_err *err) BP_CHECKED;
/*
 * The same with threads of the application, or pinned ones, which all start here; config and log may be
 * NULL. What the config has is copied, the log has to stay: it gets what becomes of threads.
 */
bp_rc bp_pool_create_with(uint32_t width, const bp_worker_config *config, const struct bp_log *log,
                          struct bp_pool **out, bp_err *err) BP_CHECKED;
void bp_pool_destroy(struct bp_pool *pool); /* no job may be running; NULL is fine */
uint32_t bp_pool_width(const struct bp_pool *pool);

/*
 * Calls fn(u, i, worker) for each i < n on up to `limit` threads (0: all of them), worker < that
 * number; returns when all calls have returned. Any thread may call; while the team is at another
 * caller's job, or from within a job, everything runs on the calling thread, as worker 0.
 */
void bp_pool_run(struct bp_pool *pool, uint32_t limit, uint32_t n, bp_pool_fn fn, void *u);

#endif
