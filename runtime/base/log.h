/* SPDX-License-Identifier: MIT */
/* log.h - where log lines go. */
#ifndef BP_BASE_LOG_H
#define BP_BASE_LOG_H

#include "base/status.h"

/* {0} writes warnings and errors to standard error. Read-only once set up: any thread may log. */
struct bp_log {
    bp_log_fn fn;
    void *user;
    uint32_t level; /* most verbose that is delivered; 0: BP_LOG_WARN */
};

/* log may be NULL: nothing happens. */
void bp_log(const struct bp_log *log, uint32_t level, const char *domain, const char *fmt, ...)
    BP_PRINTF(4, 5);

#endif
