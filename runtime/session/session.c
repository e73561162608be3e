/* SPDX-License-Identifier: MIT */
/* session.c - creating, describing and destroying sessions. */

#include "config.h"

#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "graph/without.h"
#include "host/options/provider_options.h"

/* CLOCK_MONOTONIC, in nanoseconds. */
static uint64_t now_ns(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* ---- life ------------------------------------------------------------------------------------ */

/* Creates the pool of a session that asks for threads of its own. */
static bp_rc make_pool(bp_session *session, bp_err *err)
{
    const struct bp_session_options *options = &session->options;
    uint32_t width = options->threads ? options->threads : bp_pool_width(session->env->pool);

    if (!options->workers)
        return BP_OK;
    return bp_pool_create_with(width, options->workers,
                               session->log.fn ? &session->log : &session->env->log, &session->pool,
                               err);
}

/* Creates the main engine and the ports; later engines find the same ports among their values. */
static bp_rc fill(bp_session *session, const bp_session_options *options, bp_err *err)
{
    struct bp_engine_config config;
    bp_rc rc;

    rc = bp_session_options_copy(&session->options, options, err);
    if (rc < 0)
        return rc;
    session->log = session->options.log;
    rc = make_pool(session, err);
    if (rc < 0)
        return rc;
    config = bp_session_engine_config(session, &session->options);
    config.is_session = true;
    return bp_session_make_ported(session, &config, &session->main, err);
}

/* In the child of a fork(): runs of other threads never return, and what they locked is open. */
static void forget_runs(void *u)
{
    bp_session *session = u;

    atomic_store(&session->running, 0);
    pthread_mutex_init(&session->lock, NULL);
}

/*
 * start_ns: when the caller's function began, so that create_ns includes the time of reading the
 * model.
 */
static bp_rc create(bp_env *env, struct bp_onnx *onnx, const bp_session_options *options,
                    uint64_t start_ns, bp_session **out, bp_err *err)
{
    bp_session *session = calloc(1, sizeof *session);
    bp_rc rc;

    if (!session)
        return bp_fail_nomem(err, "a session");
    session->env = env;
    session->onnx = bp_onnx_ref(onnx);
    pthread_mutex_init(&session->lock, NULL);
    bp_fork_watch(&session->fork, forget_runs, session);
    bp_env_hold(env);
    rc = fill(session, options, err);
    if (rc < 0) {
        bp_session_destroy(session);
        return rc;
    }
    session->create_ns = now_ns() - start_ns;
    *out = session;
    return BP_OK;
}

/* Opens the model's file, which all engines of the session share. */
bp_rc bp_session_create(bp_env *env, const char *path, const bp_session_options *options,
                        bp_session **out, bp_err *err)
{
    uint64_t start_ns = now_ns();
    struct bp_onnx *onnx;
    bp_rc rc;

    *out = NULL;
    if (!env || !path)
        return bp_fail(err, BP_E_INVALID, "a session needs an environment and a path");
    if (options)
        bp_progress_report(options->log.fn ? &options->log : &env->log, options->progress,
                           options->progress_user, "read", 0.0);
    rc = bp_onnx_open(path, &onnx, err);
    if (rc < 0)
        return rc;
    rc = create(env, onnx, options, start_ns, out, err);
    bp_onnx_unref(onnx);
    return rc;
}

bp_rc bp_session_create_from_model(bp_env *env, bp_model *model, const bp_session_options *options,
                                   bp_session **out, bp_err *err)
{
    *out = NULL;
    if (!env || !model)
        return bp_fail(err, BP_E_INVALID, "a session needs an environment and a model");
    return create(env, model->onnx, options, now_ns(), out, err);
}

/*
 * Waits until runs on other threads have returned; a sleep of 0.2 ms is short compared with a run.
 */
static void await_runs(bp_session *session)
{
    static const struct timespec pause = {.tv_nsec = 200000};

    while (atomic_load(&session->running) > 0)
        nanosleep(&pause, NULL);
}

/* Destroys variants before the main engine, because they write to its report. */
void bp_session_destroy(bp_session *session)
{
    if (!session)
        return;
    await_runs(session);
    bp_fork_unwatch(&session->fork);
    bp_session_drop_variants(session);
    bp_session_finish_ported(&session->main);
    bp_pool_destroy(session->pool);
    bp_ports_finish(&session->ports);
    bp_session_options_finish(&session->options);
    bp_onnx_unref(session->onnx);
    pthread_mutex_destroy(&session->lock);
    bp_env_release(session->env);
    free(session);
}

/*
 * Makes the new engine before the old one is destroyed: after a failure the session runs as before.
 * Both hold memory for a moment.
 */
bp_rc bp_session_set_providers(bp_session *session, const bp_session_options *options, bp_err *err)
{
    struct bp_session_options own;
    struct bp_ported fresh = {0};
    struct bp_engine_config config;
    bp_rc rc;

    rc = bp_session_options_copy(&own, options, err);
    if (rc >= 0 && atomic_load(&session->running) > 0)
        rc = bp_fail(err, BP_E_BUSY, "a run is in flight; providers can be set between runs only");
    if (rc >= 0) {
        config = bp_session_engine_config(session, &own);
        config.is_session = true;
        rc = bp_session_make_ported(session, &config, &fresh, err);
    }
    if (rc < 0) {
        bp_session_finish_ported(&fresh);
        bp_session_options_finish(&own);
        return rc;
    }
    bp_session_drop_variants(session);
    bp_session_finish_ported(&session->main);
    bp_session_options_finish(&session->options);
    session->main = fresh;
    session->options = own;
    return BP_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

uint32_t bp_session_input_count(const bp_session *session)
{
    return session->ports.n_inputs;
}

uint32_t bp_session_output_count(const bp_session *session)
{
    return session->ports.n_outputs;
}

/* Rows are those of the first engine, and live as long as the session. */
bp_rc bp_session_input(const bp_session *session, uint32_t i, bp_io_info *out, bp_err *err)
{
    if (i >= session->ports.n_inputs)
        return bp_fail(err, BP_E_INVALID, "the model has %u inputs, there is no input %u",
                       session->ports.n_inputs, i);
    return bp_give_out(out, &session->ports.inputs[i], err);
}

bp_rc bp_session_output(const bp_session *session, uint32_t i, bp_io_info *out, bp_err *err)
{
    if (i >= session->ports.n_outputs)
        return bp_fail(err, BP_E_INVALID, "the model has %u outputs, there is no output %u",
                       session->ports.n_outputs, i);
    return bp_give_out(out, &session->ports.outputs[i], err);
}

bp_rc bp_session_find_input(const bp_session *session, const char *name, uint32_t *out, bp_err *err)
{
    return bp_ports_find(session->ports.inputs, session->ports.n_inputs, "input", name, out, err);
}

bp_rc bp_session_find_output(const bp_session *session, const char *name, uint32_t *out,
                             bp_err *err)
{
    return bp_ports_find(session->ports.outputs, session->ports.n_outputs, "output", name, out,
                         err);
}

/* Returns provider i in order of priority, CPU last; NULL ends the list. */
const char *bp_session_provider(const bp_session *session, uint32_t i)
{
    const struct bp_provider_list *providers = &session->main.engine->providers;

    return i < providers->count ? providers->active[i]->name : NULL;
}

/*
 * Returns the present value, with the changes of set_option; the string lives until the next
 * change.
 */
const char *bp_session_provider_option(const bp_session *session, uint32_t i, uint32_t j,
                                       const char **value)
{
    const struct bp_provider_list *providers = &session->main.engine->providers;

    if (i >= providers->count || j >= providers->active[i]->n_options)
        return NULL;
    if (value)
        *value =
            bp_options_shown(providers->active[i]->provider, j, &providers->active[i]->options[j]);
    return providers->active[i]->options[j].key;
}

/* Lists the main engine's providers: variants have the same ones, unless one failed only there. */
const bp_report *bp_session_report(const bp_session *session)
{
    return session->main.engine->report;
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
        stats->frames++;
        stats->arena_bytes += bp_frame_state_bytes(frame, NULL);
        stats->device_bytes += bp_frame_state_device_bytes(frame, NULL);
        bp_engine_return_frame(engine, frame);
    }
}

/*
 * Takes idle frames out of their slots while they are counted, so that no run uses them meanwhile.
 */
bp_rc bp_session_get_stats(const bp_session *session, bp_session_stats *out, bp_err *err)
{
    bp_session_stats own = {
        .struct_size = sizeof own,
        .n_groups = session->main.engine->graph->n_programs,
        .runs = atomic_load(&session->runs),
        .crossings = atomic_load(&session->crossings),
        .host_waits = atomic_load(&session->host_waits),
        .create_ns = session->create_ns,
    };
    struct bp_engine *engine;

    for (uint32_t i = 0; (engine = bp_session_engine(session, i)) != NULL; i++)
        count_frames(engine, &own);
    return bp_give_out(out, &own, err);
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

/* What the provider holds beside frames. One that does not say, or fails to, holds nothing. */
static void count_instance(const struct bp_active *by, bp_memory_use *use)
{
    bp_instance_memory held = {.struct_size = sizeof held};
    int64_t shared = atomic_load(&by->services.weight_bytes);

    use->weight_bytes += shared > 0 ? (uint64_t)shared : 0;
    if (!by->provider->memory || by->provider->memory(by->instance, &held, NULL) < 0)
        return;
    use->weight_bytes += held.host_weights;
    use->cache_bytes += held.host_caches;
    use->own_weight_bytes += held.device_weights;
    use->own_cache_bytes += held.device_caches;
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
        use->pooled_bytes += bp_frame_state_bytes(frame, host);
        use->untouched_bytes += bp_frame_state_untouched(frame, host);
        if (by)
            use->own_pooled_bytes += bp_frame_state_device_bytes(frame, by);
        bp_engine_return_frame(engine, frame);
    }
}

/* Row i is provider i of the main engine; the row after the last is the host. */
bp_rc bp_session_get_memory(const bp_session *session, uint32_t i, bp_memory_use *out, bp_err *err)
{
    bp_memory_use own = {.struct_size = sizeof own};
    const struct bp_active *active;
    struct bp_engine *engine;

    if (!session)
        return bp_fail(err, BP_E_INVALID, "no session was given");
    if (i > session->main.engine->providers.count)
        return bp_fail(err, BP_E_INVALID,
                       "there is no row %u: the session has %u providers, and the host is row %u",
                       i, session->main.engine->providers.count,
                       session->main.engine->providers.count);
    own.provider = bp_session_provider(session, i);
    for (uint32_t k = 0; (engine = bp_session_engine(session, k)) != NULL; k++) {
        active = own.provider ? find_active(engine, own.provider) : NULL;
        if (active || !own.provider)
            count_use(engine, active, &own);
    }
    return bp_give_out(out, &own, err);
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
    for (uint32_t i = 0; (engine = bp_session_engine(session, i)) != NULL; i++)
        bytes += bp_engine_trim(engine);
    for (uint32_t i = 0; (engine = bp_session_engine(session, i)) != NULL; i++)
        trim_providers(engine);
    release_heap();
    if (freed)
        *freed = bytes;
    return BP_OK;
}
