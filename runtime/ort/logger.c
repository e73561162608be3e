/* SPDX-License-Identifier: MIT */
/* logger.c - OrtLogger: sends lines to the session's log function or to the environment. */

#include "config.h"

#include "ort/logger.h"

#include <stdio.h>

#include "ort/guarded.h"
#include "ort/status.h"

/* The logger of the session that this thread creates or runs, as the host's lines name none. */
static _Thread_local const OrtLogger *now;

const OrtLogger *ort_logger_set(const OrtLogger *logger)
{
    const OrtLogger *before = now;

    now = logger;
    return before;
}

const OrtLogger *ort_logger_now(void)
{
    return now;
}

/* A session without a severity of its own has the environment's. */
static int threshold(const OrtLogger *logger)
{
    return logger->severity >= 0 ? logger->severity : atomic_load(&logger->env->severity);
}

struct line {
    const OrtLogger *logger;
    OrtLoggingLevel severity;
    const char *category, *id, *place, *text;
};

/* The session's log function may throw, so it runs under bp_guard(). */
static void run_call(void *u)
{
    const struct line *line = u;

    line->logger->call(line->logger->param, line->severity, line->category, line->id, line->place,
                       line->text);
}

/* When a session's log function throws, the line goes to the environment. */
static void hand_over(struct line *line)
{
    OrtEnv *env = line->logger->env;
    struct bp_thrown thrown;

    if (bp_guard(run_call, line, &thrown))
        return;
    ort_env_write(env, line->severity, line->category, line->id, line->place, line->text);
    ort_thrown_log(env, &thrown, "a session's log function");
}

void ort_logger_log(const OrtLogger *logger, OrtLoggingLevel severity, const char *category,
                    const char *place, const char *text)
{
    const char *id = logger->id ? logger->id : logger->env->log_id;

    if ((int)severity < threshold(logger))
        return;
    if (logger->call)
        hand_over(&(struct line){logger, severity, category, id, place, text});
    else
        ort_env_write(logger->env, severity, category, id, place, text);
}

/* Backplane has four levels; nothing is FATAL. */
OrtLoggingLevel ort_logger_severity(uint32_t level)
{
    return level <= BP_LOG_ERROR  ? ORT_LOGGING_LEVEL_ERROR
           : level == BP_LOG_WARN ? ORT_LOGGING_LEVEL_WARNING
           : level == BP_LOG_INFO ? ORT_LOGGING_LEVEL_INFO
                                  : ORT_LOGGING_LEVEL_VERBOSE;
}

void ort_logger_line(void *user, uint32_t level, const char *domain, const char *text)
{
    ort_logger_log(user, ort_logger_severity(level), domain ? domain : "", "backplane", text);
}

/* OrtApi since version 15: Called by kernels of custom operators, on any thread. */
OrtStatus *ort_Logger_LogMessage(const OrtLogger *logger, OrtLoggingLevel log_severity_level,
                                 const char *message, const char *file_path, int line_number,
                                 const char *func_name)
{
    char place[512];

    ORT_NEED(logger);
    ORT_NEED(message);
    if (log_severity_level < ORT_LOGGING_LEVEL_VERBOSE ||
        log_severity_level > ORT_LOGGING_LEVEL_FATAL)
        return ort_fail(ORT_INVALID_ARGUMENT, "%d is not a level of a log",
                        (int)log_severity_level);
    if ((int)log_severity_level < threshold(logger))
        return NULL;
    snprintf(place, sizeof place, "%s:%d %s", file_path ? file_path : "", line_number,
             func_name ? func_name : "");
    ort_logger_log(logger, log_severity_level, "operator", place, message);
    return NULL;
}

/* OrtApi since version 15. */
OrtStatus *ort_Logger_GetLoggingSeverityLevel(const OrtLogger *logger, OrtLoggingLevel *out)
{
    ORT_NEED(logger);
    ORT_NEED(out);
    *out = (OrtLoggingLevel)threshold(logger);
    return NULL;
}
