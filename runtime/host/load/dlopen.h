/* SPDX-License-Identifier: MIT */
/*
 * dlopen.h - our own module loader under libltdl: binds now, keeps symbols local, and keeps the
 * reason.
 */
#ifndef BP_HOST_LOAD_DLOPEN_H
#define BP_HOST_LOAD_DLOPEN_H

#include <stdbool.h>

#include "base/status.h"
#include "host/load/file_id.h"

/*
 * Maps the shared object at an absolute path and finds its entry, which must lie in this very file
 * and not in a library that it needs, and in the file that was inspected, unless that is NULL.
 * Stays mapped until *handle is closed, and after a failure for good: threads or handlers of its
 * constructors may outlive the call. Not thread-safe: the caller holds the lock of loader.c around
 * this and every other use of libltdl.
 */
bp_rc bp_dlopen_entry(const char *path, const struct bp_file_id *inspected, bp_entry_fn *out,
                      void **handle, uint32_t *stage, bp_err *err) BP_CHECKED;
/*
 * Is the file at a path another than the one that was mapped from there and still is? The linker
 * goes by paths, so it would answer with the old one. False where no file is. The caller holds the
 * lock, as above.
 */
bool bp_dlopen_is_replaced(const char *path);
/* Unmaps it unless it is open elsewhere in the process. */
void bp_dlopen_close(void *handle);

#endif
