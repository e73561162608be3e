/* SPDX-License-Identifier: MIT */
/* variables.h - the BACKPLANE_* variables of the process: which count, and why the others do not. */
#ifndef BP_HOST_VARIABLES_H
#define BP_HOST_VARIABLES_H

#include "base/status.h"

struct bp_variable {
    char *name, *value;
    char *ignored; /* why it does not count; NULL: it does */
};

/* Start from {0}. Sorted by name. */
struct bp_variables {
    struct bp_variable *rows;
    uint32_t count;
};

/*
 * Takes copies of all variables that begin with BACKPLANE_. None counts when `ignore_all`, nor in a
 * program with raised privileges; one that nobody reads does not either.
 */
bp_rc bp_variables_init(struct bp_variables *variables, bool ignore_all, bp_err *err) BP_CHECKED;
void bp_variables_finish(struct bp_variables *variables);
/* The value of a variable that counts, or NULL. */
const char *bp_variables_get(const struct bp_variables *variables, const char *name);
/* Does it count and say yes: anything but "", "0", "false", "no" and "off"? */
bool bp_variables_is_on(const struct bp_variables *variables, const char *name);

#endif
