/* SPDX-License-Identifier: MIT */
/* env.c - the environment: every creation after the first gives the same one. */

#include "config.h"

#include "ort/env.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ort/logger.h"
#include "ort/status.h"

/* What an environment is made from; all of it may be zero. */
struct wish {
    OrtLoggingFunction log;
    void *log_param;
    int severity;
    const char *log_id;
    const OrtThreadingOptions *threads;
    const OrtKeyValuePairs *config;
};

static void log_line(void *user, uint32_t level, const char *domain, const char *text)
{
    ort_env_log(user, ort_logger_severity(level), domain ? domain : "", text);
}

/* ---- life ------------------------------------------------------------------------------------ */

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
    pthread_mutex_destroy(&env->lock);
    free(env->log_id);
    free(env);
}

/* Of one thread, the caller's, nothing is looked at. */
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

/* The one refusal of an environment that programs look for. */
static OrtStatus *host_failed(bp_rc rc, const struct ort_err *err)
{
    if (rc == BP_E_INVALID && strstr(err->text, " affinities for "))
        return ort_from(rc, err, ORT_MAKING, NULL);
    return ort_from(rc, err, ORT_OTHER, NULL);
}

static OrtStatus *open_host(OrtEnv *env, const struct wish *wish)
{
    /* all lines are asked for: the level may be changed later */
    bp_env_config config = {
        .struct_size = sizeof config, .log_level = BP_LOG_DEBUG, .log = log_line, .log_user = env};
    OrtStatus *status = read_workers(env, wish->threads);
    bp_worker_config workers;
    struct ort_err err;
    bp_rc rc;

    if (status)
        return status;
    if (wish->threads && wish->threads->intra_op > 0)
        config.threads = (uint32_t)wish->threads->intra_op;
    if (ort_workers_config(&env->workers, &workers))
        config.workers = &workers;
    rc = bp_env_create(&config, &env->host, ort_err_init(&err));
    return host_failed(rc, &err);
}

static OrtStatus *create(const struct wish *wish, OrtEnv **out)
{
    OrtEnv *env = calloc(1, sizeof *env);
    OrtStatus *status;

    if (!env)
        return ort_no_memory();
    pthread_mutex_init(&env->lock, NULL);
    env->destroy = destroy;
    env->log = wish->log;
    env->log_param = wish->log_param;
    atomic_init(&env->severity, wish->severity);
    env->log_id = strdup(wish->log_id ? wish->log_id : "");
    if (!env->log_id || (wish->config && !ort_keys_copy(&env->config, wish->config)))
        status = ort_no_memory();
    else
        status = open_host(env, wish);
    if (status) {
        destroy(env);
        return status;
    }
    *out = env;
    return NULL;
}

/* A level and a name are in every call; who gives more wants it to count. */
static void tell_late(OrtEnv *env, const struct wish *wish)
{
    bool has_log = wish->log && (wish->log != env->log || wish->log_param != env->log_param);
    char text[256];

    if (!wish->threads && !wish->config && !has_log)
        return;
    snprintf(text, sizeof text,
             "the process has an environment already, '%.40s':%s%s%s of a later one have no effect",
             env->log_id, wish->threads ? " thread options" : "",
             wish->config ? " configuration" : "", has_log ? " the log function" : "");
    ort_env_log(env, ORT_LOGGING_LEVEL_WARNING, "env", text);
}

static OrtStatus *acquire(const struct wish *wish, OrtEnv **out)
{
    OrtStatus *status = NULL;
    bool is_late;

    pthread_mutex_lock(&ort_env_process.lock);
    is_late = ort_env_process.env != NULL;
    if (!is_late)
        status = create(wish, &ort_env_process.env);
    if (!status) {
        ort_env_process.env->refs++;
        *out = ort_env_process.env;
    }
    pthread_mutex_unlock(&ort_env_process.lock);
    if (is_late)
        tell_late(*out, wish);
    return status;
}

OrtStatus *ort_env_acquire(OrtEnv **out)
{
    struct wish wish = {.severity = ORT_LOGGING_LEVEL_WARNING};

    return acquire(&wish, out);
}

/* ---- slots ----------------------------------------------------------------------------------- */

OrtStatus *ort_CreateEnv(OrtLoggingLevel log_severity_level, const char *logid, OrtEnv **out)
{
    struct wish wish = {.severity = (int)log_severity_level, .log_id = logid};

    ORT_NEED(out);
    return acquire(&wish, out);
}

OrtStatus *ort_CreateEnvWithCustomLogger(OrtLoggingFunction logging_function, void *logger_param,
                                         OrtLoggingLevel log_severity_level, const char *logid,
                                         OrtEnv **out)
{
    return ort_CreateEnvWithCustomLoggerAndGlobalThreadPools(logging_function, logger_param,
                                                             log_severity_level, logid, NULL, out);
}

OrtStatus *ort_CreateEnvWithGlobalThreadPools(OrtLoggingLevel log_severity_level, const char *logid,
                                              const OrtThreadingOptions *tp_options, OrtEnv **out)
{
    struct wish wish = {
        .severity = (int)log_severity_level, .log_id = logid, .threads = tp_options};

    ORT_NEED(out);
    return acquire(&wish, out);
}

OrtStatus *ort_CreateEnvWithCustomLoggerAndGlobalThreadPools(
    OrtLoggingFunction logging_function, void *logger_param, OrtLoggingLevel log_severity_level,
    const char *logid, const OrtThreadingOptions *tp_options, OrtEnv **out)
{
    struct wish wish = {.log = logging_function,
                        .log_param = logger_param,
                        .severity = (int)log_severity_level,
                        .log_id = logid,
                        .threads = tp_options};

    ORT_NEED(out);
    return acquire(&wish, out);
}

OrtStatus *ort_CreateEnvWithOptions(const OrtEnvCreationOptions *options, OrtEnv **out)
{
    struct wish wish = {0};

    ORT_NEED(options);
    ORT_NEED(out);
    if (options->version < 24)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "CreateEnvWithOptions: version %u of the options; 24 is the oldest",
                        options->version);
    wish.log = options->custom_logging_function;
    wish.log_param = options->custom_logging_param;
    wish.severity = options->logging_severity_level;
    wish.log_id = options->log_id;
    wish.threads = options->threading_options;
    wish.config = options->config_entries;
    return acquire(&wish, out);
}

void ort_ReleaseEnv(OrtEnv *input)
{
    ort_env_release(input);
}

OrtStatus *ort_UpdateEnvWithCustomLogLevel(OrtEnv *ort_env, OrtLoggingLevel log_severity_level)
{
    ORT_NEED(ort_env);
    atomic_store(&ort_env->severity, (int)log_severity_level);
    return NULL;
}

/* There is no telemetry to switch, and no language of the caller matters. */
OrtStatus *ort_EnableTelemetryEvents(const OrtEnv *env)
{
    (void)env;
    return NULL;
}

OrtStatus *ort_DisableTelemetryEvents(const OrtEnv *env)
{
    (void)env;
    return NULL;
}

OrtStatus *ort_SetLanguageProjection(const OrtEnv *ort_env, OrtLanguageProjection projection)
{
    (void)ort_env;
    (void)projection;
    return NULL;
}
