/* SPDX-License-Identifier: MIT */
/*
 * env.c - creates the process's environment; every further creation returns the same one.
 *
 * ONNX Runtime allows one OrtEnv for each process: later CreateEnv* calls add a reference, and
 * their settings are ignored (here with a warning).
 */

#include "config.h"

#include "ort/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/logger.h"
#include "ort/status.h"

/* The requested settings of an environment; all of them may be zero. */
struct ort_env_settings {
    OrtLoggingFunction log;
    void *log_param;
    int severity;
    const char *log_id;
    const OrtThreadingOptions *threads;
    const OrtKeyValuePairs *config;
};

/* The host's log callback. */
static void log_line(void *user, uint32_t level, const char *domain, const char *text)
{
    ort_env_log(user, ort_logger_severity(level), domain ? domain : "", text);
}

/* ---- life ------------------------------------------------------------------------------------ */

/* The host first: its threads may still log and use allocators. */
static void destroy(OrtEnv *env)
{
    if (!env)
        return;
    if (env->host)
        (void)bp_env_destroy(env->host, NULL);
    ort_shared_finish(&env->shared);
    if (env->devices)
        env->devices_destroy(env->devices);
    ort_keys_finish(&env->config);
    ort_workers_finish(&env->workers);
    bp_fork_mutex_destroy(&env->lock, &env->fork);
    free(env->log_id);
    free(env);
}

/* A pool of one thread is the caller's thread, so affinities are not parsed. */
static OrtStatus *read_workers(OrtEnv *env, const OrtThreadingOptions *threads)
{
    OrtStatus *status;

    env->workers.env = env;
    if (!threads || threads->intra_op == 1)
        return NULL;
    env->workers.create = threads->create_thread;
    env->workers.join = threads->join_thread;
    env->workers.options = threads->thread_options;
    status = threads->affinity ? ort_workers_read(&env->workers, threads->affinity) : NULL;
    return status ? status : ort_workers_check(&env->workers);
}

/* The refusal that programs look for is mapped as for sessions; see error_codes.c. */
static OrtStatus *host_failed(bp_rc rc, const struct ort_err *err)
{
    bool is_of_affinities = err->err.detail == BP_DETAIL_AFFINITY_COUNT;

    return ort_from(rc, err, is_of_affinities ? ORT_MAKING : ORT_OTHER, NULL);
}

static OrtStatus *open_host(OrtEnv *env, const struct ort_env_settings *settings)
{
    /* the host logs everything: UpdateEnvWithCustomLogLevel may lower the level later */
    bp_env_config config = {
        .struct_size = sizeof config, .log_level = BP_LOG_DEBUG, .log = log_line, .log_user = env};
    OrtStatus *status = read_workers(env, settings->threads);
    bp_worker_config workers;
    struct ort_err err;
    bp_rc rc;

    if (status)
        return status;
    if (settings->threads && settings->threads->intra_op > 0)
        config.threads = (uint32_t)settings->threads->intra_op;
    if (ort_workers_config(&env->workers, &workers))
        config.workers = &workers;
    rc = bp_env_create(&config, &env->host, ort_err_init(&err));
    return host_failed(rc, &err);
}

static OrtStatus *create(const struct ort_env_settings *settings, OrtEnv **out)
{
    OrtEnv *env = calloc(1, sizeof *env);
    OrtStatus *status;

    if (!env)
        return ort_no_memory();
    bp_fork_mutex_init(&env->lock, &env->fork);
    env->destroy = destroy;
    env->log = settings->log;
    env->log_param = settings->log_param;
    atomic_init(&env->severity, settings->severity);
    env->log_id = strdup(settings->log_id ? settings->log_id : "");
    if (!env->log_id || (settings->config && !ort_keys_copy(&env->config, settings->config)))
        status = ort_no_memory();
    else
        status = open_host(env, settings);
    if (status) {
        destroy(env);
        return status;
    }
    *out = env;
    return NULL;
}

/*
 * Warns about settings that have no effect, because the environment exists already. The level and
 * the name are in every call, so they don't count.
 */
static void warn_ignored(OrtEnv *env, const struct ort_env_settings *settings)
{
    bool has_log =
        settings->log && (settings->log != env->log || settings->log_param != env->log_param);
    char text[256];

    if (!settings->threads && !settings->config && !has_log)
        return;
    snprintf(text, sizeof text,
             "the process has an environment already, '%.40s':%s%s%s of a later one have no effect",
             env->log_id, settings->threads ? " thread options" : "",
             settings->config ? " configuration" : "", has_log ? " the log function" : "");
    ort_env_log(env, ORT_LOGGING_LEVEL_WARNING, "env", text);
}

