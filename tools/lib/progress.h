/* SPDX-License-Identifier: MIT */
/* progress.h - a line on the terminal that says how far long work has come. */
#ifndef BP_TOOLS_PROGRESS_H
#define BP_TOOLS_PROGRESS_H

#include <stdbool.h>

#include "lib/cli.h"

struct progress {
    bool is_on; /* standard error is a terminal, and --quiet was not given */
    bool is_shown;
    double start, last; /* seconds */
};

void progress_begin(struct progress *progress, const struct cli *cli);
/* Shows words and a percentage; at most ten times a second, and not for short work. */
void progress_show(struct progress *progress, const char *words, double fraction);
/* Wipes the line. */
void progress_end(struct progress *progress);

/* A bp_progress_fn whose user is a struct progress. */
void progress_phase(void *user, const char *phase, double fraction);

/* Seconds on a clock that only goes forward. */
double clock_seconds(void);

#endif
