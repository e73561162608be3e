/* SPDX-License-Identifier: MIT */
/*
 * allow_list.h - the allow list: which plug-ins may be opened, by the SHA-256 of their file and
 * their id.
 */
#ifndef BP_HOST_LOAD_ALLOW_LIST_H
#define BP_HOST_LOAD_ALLOW_LIST_H

#include "base/log.h"
#include "host/inspect/inspect.h"
#include "host/options/settings.h"

struct bp_allow_entry {
    char sha256[65];
    char *id;
};

/* Start from {0}. */
struct bp_allow_list {
    uint32_t mode;       /* BP_ALLOW_*, never 0 */
    const char *dirs[2]; /* the installation's; the application's, or NULL */
    char *own_dir;
    bp_allow_fn ask;
    void *ask_user;
    const struct bp_log *log; /* borrowed */
    bool is_read;
    struct bp_allow_entry *rows;
    uint32_t count;
};

/*
 * The strictest mode of those that the application, BACKPLANE_ALLOW and the file `mode` in each
 * directory ask for. A file that is malformed, or that others may write to, asks for
 * BP_ALLOW_ENFORCE.
 */
bp_rc bp_allow_list_init(struct bp_allow_list *allow, const bp_env_config *config,
                         const struct bp_settings *settings, struct bp_trust *trust,
                         const struct bp_log *log, bp_err *err) BP_CHECKED;
void bp_allow_list_finish(struct bp_allow_list *allow);
/* Reads the lists, once; those that others may write to are left out with a warning. */
void bp_allow_list_read(struct bp_allow_list *allow, struct bp_trust *trust);
/*
 * May the file at a path, with these bytes and this id, be opened? False: not listed and refused by
 * the application, and *words, of `cap` bytes, say so. The mode is the caller's to heed.
 */
bool bp_allow_list_has(struct bp_allow_list *allow, struct bp_trust *trust, const char *path,
                       const char *id, const char *sha256, char *words, size_t cap);

#endif
