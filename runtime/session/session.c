/* SPDX-License-Identifier: MIT */
/* session.c - creating, describing and destroying sessions. */

#include "config.h"

#include "session/session.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "graph/without.h"
#include "host/options/provider_options.h"
#include "session/background/called_back.h"

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

/*
 * Where the engine is made first and the session prepared after it: the engine's part of the whole.
 */
static const double made = 0.8;

/* The application's progress function, as long as the engine is only a part. */
struct part {
    bp_progress_fn fn;
    void *user;
};

/* Its end is not that of the whole. Called under bp_guard(). */
static void report_part(void *user, const char *phase, double fraction)
{
    const struct part *part = user;

    if (fraction < 1)
        part->fn(part->user, phase, made * fraction);
}

/* Makes an engine for options whose session is prepared once it has it. */
static bp_rc make_main(bp_session *session, const struct bp_session_options *options,
                       struct bp_ported *out, bp_err *err)
{
    struct bp_engine_config config = bp_session_engine_config(session, options);
    struct part part = {options->progress, options->progress_user};

    config.is_session = true;
    if (part.fn && options->shapes.count > 0) {
        config.progress = report_part;
        config.progress_user = &part;
    }
    return bp_session_make_ported(session, &config, out, err);
}

/* Prepares the session for the shapes in its options, which is the end of making it. */
static bp_rc prepare(bp_session *session, bp_err *err)
{
    bp_rc rc = BP_OK;

    if (session->options.shapes.count > 0) {
        rc = bp_session_prepare_created(session, made, err);
        if (rc >= 0)
            bp_progress_report(session->log.fn ? &session->log : &session->env->log,
                               session->options.progress, session->options.progress_user, "ready",
                               1.0);
    }
    session->options.progress = NULL; /* its user may end now; engines are made in runs, too */
    session->options.prepare.cancel = NULL;
    return rc;
}

/* Creates the main engine and the ports; later engines find the same ports among their values. */
static bp_rc fill(bp_session *session, const bp_session_options *options, bp_err *err)
{
    bp_rc rc;

    rc = bp_session_options_copy(&session->options, options, err);
    if (rc < 0)
        return rc;
    session->log = session->options.log;
    rc = make_pool(session, err);
    if (rc < 0)
        return rc;
    rc = make_main(session, &session->options, &session->main, err);
    return rc < 0 ? rc : prepare(session, err);
}

/* In the child of a fork(): runs of other threads never return, and what they locked is open. */
static void forget_runs(void *u)
{
    bp_session *session = u;

    atomic_store(&session->running, 0);
    pthread_mutex_init(&session->lock, NULL);
    pthread_mutex_init(&session->engines_lock, NULL);
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
    pthread_mutex_init(&session->engines_lock, NULL);
    atomic_store(&session->owners, 1);
    session->memory.whose = "session";
    session->memory.most = options ? options->memory_limit : 0;
    bp_fork_watch(&session->fork, forget_runs, session);
    bp_env_hold(env);
    rc = fill(session, options, err);
    if (rc < 0) {
        bp_session_destroy(session);
        return rc;
    }
    session->is_watched = bp_onnx_is_watched(onnx);
    rc = bp_onnx_check_fresh(onnx, true, err);
    if (rc < 0) {
        bp_session_destroy(session);
        return rc;
    }
    session->create_ns = now_ns() - start_ns;
    bp_session_enlist(session);
    *out = session;
    return BP_OK;
}

/* Opens the model's file, which all engines of the session share. */
bp_rc bp_session_create(bp_env *env, const char *path, const bp_session_options *options,
                        bp_session **out, bp_err *err)
{
    bp_model_source source = {.struct_size = sizeof source, .path = path};
    uint64_t start_ns = now_ns();
    struct bp_onnx *onnx;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (!env || !path)
        return bp_fail(err, BP_E_INVALID, "a session needs an environment and a path");
    if (!path[0])
        return bp_fail(err, BP_E_INVALID, "the path of the model is empty: name a file");
    if (options)
        bp_progress_report(options->log.fn ? &options->log : &env->log, options->progress,
                           options->progress_user, "read", 0.0);
    if (options && options->copy_files)
        source.flags = BP_SOURCE_COPY_FILES;
    rc = bp_onnx_open_source(&source, &onnx, err);
    if (rc < 0)
        return rc;
    rc = create(env, onnx, options, start_ns, out, err);
    bp_onnx_unref(onnx);
    return bp_done(err, rc);
}

