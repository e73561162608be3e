/* SPDX-License-Identifier: MIT */
/* env.h - an environment: log, threads, providers, shared weights, default providers. */
#ifndef BP_HOST_ENV_H
#define BP_HOST_ENV_H

#include <stdatomic.h>

#include "base/fork.h"
#include "base/memory.h"
#include "graph/custom.h"
#include "host/options/default_providers.h"
#include "host/options/override.h"
#include "host/options/provider_spec.h"
#include "host/options/settings.h"
#include "host/registry.h"
#include "host/task_queue.h"

struct bp_env {
    struct bp_log log;
    struct bp_pool *pool;
    struct bp_task_queue *tasks; /* runs in the background */
    struct bp_settings settings; /* as they were when it was created */
    bool strict;                 /* of every session: all providers are required */
    struct bp_default_providers
        default_providers;       /* of sessions for which the program names none */
    struct bp_override override; /* the user's settings, which override the program's */
    struct bp_registry registry;
    struct bp_shared_weights *weights;
    pthread_mutex_t lock; /* of defaults, operators and the list of sessions */
    struct bp_fork_watch fork;
    bool is_torn; /* the child of a fork() while another thread was changing it */
    struct bp_spec_list defaults;
    struct bp_custom_list operators; /* of the application */
    atomic_uint children;            /* models and sessions that need it */
    struct bp_session *sessions;     /* all of them; see session/all_sessions.c */
    struct bp_memory_limit memory;   /* that they hold together */
};

/* One more, or one less, object that the environment must outlive. */
void bp_env_hold(struct bp_env *env);
void bp_env_release(struct bp_env *env);

bp_rc bp_env_fail_fork(bp_err *err) BP_CHECKED;
/*
 * BP_E_UNAVAILABLE: this is the child of a fork() during which another thread was opening a
 * provider, making a session or changing the lists of this environment. What that thread left may
 * be half of a change, so nothing of the environment is used but by runs of sessions. BP_E_INVALID:
 * env is NULL. [any thread]
 */
static inline bp_rc bp_env_check_fork(const struct bp_env *env, bp_err *err)
{
    if (!env)
        return bp_fail_null(err, "the environment");
    return env->is_torn ? bp_env_fail_fork(err) : BP_OK;
}

/*
 * The operators of a session: of its own sets (may be NULL), then the environment's. Finish the
 * table also after a failure.
 */
bp_rc bp_env_custom_table(struct bp_env *env, const struct bp_custom_list *own,
                          struct bp_custom_table *out, bp_err *err) BP_CHECKED;

#endif
