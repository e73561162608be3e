/* SPDX-License-Identifier: MIT */
/* log.c - formats a log line and hands it to the application, or to standard error. */

#include "config.h"

#include "base/log.h"

#include "base/guard.h"

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

static void write_line(uint32_t level, const char *domain, const char *text)
{
    fprintf(stderr, "backplane: %s: %s: %s\n", level_name(level), domain, text);
}

struct line {
    const struct bp_log *log;
    const char *domain, *text;
    uint32_t level;
};

static void call_log(void *u)
{
    const struct line *line = u;

    line->log->fn(line->log->user, line->level, line->domain, line->text);
}

/*
 * The line of an application whose function throws is not lost. A C++ exception must not pass
 * through C frames, so the guard catches it.
 */
static void hand_over(const struct bp_log *log, uint32_t level, const char *domain,
                      const char *text)
{
    struct line line = {.log = log, .domain = domain, .text = text, .level = level};
    struct bp_thrown thrown;

    if (bp_guard(call_log, &line, &thrown))
        return;
    write_line(level, domain, text);
    fprintf(stderr, "backplane: warning: log: the application's log function threw: %s\n",
            thrown.text);
}

/*
 * Names of models and plug-ins come in as arguments and never as the format.
 */
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
        hand_over(log, level, domain, text);
    else
        write_line(level, domain, text);
}
