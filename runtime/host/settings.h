/* SPDX-License-Identifier: MIT */
/* settings.h - the BACKPLANE_* variables of the process: which count, and why the others do not. */
#ifndef BP_HOST_SETTINGS_H
#define BP_HOST_SETTINGS_H

#include "base/status.h"

struct bp_setting {
    char *name, *value;
    bool counts;
    char *ignored; /* why it does not count; NULL: it does, or there was no memory to say it */
};

/* Start from {0}. Sorted by name. */
struct bp_settings {
    struct bp_setting *rows;
    uint32_t count;
};

/*
 * Takes copies of all variables that begin with BACKPLANE_. None counts when `ignore_all`, nor in a
 * program with raised privileges; one that nobody reads does not either.
 */
bp_rc bp_settings_init(struct bp_settings *settings, bool ignore_all, bp_err *err) BP_CHECKED;
void bp_settings_finish(struct bp_settings *settings);
/* The value of a variable that counts, or NULL. */
const char *bp_settings_get(const struct bp_settings *settings, const char *name);
/* Does it count and say yes: anything but "", "0", "false", "no" and "off"? */
bool bp_settings_is_on(const struct bp_settings *settings, const char *name);

#endif
