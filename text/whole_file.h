/* SPDX-License-Identifier: MIT */
/*
 * whole_file.h - files that are written as a whole: first under another name beside their own, then
 * renamed, so that a failure leaves what was there. What is no regular file, such as a device or a
 * pipe, is written in place, and never removed.
 */
#ifndef BP_TEXT_WHOLE_FILE_H
#define BP_TEXT_WHOLE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Start from {0}; one thread at a time. */
struct whole_file {
    FILE *file;    /* to write to; NULL: not begun, or ended */
    char *path;    /* with links followed, where there is a file */
    char *part;    /* the other name; NULL: written in place, or renamed */
    uint64_t size; /* bytes that whole_file_write() wrote */
};

/*
 * A link is followed, and a file that is there keeps its mode. False with errno: nothing was made;
 * whole_file_drop() is due in any case.
 */
bool whole_file_begin(struct whole_file *out, const char *path);
/* False with errno. */
bool whole_file_write(struct whole_file *out, const void *bytes, size_t size);
/* Writes what is buffered, to the disk too, and closes. False with errno. A file not begun is fine. */
bool whole_file_end(struct whole_file *out);
/* After whole_file_end(): gives the file its name. False with errno. A file not begun is fine. */
bool whole_file_name(struct whole_file *out);
/* Frees memory, and removes what was not renamed. */
void whole_file_drop(struct whole_file *out);

#endif
