/* SPDX-License-Identifier: MIT */
/* logger.h - OrtLogger: a session's log, for its kernels and for what the host says meanwhile. */
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

/* A line of the host's; user: the logger, of a session. Any thread. */
void ort_logger_line(void *user, uint32_t level, const char *domain, const char *text);
OrtLoggingLevel ort_logger_severity(uint32_t level); /* BP_LOG_* */
/* A line of that severity, if that is enough for the logger. */
void ort_logger_log(const OrtLogger *logger, OrtLoggingLevel severity, const char *category,
                    const char *place, const char *text);
/*
 * Lines of this thread go to the logger until the one that is returned is set again. NULL: to the
 * environment.
 */
const OrtLogger *ort_logger_set(const OrtLogger *logger);
const OrtLogger *ort_logger_now(void);

#endif
