/* SPDX-License-Identifier: MIT */
/* pool.h - the thread pool of an environment, or of a session with its own. */
#ifndef BP_BASE_POOL_H
#define BP_BASE_POOL_H

#include "base/log.h"

struct bp_pool;

typedef void (*bp_pool_fn)(void *u, uint32_t i, uint32_t worker);

/* Threads that this process may use at once: its affinity mask, and its cgroup's quota rounded up. */
uint32_t bp_pool_cpus(void);

/*
 * CPUs that a process may use by the quotas of its control groups: the smallest, rounded up; 0: no
 * limit. `groups` is /proc/self/cgroup, `tree` the folder where cgroup v2, or the controllers of
 * v1, are mounted.
 */
uint32_t bp_pool_quota(const char *groups, const char *tree);

/*
 * A pool of `width` threads, the calling one included (0: bp_pool_cpus()). Workers start with the
 * first job that needs them. After a job they spin for 0.1 ms, then sleep.
 */
bp_rc bp_pool_create(uint32_t width, struct bp_pool **out, bp_err *err) BP_CHECKED;
/*
 * The same with threads of the application or with affinities; all start in this call. config and
 * log may be NULL. The config is copied; the log must outlive the pool, which reports failures of
 * threads there.
 */
bp_rc bp_pool_create_with(uint32_t width, const bp_worker_config *config, const struct bp_log *log,
                          struct bp_pool **out, bp_err *err) BP_CHECKED;
void bp_pool_destroy(struct bp_pool *pool); /* no job may be running; NULL is fine */
uint32_t bp_pool_width(const struct bp_pool *pool);

/*
 * Calls fn(u, i, worker) for each i < n on up to `limit` threads (0: all), with worker below that
 * number; returns when all calls have returned. [any thread] While the pool runs another job, and
 * in a job, all calls are made by the calling thread, as worker 0.
 */
void bp_pool_run(struct bp_pool *pool, uint32_t limit, uint32_t n, bp_pool_fn fn, void *u);

#endif
