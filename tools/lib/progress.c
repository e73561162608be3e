/* SPDX-License-Identifier: MIT */
/* progress.c - a line on the terminal that says how far long work has come. */

#include "config.h"

#include "lib/progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "lib/text.h"

#define FIRST_AFTER 0.4 /* seconds: what is done by then needs no line */
#define NEXT_AFTER 0.1

/* Seconds of a clock that is not set back; its start means nothing. */
double clock_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

void progress_begin(struct progress *progress, const struct cli *cli)
{
    *progress = (struct progress){.start = clock_seconds()};
    progress->is_on = isatty(STDERR_FILENO) && !cli->globals.quiet;
}

/* "\r\033[K" goes to the start of the line and clears it; at most ten writes a second. */
void progress_show(struct progress *progress, const char *words, double fraction)
{
    struct bp_text line = {0};
    double now;

    if (!progress->is_on)
        return;
    now = clock_seconds();
    if (now - progress->start < FIRST_AFTER || now - progress->last < NEXT_AFTER)
        return;
    progress->last = now;
    progress->is_shown = true;
    text_printf(&line, "\r\033[K%3.0f %%  ", fraction * 100);
    text_clean(&line, words);
    fputs(text_string(&line), stderr);
    text_finish(&line);
}

void progress_end(struct progress *progress)
{
    if (progress->is_shown)
        fputs("\r\033[K", stderr);
    progress->is_shown = false;
}

void progress_phase(void *user, const char *phase, double fraction)
{
    progress_show(user, phase, fraction);
}
