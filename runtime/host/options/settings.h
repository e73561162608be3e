/* SPDX-License-Identifier: MIT */
/* settings.h - the BACKPLANE_* variables of the process: which count, and why the others do not. */
#ifndef BP_HOST_OPTIONS_SETTINGS_H
#define BP_HOST_OPTIONS_SETTINGS_H

#include <backplane.h>

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
 * Takes copies of all variables that begin with BACKPLANE_. None counts with
 * BP_ENV_IGNORE_VARIABLES or BP_ENV_HERMETIC in `flags`, nor in a program with raised privileges;
 * one that is not read does not either.
 */
bp_rc bp_settings_init(struct bp_settings *settings, uint32_t flags, bp_err *err) BP_CHECKED;
void bp_settings_finish(struct bp_settings *settings);
/*
 * Do variables and the directories of the user count, with these flags (BP_ENV_*) in this process?
 */
bool bp_settings_count(uint32_t flags);
/* The value of a variable that counts, or NULL. */
const char *bp_settings_text(const struct bp_settings *settings, const char *name);
/* The same; NULL also for an empty one. */
const char *bp_settings_get(const struct bp_settings *settings, const char *name);
/* Does it count and say yes: anything but "", "0", "false", "no" and "off"? */
bool bp_settings_is_on(const struct bp_settings *settings, const char *name);

#endif
