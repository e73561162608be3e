/* SPDX-License-Identifier: MIT */
/*
 * env_process.c - the one environment of a process: its references, and its log.
 *
 * ONNX Runtime's API has one OrtEnv for each process: CreateEnv must find the one that is there, and
 * gets no handle by which it could. So it is state of the process, the only one of this library. It
 * can't be with that of libbackplane (host/load/loader.c), because ort/ includes sdk/ and base/ alone.
 */

#include "config.h"

#include <stdio.h>

#include "base/guard.h"
#include "ort/env.h"
#include "ort/logger.h"

static struct {
    pthread_mutex_t lock;      /* of env and its refs */
    OrtEnv *env;               /* NULL: none yet, or none any more */
    struct bp_fork_watch fork; /* of the lock */
} process = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void watch_forks(void)
{
    bp_fork_watch(&process.fork, bp_fork_open_mutex, &process.lock);
}

/* ---- references ------------------------------------------------------------------------------ */

OrtStatus *
ort_env_process_acquire(OrtStatus *(*create)(const struct ort_env_settings *settings, OrtEnv **out),
                        const struct ort_env_settings *settings, OrtEnv **out, bool *is_new)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    OrtStatus *status = NULL;

    (void)pthread_once(&once, watch_forks);
    pthread_mutex_lock(&process.lock);
    *is_new = !process.env;
    if (*is_new)
        status = create(settings, &process.env);
    if (!status) {
        process.env->refs++;
        *out = process.env;
    }
    pthread_mutex_unlock(&process.lock);
    return status;
}

OrtEnv *ort_env_retain(OrtEnv *env)
{
    pthread_mutex_lock(&process.lock);
    env->refs++;
    pthread_mutex_unlock(&process.lock);
    return env;
}

/*
 * The environment is taken out under the lock and destroyed after it, so that its log function may
 * call back.
 */
void ort_env_release(OrtEnv *env)
{
    OrtEnv *last = NULL;

    if (!env)
        return;
    pthread_mutex_lock(&process.lock);
    if (--env->refs == 0) {
        last = env;
        process.env = NULL;
    }
    pthread_mutex_unlock(&process.lock);
    if (last)
        last->destroy(last);
}

OrtEnv *ort_env_current(void)
{
    OrtEnv *env;

    pthread_mutex_lock(&process.lock);
    env = process.env;
    if (env)
        env->refs++;
    pthread_mutex_unlock(&process.lock);
    return env;
}

/* ---- log --------------------------------------------------------------------------------------- */

struct line {
    const OrtEnv *env;
    OrtLoggingLevel severity;
    const char *category, *id, *place, *text;
};

/* ONNX Runtime's line format: [severity letter:onnxruntime:id, category] text. */
static void write_line(const struct line *line)
{
    static const char letters[] = "VIWEF";

    fprintf(stderr, "[%c:onnxruntime:%s, %s] %s\n", letters[line->severity], line->id,
            line->category, line->text);
}

/* The application's log function may throw, so it runs under bp_guard(). */
static void call_log(void *u)
{
    const struct line *line = u;

    line->env->log(line->env->log_param, line->severity, line->category, line->id, line->place,
                   line->text);
}

/* When the application's log function throws, the line goes to standard error. */
void ort_env_write(OrtEnv *env, OrtLoggingLevel severity, const char *category, const char *id,
                   const char *place, const char *text)
{
    struct line line = {env, severity, category, id, place, text};
    struct bp_thrown thrown;

    if (!env->log) {
        write_line(&line);
    } else if (!bp_guard(call_log, &line, &thrown)) {
        write_line(&line); /* what its function did not take */
        fprintf(stderr, "[W:onnxruntime:%s, log] the application's log function threw: %s\n", id,
                thrown.text);
    }
}

/* The host's lines don't name a session, so the thread's current logger decides. */
void ort_env_log(OrtEnv *env, OrtLoggingLevel severity, const char *category, const char *text)
{
    const OrtLogger *logger = ort_logger_now();

    if (logger && logger->env == env)
        ort_logger_log(logger, severity, category, "backplane", text);
    else if ((int)severity >= atomic_load_explicit(&env->severity, memory_order_relaxed))
        ort_env_write(env, severity, category, env->log_id, "backplane", text);
}
