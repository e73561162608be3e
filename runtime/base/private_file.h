/* SPDX-License-Identifier: MIT */
/*
 * private_file.h - files in which a host keeps something from one process to the next, for this
 * user alone.
 */
#ifndef BP_BASE_PRIVATE_FILE_H
#define BP_BASE_PRIVATE_FILE_H

#include "base/log.h"
#include "text/text.h"

/*
 * The text of a file that nobody but this user could have written, ending in a NUL, to be freed;
 * NULL: there is none, it is of another owner, writable by others or larger than `most` bytes,
 * which is logged, or there is no memory. *is_there: there is something of that name, whatever it
 * is.
 */
char *bp_private_file_read(const char *path, size_t most, size_t *out_size, bool *is_there,
                           const struct bp_log *log);
/*
 * Replaces the file as a whole, by a rename. is_durable: also a power cut leaves the old one or the
 * new one, which takes milliseconds; without it a reader has to notice a broken file. False and
 * errno: it was not written, and the old one is as it was.
 */
bool bp_private_file_write(const char *path, const struct bp_text *text,
                           bool is_durable) BP_CHECKED;

#endif
