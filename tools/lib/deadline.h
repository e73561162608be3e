/* SPDX-License-Identifier: MIT */
/* deadline.h - --timeout: a limit for loading and running one model. */
#ifndef BP_TOOLS_DEADLINE_H
#define BP_TOOLS_DEADLINE_H

#include <stdint.h>

/*
 * Starts the limit anew; 0 seconds ends it. Runs are told the time that is left. Whoever does not
 * heed that (a creation, a provider that cannot stop) gets another second, then the process exits
 * with CLI_TIMEOUT and a sentence that names `what`, which must live as long.
 */
void deadline_start(double seconds, const char *what);
/* Nanoseconds left, at least 1; 0 where there is no limit. As bp_run_options wants it. */
int64_t deadline_left(void);

#endif
