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
 * The text of a file that only this user could have written, with a NUL at the end, for the caller
 * to free(). NULL: no such file; or another owner, writable by others, or over `most` bytes, which
 * is logged; or no memory. *is_there: something of that name exists.
 */
char *bp_private_file_read(const char *path, size_t most, size_t *out_size, bool *is_there,
                           const struct bp_log *log);
/*
 * Replaces the file as a whole, by a rename. is_durable: after a power failure the file is the old
 * or the new one, at the cost of milliseconds; without it, readers must detect a broken file. False
 * with errno: not written; the old file is unchanged. EINVAL: what has the name is no regular file.
 */
bool bp_private_file_write(const char *path, const struct bp_text *text,
                           bool is_durable) BP_CHECKED;

#endif
