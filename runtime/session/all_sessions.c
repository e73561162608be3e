/* SPDX-License-Identifier: MIT */
/* all_sessions.c - the list of an environment's sessions, and what is done with all of them. */

#include "config.h"

#include "session/session.h"

#include "host/env.h"

void bp_session_enlist(bp_session *session)
{
    bp_env *env = session->env;

    pthread_mutex_lock(&env->lock);
    session->next = env->sessions;
    if (env->sessions)
        env->sessions->previous = session;
    env->sessions = session;
    pthread_mutex_unlock(&env->lock);
}

/* A session whose creation failed is in no list. */
void bp_session_delist(bp_session *session)
{
    bp_env *env = session->env;

    pthread_mutex_lock(&env->lock);
    if (env->sessions == session)
        env->sessions = session->next;
    if (session->previous)
        session->previous->next = session->next;
    if (session->next)
        session->next->previous = session->previous;
    session->next = session->previous = NULL;
    pthread_mutex_unlock(&env->lock);
}

/* One more owner, unless the last one's part ended already: then the session is being destroyed. */
static bool try_retain(bp_session *session)
{
    unsigned owners = atomic_load(&session->owners);

    while (owners > 0 && !atomic_compare_exchange_weak(&session->owners, &owners, owners + 1))
        continue;
    return owners > 0;
}

/*
 * The session after `last` (NULL: the first) that lives, owned by the caller, whose part in `last`
 * ends. The lock is not held while a session is worked on, as that may take long.
 */
static bp_session *next_session(bp_env *env, bp_session *last)
{
    bp_session *next;

    pthread_mutex_lock(&env->lock);
    next = last ? last->next : env->sessions;
    while (next && !try_retain(next))
        next = next->next;
    pthread_mutex_unlock(&env->lock);
    bp_session_destroy(last);
    return next;
}

static void add_session(bp_env_stats *sum, const bp_session *session)
{
    bp_session_stats stats = {.struct_size = sizeof stats};

    if (bp_session_get_stats(session, &stats, NULL) < 0)
        return; /* cannot be: the struct has its size */
    sum->n_sessions++;
    sum->held_bytes += stats.held_bytes;
    sum->idle_bytes += stats.idle_bytes;
    sum->device_bytes += stats.device_bytes;
    sum->runs += stats.runs;
}

bp_rc bp_env_get_stats(bp_env *env, bp_env_stats *out, bp_err *err)
{
    bp_env_stats own = {.struct_size = sizeof own};
    uint64_t all;

    if (!env)
        return bp_fail(err, BP_E_INVALID, "statistics need an environment");
    for (bp_session *session = next_session(env, NULL); session;
         session = next_session(env, session)) {
        bp_session_count_rest(session);
        add_session(&own, session);
    }
    own.memory_limit = env->memory.most;
    own.peak_bytes = atomic_load(&env->memory.held.peak);
    all = atomic_load(&env->memory.held.held);
    own.beside_bytes = all > own.held_bytes ? all - own.held_bytes : 0;
    return bp_done(err, bp_give_out(out, &own, err));
}

bp_rc bp_env_trim(bp_env *env, uint64_t *freed, bp_err *err)
{
    uint64_t all = 0, bytes;

    if (!env)
        return bp_fail(err, BP_E_INVALID, "there is no environment to trim");
    for (bp_session *session = next_session(env, NULL); session;
         session = next_session(env, session)) {
        if (bp_session_trim(session, &bytes, NULL) >= 0)
            all += bytes;
    }
    if (freed)
        *freed = all;
    return bp_done(err, BP_OK);
}
