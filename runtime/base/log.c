/* SPDX-License-Identifier: MIT */
/* log.c - formats a log line and hands it to the application, or to standard error. */

#include "config.h"

#include "base/log.h"

enum { LINE = 1024 };

static const char *level_name(uint32_t level)
{
    static const char *const names[] = {"error", "warning", "info", "debug"};

    return level >= BP_LOG_ERROR && level <= BP_LOG_DEBUG ? names[level - 1] : names[3];
}

/* Names in a line come from models and plug-ins: no newline, no terminal's control sequence. */
static void blank_controls(char *text)
{
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = ' ';
    }
}

void bp_log(const struct bp_log *log, uint32_t level, const char *domain, const char *fmt, ...)
{
    char text[LINE];
    va_list args;
    int n;

    if (!log || level > (log->level ? log->level : BP_LOG_WARN))
        return;
    va_start(args, fmt);
    n = vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    if (n < 0)
        return;
    if ((size_t)n >= sizeof text)
        memcpy(text + sizeof text - 4, "...", 4);
    blank_controls(text);
    if (log->fn)
        log->fn(log->user, level, domain, text);
    else
        fprintf(stderr, "backplane: %s: %s: %s\n", level_name(level), domain, text);
}