static OrtStatus *acquire(const struct ort_env_settings *settings, OrtEnv **out)
{
    bool is_new;
    OrtStatus *status = ort_env_process_acquire(create, settings, out, &is_new);

    if (!status && !is_new)
        warn_ignored(*out, settings);
    return status;
}

/* For slots without an environment among their arguments, such as GetAvailableProviders. */
OrtStatus *ort_env_acquire(OrtEnv **out)
{
    struct ort_env_settings settings = {.severity = ORT_LOGGING_LEVEL_WARNING};

    return acquire(&settings, out);
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 1. */
OrtStatus *ort_CreateEnv(OrtLoggingLevel log_severity_level, const char *logid, OrtEnv **out)
{
    struct ort_env_settings settings = {.severity = (int)log_severity_level, .log_id = logid};

    ORT_NEED(out);
    return acquire(&settings, out);
}

/*
 * OrtApi since version 1: The log function is called by any thread; param must outlive the
 * environment.
 */
OrtStatus *ort_CreateEnvWithCustomLogger(OrtLoggingFunction logging_function, void *logger_param,
                                         OrtLoggingLevel log_severity_level, const char *logid,
                                         OrtEnv **out)
{
    return ort_CreateEnvWithCustomLoggerAndGlobalThreadPools(logging_function, logger_param,
                                                             log_severity_level, logid, NULL, out);
}

/* OrtApi since version 3: Sessions use the pool after DisablePerSessionThreads. */
OrtStatus *ort_CreateEnvWithGlobalThreadPools(OrtLoggingLevel log_severity_level, const char *logid,
                                              const OrtThreadingOptions *tp_options, OrtEnv **out)
{
    struct ort_env_settings settings = {
        .severity = (int)log_severity_level, .log_id = logid, .threads = tp_options};

    ORT_NEED(out);
    return acquire(&settings, out);
}

/* OrtApi since version 6. */
OrtStatus *ort_CreateEnvWithCustomLoggerAndGlobalThreadPools(
    OrtLoggingFunction logging_function, void *logger_param, OrtLoggingLevel log_severity_level,
    const char *logid, const OrtThreadingOptions *tp_options, OrtEnv **out)
{
    struct ort_env_settings settings = {.log = logging_function,
                                        .log_param = logger_param,
                                        .severity = (int)log_severity_level,
                                        .log_id = logid,
                                        .threads = tp_options};

    ORT_NEED(out);
    return acquire(&settings, out);
}

/* OrtApi since version 24: options->version tells which fields exist; 24 is the first. */
OrtStatus *ort_CreateEnvWithOptions(const OrtEnvCreationOptions *options, OrtEnv **out)
{
    struct ort_env_settings settings = {0};

    ORT_NEED(options);
    ORT_NEED(out);
    if (options->version < 24)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "CreateEnvWithOptions: version %u of the options; 24 is the oldest",
                        options->version);
    settings.log = options->custom_logging_function;
    settings.log_param = options->custom_logging_param;
    settings.severity = options->logging_severity_level;
    settings.log_id = options->log_id;
    settings.threads = options->threading_options;
    settings.config = options->config_entries;
    return acquire(&settings, out);
}

/*
 * OrtApi since version 1: The last reference destroys the host's environment; sessions hold
 * references, too.
 */
void ort_ReleaseEnv(OrtEnv *input)
{
    ort_env_release(input);
}

/* OrtApi since version 14. */
OrtStatus *ort_UpdateEnvWithCustomLogLevel(OrtEnv *ort_env, OrtLoggingLevel log_severity_level)
{
    ORT_NEED(ort_env);
    atomic_store(&ort_env->severity, (int)log_severity_level);
    return NULL;
}

/* OrtApi since version 1: There is no telemetry. */
OrtStatus *ort_EnableTelemetryEvents(const OrtEnv *env)
{
    (void)env;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_DisableTelemetryEvents(const OrtEnv *env)
{
    (void)env;
    return NULL;
}

/* OrtApi since version 5: Only telemetry would use the language. */
OrtStatus *ort_SetLanguageProjection(const OrtEnv *ort_env, OrtLanguageProjection projection)
{
    (void)ort_env;
    (void)projection;
    return NULL;
}
