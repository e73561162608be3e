/* SPDX-License-Identifier: MIT */
/* bytes.h - a file's bytes, mapped read-only. */
#ifndef BP_BASE_BYTES_H
#define BP_BASE_BYTES_H

#include "base/status.h"

/* Start from {0}. */
struct bp_bytes {
    const uint8_t *data;
    size_t size;
    void *map;        /* what to unmap; NULL: borrowed memory */
    uint64_t file_id; /* differs between different files and versions of one; 0: borrowed */
};

/* Maps a regular file; an empty one has size 0. BP_E_IO: the system's reason. */
bp_rc bp_bytes_map(const char *path, struct bp_bytes *out, bp_err *err) BP_CHECKED;
/*
 * The same for `name` inside directory `dir`: absolute names, and those whose ".." or links lead
 * out of the directory, are BP_E_INVALID.
 */
bp_rc bp_bytes_map_inside(const char *dir, const char *name, struct bp_bytes *out,
                          bp_err *err) BP_CHECKED;
void bp_bytes_unmap(struct bp_bytes *bytes);
/*
 * Gives the pages that lie wholly within these bytes, which must be of a mapped file, back to the
 * page cache; the next access brings them again. [any thread]
 */
void bp_bytes_forget(const void *bytes, size_t size);

#endif
