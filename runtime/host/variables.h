/* SPDX-License-Identifier: MIT */
/* variables.h - the environment variables that the host reads, and when they do not count. */
#ifndef BP_HOST_VARIABLES_H
#define BP_HOST_VARIABLES_H

#include "base/status.h"

/*
 * Value of a variable; NULL: not set, or it does not count: with these flags (BP_ENV_*), or in a
 * program that runs with raised privileges.
 */
const char *bp_variable(uint32_t flags, const char *name);
/* Do variables and the user's own directories count? */
bool bp_variables_count(uint32_t flags);
/* Name of the i-th variable that is set and does not count; NULL: end. */
const char *bp_variable_ignored(uint32_t flags, uint32_t i);

#endif
