/* SPDX-License-Identifier: MIT */
/* conf_file.h - files of settings: lines "key = value", # begins a comment. */
#ifndef BP_HOST_OPTIONS_CONF_FILE_H
#define BP_HOST_OPTIONS_CONF_FILE_H

#include "base/file_trust.h"

enum { BP_CONF_FILE_MAX = 65536 }; /* bytes of a file; more is refused */

/* Takes a line without blanks around its parts. NULL, or what is wrong with it. */
typedef const char *(*bp_conf_fn)(void *user, char *key, char *value);

/*
 * Reads the file at an absolute path; none is fine, *text is NULL then. Else keys and values lie in
 * *text, the caller's to free(), also after a failure. BP_E_INVALID: it is malformed; the message has
 * the line. Others: it cannot be read, or another user may write to it; fix says what to do.
 */
bp_rc bp_conf_file_read(const char *path, struct bp_trust *trust, bp_conf_fn take, void *user,
                        char **text, char *fix, size_t fix_cap, bp_err *err) BP_CHECKED;

#endif
