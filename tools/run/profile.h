/* SPDX-License-Identifier: MIT */
/* profile.h - --profile FILE: where the time of runs went, as a trace. */
#ifndef BP_TOOLS_PROFILE_H
#define BP_TOOLS_PROFILE_H

#include "lib/load.h"

/*
 * Begins a profile with how long `loaded` took to make, which ended just now; *out stays NULL
 * without a path. Prints what fails; returns an exit code.
 */
int profile_begin(struct cli *cli, const char *path, const struct loaded *loaded, bp_profile **out);
/* Writes it, unless there is none; prints what fails, and destroys it. Returns an exit code. */
int profile_end(struct cli *cli, const char *path, bp_profile *profile);

#endif
