/* SPDX-License-Identifier: MIT */
/*
 * manifest_cache.h - what plug-ins' manifests said, kept in a file, so that a list of many files
 * need not read each of them. It serves lists alone: who may have changed a file is asked anew
 * every time, and before a plug-in is opened its own bytes are.
 */
#ifndef BP_HOST_INSPECT_MANIFEST_CACHE_H
#define BP_HOST_INSPECT_MANIFEST_CACHE_H

#include <sys/stat.h>

#include "base/log.h"
#include "base/region.h"
#include "host/inspect/manifest.h"

/*
 * What the manifest of one file said, and which file that was. Strings belong to struct
 * bp_manifest_cache.
 */
struct bp_manifest_entry {
    const char *path;
    const char *manifest; /* as bp_manifest_write() has it */
    size_t size;          /* of manifest */
    int64_t stamp[7];     /* device, inode, size, times */
    bool is_seen;         /* by this process, so it is there still */
};

/* Start from {0}; without a file nothing is kept. */
struct bp_manifest_cache {
    char *file;
    char *text; /* of the file */
    struct bp_region region;
    struct bp_manifest_entry *entries;
    uint32_t count, cap;
    uint32_t next; /* the entry that is probably asked for next */
    bool is_read, is_changed;
};

void bp_manifest_cache_finish(struct bp_manifest_cache *cache);
/*
 * What the manifest of the file at `path`, which is the one that st tells, said when it was kept:
 * the text of bp_manifest_write(), *size bytes; NULL: not known. A file that is not this user's
 * alone, damaged or of another version of Backplane is as if it were empty.
 */
const char *bp_manifest_cache_find(struct bp_manifest_cache *cache, const char *path,
                                   const struct stat *st, size_t *size, const struct bp_log *log);
/*
 * Keeps a manifest. One of a file that has changed just now is not, for it could again, unnoticed.
 */
void bp_manifest_cache_keep(struct bp_manifest_cache *cache, const char *path,
                            const struct stat *st, const struct bp_manifest *manifest);
/* Nothing is known of the file at `path` any more. */
void bp_manifest_cache_forget(struct bp_manifest_cache *cache, const char *path);
/* Writes what has changed, without files that are no longer there. Failures are logged. */
void bp_manifest_cache_save(struct bp_manifest_cache *cache, const struct bp_log *log);

#endif
