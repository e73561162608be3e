/* SPDX-License-Identifier: MIT */
/* logger.h - OrtLogger: a session's log, for its kernels and for what the host logs meanwhile. */
#ifndef BP_ORT_LOGGER_H
#define BP_ORT_LOGGER_H

#include "ort/env.h"

struct OrtLogger {
    OrtEnv *env;             /* borrowed */
    int severity;            /* of the session; below 0: the environment's */
    OrtLoggingFunction call; /* the session's own; NULL: the environment's */
    void *param;
    char *id; /* owned; NULL: the environment's */
};

/* The host's log callback; user: the session's logger. [any thread] */
void ort_logger_line(void *user, uint32_t level, const char *domain, const char *text);
OrtLoggingLevel ort_logger_severity(uint32_t level); /* BP_LOG_* */
/* Logs a line if its severity reaches the logger's. */
void ort_logger_log(const OrtLogger *logger, OrtLoggingLevel severity, const char *category,
                    const char *place, const char *text);
/*
 * Sets the logger of this thread (NULL: the environment's) and returns the previous one, which the
 * caller sets again afterwards.
 */
const OrtLogger *ort_logger_set(const OrtLogger *logger);
const OrtLogger *ort_logger_now(void);

#endif
