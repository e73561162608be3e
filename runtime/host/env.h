/* SPDX-License-Identifier: MIT */
/* env.h - an environment: log, threads, providers, shared weights, default providers. */
#ifndef BP_HOST_ENV_H
#define BP_HOST_ENV_H

#include <stdatomic.h>

#include "graph/custom.h"
#include "host/options/override.h"
#include "host/options/provider_spec.h"
#include "host/options/settings.h"
#include "host/registry.h"

struct bp_env {
    struct bp_log log;
    struct bp_pool *pool;
    struct bp_settings settings; /* as they were when it was created */
    bool strict;                 /* of every session: all providers are required */
    struct bp_override override; /* the user's settings, which override the program's */
    struct bp_registry registry;
    struct bp_shared_weights *weights;
    pthread_mutex_t lock; /* of defaults and operators */
    struct bp_spec_list defaults;
    struct bp_custom_list operators; /* of the application */
    atomic_uint children;            /* models and sessions that need it */
};

/* One more, or one less, object that the environment must outlive. */
void bp_env_hold(struct bp_env *env);
void bp_env_release(struct bp_env *env);

/*
 * The operators of a session: of its own sets (may be NULL), then the environment's. Finish the
 * table also after a failure.
 */
bp_rc bp_env_custom_table(struct bp_env *env, const struct bp_custom_list *own,
                          struct bp_custom_table *out, bp_err *err) BP_CHECKED;

#endif
