/* SPDX-License-Identifier: MIT */
/* env.h - an environment: log, threads, providers, shared weights, default providers. */
#ifndef BP_HOST_ENV_H
#define BP_HOST_ENV_H

#include <stdatomic.h>

#include "host/registry.h"
#include "host/spec.h"
#include "host/settings.h"

struct bp_env {
    struct bp_log log;
    struct bp_pool *pool;
    struct bp_settings settings; /* as they were when it was created */
    bool strict;                   /* of every session: all providers are required */
    struct bp_registry registry;
    struct bp_weights *weights;
    pthread_mutex_t lock; /* of defaults */
    struct bp_spec_list defaults;
    atomic_uint children; /* models and sessions that need it */
};

/* One more, or one less, object that the environment must outlive. */
void bp_env_hold(struct bp_env *env);
void bp_env_release(struct bp_env *env);

#endif