bp_rc bp_session_create_from_model(bp_env *env, bp_model *model, const bp_session_options *options,
                                   bp_session **out, bp_err *err)
{
    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (!env || !model)
        return bp_fail(err, BP_E_INVALID, "a session needs an environment and a model");
    return bp_done(err, create(env, model->onnx, options, now_ns(), out, err));
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

bp_session *bp_session_retain(bp_session *session)
{
    if (session)
        atomic_fetch_add(&session->owners, 1);
    return session;
}

/* Destroys variants before the main engine, because they write to its report. */
void bp_session_destroy(bp_session *session)
{
    if (!session || atomic_fetch_sub(&session->owners, 1) > 1)
        return;
    if (!bp_called_back_may_destroy(session)) {
        atomic_store(&session->owners, 1);
        return;
    }
    bp_session_delist(session);
    await_runs(session);
    bp_fork_unwatch(&session->fork);
    bp_session_drop_variants(session);
    bp_session_finish_ported(&session->main);
    bp_pool_destroy(session->pool);
    bp_ports_finish(&session->ports);
    bp_session_options_finish(&session->options);
    bp_onnx_unref(session->onnx);
    pthread_mutex_destroy(&session->engines_lock);
    pthread_mutex_destroy(&session->lock);
    bp_env_release(session->env);
    free(session);
}

/* Exchanges the engine and the options of a session, between runs. */
static void exchange(bp_session *session, struct bp_ported *ported,
                     struct bp_session_options *options)
{
    struct bp_ported main = session->main;
    struct bp_session_options own = session->options;

    pthread_mutex_lock(&session->engines_lock);
    bp_session_drop_variants(session);
    session->main = *ported;
    session->options = *options;
    session->memory.most = options->memory_limit;
    pthread_mutex_unlock(&session->engines_lock);
    *ported = main;
    *options = own;
}

/*
 * Makes the new engine before the old one is destroyed: after a failure the session runs as before.
 * Both hold memory for a moment.
 */
bp_rc bp_session_set_providers(bp_session *session, const bp_session_options *options, bp_err *err)
{
    struct bp_session_options own;
    struct bp_ported other = {0};
    bp_rc rc;

    if (!session)
        return bp_fail_null(err, "the session");
    rc = bp_session_options_copy(&own, options, err);
    bp_state_list_finish(&own.states); /* what runs keep stays as it was at first */
    if (rc >= 0)
        rc = bp_state_list_copy(&own.states, &session->options.states, err);
    if (rc >= 0 && atomic_load(&session->running) > 0)
        rc = bp_fail(err, BP_E_BUSY, "a run is in flight; providers can be set between runs only");
    if (rc >= 0)
        rc = make_main(session, &own, &other, err);
    if (rc >= 0) {
        exchange(session, &other, &own);
        rc = prepare(session, err);
        if (rc < 0)
            exchange(session, &other, &own);
    }
    bp_session_finish_ported(&other); /* the old one; after a failure the new one */
    bp_session_options_finish(&own);
    return bp_done(err, rc);
}

/* ---- reading --------------------------------------------------------------------------------- */

uint32_t bp_session_input_count(const bp_session *session)
{
    if (!session)
        return 0;
    return session->ports.n_inputs;
}

uint32_t bp_session_output_count(const bp_session *session)
{
    if (!session)
        return 0;
    return session->ports.n_outputs;
}

/* Rows are those of the first engine, and live as long as the session. */
static bp_rc get_port(const bp_io_info *rows, uint32_t n, const char *what, uint32_t i,
                      bp_io_info *out, bp_err *err)
{
    if (i >= n)
        return bp_fail(err, BP_E_INVALID, "the model has %u %ss, there is no %s %u", n, what, what,
                       i);
    return bp_give_out(out, &rows[i], err);
}

bp_rc bp_session_input(const bp_session *session, uint32_t i, bp_io_info *out, bp_err *err)
{
    if (!session)
        return bp_fail_null(err, "the session");
    return bp_done(err,
                   get_port(session->ports.inputs, session->ports.n_inputs, "input", i, out, err));
}

bp_rc bp_session_output(const bp_session *session, uint32_t i, bp_io_info *out, bp_err *err)
{
    if (!session)
        return bp_fail_null(err, "the session");
    return bp_done(
        err, get_port(session->ports.outputs, session->ports.n_outputs, "output", i, out, err));
}

bp_rc bp_session_find_input(const bp_session *session, const char *name, uint32_t *out, bp_err *err)
{
    if (!session)
        return bp_fail_null(err, "the session");
    if (!name)
        return bp_fail_null(err, "the name");
    if (!out)
        return bp_fail_null(err, "out");
    return bp_done(err, bp_ports_find(session->ports.inputs, session->ports.n_inputs, "input", name,
                                      out, err));
}

bp_rc bp_session_find_output(const bp_session *session, const char *name, uint32_t *out,
                             bp_err *err)
{
    if (!session)
        return bp_fail_null(err, "the session");
    if (!name)
        return bp_fail_null(err, "the name");
    if (!out)
        return bp_fail_null(err, "out");
    return bp_done(err, bp_ports_find(session->ports.outputs, session->ports.n_outputs, "output",
                                      name, out, err));
}

/* Returns provider i in order of priority, CPU last; NULL ends the list. */
const char *bp_session_provider(const bp_session *session, uint32_t i)
{
    const struct bp_provider_list *providers = session ? &session->main.engine->providers : NULL;

    return providers && i < providers->count ? providers->active[i]->name : NULL;
}

/*
 * Returns the present value, with the changes of set_option; the string lives until the next
 * change.
 */
const char *bp_session_provider_option(const bp_session *session, uint32_t i, uint32_t j,
                                       const char **value)
{
    const struct bp_provider_list *providers = session ? &session->main.engine->providers : NULL;

    if (!providers || i >= providers->count || j >= providers->active[i]->n_options)
        return NULL;
    if (value)
        *value =
            bp_options_shown(providers->active[i]->provider, j, &providers->active[i]->options[j]);
    return providers->active[i]->options[j].key;
}

/* Lists the main engine's providers: variants have the same ones, unless one failed only there. */
const bp_report *bp_session_report(const bp_session *session)
{
    if (!session)
        return NULL;
    return session->main.engine->report;
}
