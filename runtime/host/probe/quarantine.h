/* SPDX-License-Identifier: MIT */
/*
 * quarantine.h - what is remembered of plug-ins from one process to the next, in a file that the
 * user names: which have been tried and are good, and which have failed, how often and how.
 */
#ifndef BP_HOST_PROBE_QUARANTINE_H
#define BP_HOST_PROBE_QUARANTINE_H

#include "base/log.h"
#include "base/sha256.h"
#include "host/inspect/manifest.h"

enum { BP_QUARANTINE_FAILURES = 2 }; /* more than one makes a quarantine */

/* What is known of one file, by a key that changes with the file and with what it depends on. */
struct bp_quarantine_entry {
    char key[BP_SHA256_TEXT];
    char *path, *words; /* words: what happened last; "" when it is good */
    int64_t when;       /* seconds since 1970 */
    uint32_t failures;  /* 0: it is good */
    uint32_t stage;     /* BP_STAGE_* of the last one */
    bool is_changed;    /* not in the file yet */
    bool is_gone;       /* to be taken out of the file */
};

/* Start from {0}; without a file nothing is remembered. */
struct bp_quarantine {
    char *file;
    struct bp_quarantine_entry *entries;
    uint32_t count;
    bool is_read;
};

void bp_quarantine_finish(struct bp_quarantine *quarantine);
/*
 * The key of the plug-in at `path` as it is now: its file's identity, size and times, the variables
 * and files that its manifest names, the linker's cache and path, the system's release, and our
 * version. False: there is no such file.
 */
bool bp_quarantine_key(const char *path, const struct bp_manifest *manifest,
                       char out[BP_SHA256_TEXT]) BP_CHECKED;
/*
 * What is known under a key and still counts: for a day of a good one, for ten minutes after a
 * first failure, for ever after a second. NULL: nothing. Reads the file at first, which is
 * untrusted input: of another owner, writable by others, or too large, it is as if it were empty.
 */
const struct bp_quarantine_entry *bp_quarantine_find(struct bp_quarantine *quarantine,
                                                     const char *key, const struct bp_log *log);
/*
 * One more failure, or with words NULL a success. Without memory or a file nothing is remembered.
 */
void bp_quarantine_record(struct bp_quarantine *quarantine, const char *key, const char *path,
                          uint32_t stage, const char *words);
/* Nothing is known of the plug-in at `path` any more. */
void bp_quarantine_forget(struct bp_quarantine *quarantine, const char *path,
                          const struct bp_log *log);
/*
 * Writes what has changed, over what other processes have written meanwhile. Failures are logged.
 */
void bp_quarantine_save(struct bp_quarantine *quarantine, const struct bp_log *log);

#endif
