/* SPDX-License-Identifier: MIT */
/* session_memory.c - what a session holds, counted, and given back between runs. */

#include "config.h"

#include "session/session.h"

#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* While it is held, bp_session_set_providers() does not replace what is counted. */
static void lock_engines(const bp_session *session)
{
    pthread_mutex_lock((pthread_mutex_t *)(uintptr_t)&session->engines_lock);
}

static void unlock_engines(const bp_session *session)
{
    pthread_mutex_unlock((pthread_mutex_t *)(uintptr_t)&session->engines_lock);
}

/*
 * Adds up the bytes of all frames, and those of idle ones. Frames in a run are not looked into,
 * because another thread is using them.
 */
static void count_frames(struct bp_engine *engine, bp_session_stats *stats)
{
    stats->held_bytes += atomic_load(&engine->memory.all.held);
    stats->peak_bytes += atomic_load(&engine->memory.all.peak);
    for (int i = 0; i < BP_IDLE_FRAMES; i++) {
        struct bp_frame_state *frame = atomic_exchange(&engine->idle[i], NULL);

        if (!frame)
            continue;
        stats->idle_frames++;
        stats->idle_bytes += bp_frame_state_bytes(frame, NULL);
        stats->device_bytes += bp_frame_state_device_bytes(frame, NULL);
        bp_engine_return_frame(engine, frame);
    }
}

/*
 * Takes idle frames out of their slots while they are counted, so that no run uses them meanwhile.
 */
bp_rc bp_session_get_stats(const bp_session *session, bp_session_stats *out, bp_err *err)
{
    bp_session_stats own = {.struct_size = sizeof own};
    struct bp_engine *engine;

    if (!session)
        return bp_fail_null(err, "the session");
    own.runs = atomic_load(&session->runs);
    own.crossings = atomic_load(&session->crossings);
    own.host_waits = atomic_load(&session->host_waits);
    own.create_ns = session->create_ns;
    lock_engines(session);
    own.n_groups = session->main.engine->graph->n_programs;
    for (uint32_t i = 0; (engine = bp_session_engine(session, i)) != NULL; i++)
        count_frames(engine, &own);
    unlock_engines(session);
    return bp_done(err, bp_give_out(out, &own, err));
}

/* ---- memory by provider ---------------------------------------------------------------------- */

/*
 * Looks the provider up by name in each engine, because engines of a session may have dropped
 * different ones.
 */
static const struct bp_active *find_active(const struct bp_engine *engine, const char *name)
{
    for (uint32_t i = 0; i < engine->providers.count; i++) {
        if (strcmp(engine->providers.active[i]->name, name) == 0)
            return engine->providers.active[i];
    }
    return NULL;
}

/* What the provider holds beside frames. */
static void count_instance(const struct bp_active *by, bp_memory_use *use)
{
    struct bp_held_beside held = bp_active_held(by);

    use->weight_bytes += held.weights;
    use->cache_bytes += held.caches;
    use->own_weight_bytes += held.own_weights;
    use->own_cache_bytes += held.own_caches;
}

/*
 * Adds up what an engine's frames hold for a provider or (NULL) for the host; the bytes of idle
 * frames are counted in them.
 */
static void count_use(struct bp_engine *engine, const struct bp_active *by, bp_memory_use *use)
{
    const struct bp_memory *host = by ? &by->memory->host : &engine->memory.host_ops;

    use->held_bytes += atomic_load(&host->held);
    use->peak_bytes += atomic_load(&host->peak);
    if (by) {
        use->own_held_bytes += atomic_load(&by->memory->own.held);
        use->own_peak_bytes += atomic_load(&by->memory->own.peak);
        count_instance(by, use);
    }
    for (int i = 0; i < BP_IDLE_FRAMES; i++) {
        struct bp_frame_state *frame = atomic_exchange(&engine->idle[i], NULL);

        if (!frame)
            continue;
        use->idle_bytes += bp_frame_state_bytes(frame, host);
        use->untouched_bytes += bp_frame_state_untouched(frame, host);
        if (by)
            use->own_idle_bytes += bp_frame_state_device_bytes(frame, by);
        bp_engine_return_frame(engine, frame);
    }
}

/* Row i is provider i of the main engine; the row after the last is the host. */
static bp_rc get_row(const bp_session *session, uint32_t i, bp_memory_use *out, bp_err *err)
{
    bp_memory_use own = {.struct_size = sizeof own};
    const struct bp_active *active;
    struct bp_engine *engine;

    own.provider = bp_session_provider(session, i);
    for (uint32_t k = 0; (engine = bp_session_engine(session, k)) != NULL; k++) {
        active = own.provider ? find_active(engine, own.provider) : NULL;
        if (active || !own.provider)
            count_use(engine, active, &own);
    }
    return bp_give_out(out, &own, err);
}

bp_rc bp_session_get_memory(const bp_session *session, uint32_t i, bp_memory_use *out, bp_err *err)
{
    uint32_t n;
    bp_rc rc;

    if (!session)
        return bp_fail(err, BP_E_INVALID, "no session was given");
    lock_engines(session);
    n = session->main.engine->providers.count;
    if (i > n)
        rc = bp_fail(err, BP_E_INVALID,
                     "there is no row %u: the session has %u providers, and the host is row %u", i,
                     n, n);
    else
        rc = get_row(session, i, out, err);
    unlock_engines(session);
    return bp_done(err, rc);
}

void bp_session_count_rest(bp_session *session)
{
    struct bp_engine *engine;

    lock_engines(session);
    for (uint32_t i = 0; (engine = bp_session_engine(session, i)) != NULL; i++)
        bp_memory_count_rest(&engine->memory);
    unlock_engines(session);
}

/* glibc keeps what was freed in the middle of its heaps, tens of MB after many shapes. */
static void release_heap(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

/* After frames are gone, as these may be what providers keep memory for. */
static void trim_providers(const struct bp_engine *engine)
{
    for (uint32_t i = 0; i < engine->providers.count; i++) {
        const struct bp_active *active = engine->providers.active[i];

        if (active->provider->trim)
            active->provider->trim(active->instance);
    }
}

/* Frees the idle frames; frames in a run are not touched. */
bp_rc bp_session_trim(bp_session *session, uint64_t *freed, bp_err *err)
{
    struct bp_engine *engine;
    uint64_t bytes = 0;

    if (!session)
        return bp_fail(err, BP_E_INVALID, "there is no session to trim");
    lock_engines(session);
    for (uint32_t i = 0; (engine = bp_session_engine(session, i)) != NULL; i++)
        bytes += bp_engine_trim(engine);
    for (uint32_t i = 0; (engine = bp_session_engine(session, i)) != NULL; i++) {
        trim_providers(engine);
        bp_memory_count_rest(&engine->memory);
    }
    unlock_engines(session);
    release_heap();
    if (freed)
        *freed = bytes;
    return bp_done(err, BP_OK);
}
