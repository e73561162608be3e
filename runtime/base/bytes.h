/* SPDX-License-Identifier: MIT */
/* bytes.h - a file's bytes, mapped read-only, and whether they are still what they were. */
#ifndef BP_BASE_BYTES_H
#define BP_BASE_BYTES_H

#include <stdbool.h>
#include <time.h>

#include "base/status.h"

/* Start from {0}. */
struct bp_bytes {
    const uint8_t *data;
    size_t size;
    void *map;        /* what to unmap; NULL: borrowed memory */
    uint64_t file_id; /* differs between different files and versions of one; 0: borrowed */
    bool is_copy;     /* map is a copy of the file, whose pages cannot come again */
    int watched;      /* 1 + a descriptor of the mapped file; 0: nothing can change the bytes */
    struct timespec written; /* last, when it was mapped */
};

enum {
    /* A file of at most so many bytes is always copied, which takes less than 0.2 ms. */
    BP_BYTES_SMALL = 1 << 20
};

/*
 * Maps a regular file, or, with is_copied, a copy of it in memory; an empty one has size 0. BP_E_IO:
 * the system's reason. BP_E_STALE: it was written to while it was copied.
 */
bp_rc bp_bytes_map(const char *path, bool is_copied, struct bp_bytes *out, bp_err *err) BP_CHECKED;
/*
 * The same for `name` inside directory `dir`: absolute names, and those whose ".." or links lead
 * out of the directory, are BP_E_INVALID.
 */
bp_rc bp_bytes_map_inside(const char *dir, const char *name, bool is_copied, struct bp_bytes *out,
                          bp_err *err) BP_CHECKED;
/* Was the mapped file written to since? Not if another took its name. [any thread] */
bool bp_bytes_changed(const struct bp_bytes *bytes);
void bp_bytes_unmap(struct bp_bytes *bytes);
/* Of a mapped file: its pages can be given back, and the file's bytes may change. */
static inline bool bp_bytes_is_file(const struct bp_bytes *bytes)
{
    return bytes->map && !bytes->is_copy;
}

/*
 * Gives the pages that lie wholly within these bytes, which must be of a mapped file, back to the
 * page cache; the next access brings them again. [any thread]
 */
void bp_bytes_forget(const void *bytes, size_t size);

#endif
