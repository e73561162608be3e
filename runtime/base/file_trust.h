/* SPDX-License-Identifier: MIT */
/*
 * file_trust.h - could a user other than root and that of this process have changed a
 * file?
 */
#ifndef BP_BASE_FILE_TRUST_H
#define BP_BASE_FILE_TRUST_H

#include <limits.h>
#include <sys/types.h>

#include "base/status.h"

/* Start from {0} and bp_trust_init(). */
struct bp_trust {
    uid_t uid;           /* effective */
    bool is_strict;      /* raised privileges, or a hermetic environment */
    char dir[PATH_MAX];  /* the last directory that passed, as it was named */
    char real[PATH_MAX]; /* the same without links */
};

/* Does this process run with privileges that its caller lacks? Variables do not count then. */
bool bp_trust_is_elevated(void);
void bp_trust_init(struct bp_trust *trust, bool is_hermetic);
/* Checks directories anew: they may have changed since. */
void bp_trust_forget(struct bp_trust *trust);
/*
 * Checks the regular file at an absolute path, open as fd: the file, every directory from the root
 * on, and every link with its target must belong to root or the effective user, and no other user may
 * write to them. Two exceptions: a sticky directory that contains neither the file nor a link to
 * it; and, unless strict, a group whose number is the user's, because many systems give each user a
 * group of that number. BP_E_UNAVAILABLE: the message names the component and the reason, and `fix`
 * says what to do. BP_E_IO: the file has disappeared, or was replaced.
 */
bp_rc bp_trust_check(struct bp_trust *trust, const char *path, int fd, char *fix, size_t fix_cap,
                     bp_err *err) BP_CHECKED;

#endif
