/* SPDX-License-Identifier: MIT */
/*
 * directories.h - the directories in which plug-ins are looked for, in order, and why each counts.
 */
#ifndef BP_HOST_SEARCH_DIRECTORIES_H
#define BP_HOST_SEARCH_DIRECTORIES_H

#include "base/log.h"
#include "host/options/settings.h"

struct bp_search_dir {
    char *path; /* absolute */
    char *why;  /* "environment variable BACKPLANE_PROVIDER_PATH" */
};

/* Start from {0}. */
struct bp_search {
    struct bp_search_dir *dirs;
    uint32_t count;
};

/*
 * Fills the list: the application's directories, then BACKPLANE_PROVIDER_PATH alone, or without it
 * BACKPLANE_PROVIDER_PATH_ADD, the user's data directory and the installation's. Where variables do
 * not count, the user's directory does not either. Entries that are not absolute are left out, with
 * a warning in `log`.
 */
bp_rc bp_search_init(struct bp_search *search, const bp_env_config *config,
                     const struct bp_settings *settings, const struct bp_log *log,
                     bp_err *err) BP_CHECKED;
void bp_search_finish(struct bp_search *search);
/* "a, b and c", for messages; the caller frees it. NULL: no memory. */
char *bp_search_text(const struct bp_search *search);

#endif
