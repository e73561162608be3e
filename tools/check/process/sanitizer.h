/* SPDX-License-Identifier: MIT */
/* sanitizer.h - plug-ins that were built with a sanitizer, whose run-time library has to come first. */
#ifndef BP_CHECK_SANITIZER_H
#define BP_CHECK_SANITIZER_H

#include <stdbool.h>

/*
 * Starts the kit again, with the run-time library of the sanitizer that the plug-in was built with
 * before all others (LD_PRELOAD). Returns true if there is nothing to do: it was built with none, or the
 * library is there already. False: it cannot be done, and standard error says how to do it by hand.
 */
bool sanitizer_restart(const char *path, char **argv);

/* Has this process ThreadSanitizer? */
bool sanitizer_of_threads(void);

#endif
