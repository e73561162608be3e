/* SPDX-License-Identifier: MIT */
/* loader.h - opens a plug-in's shared object and checks its ABI version and tables. */
#ifndef BP_HOST_LOAD_LOADER_H
#define BP_HOST_LOAD_LOADER_H

#include "base/status.h"
#include "host/load/file_id.h"

/*
 * A plug-in whose entry has been called: our own copies of its tables, extended to this host's
 * sizes. Valid until it was released as often as it was opened.
 */
struct bp_module_copy {
    bp_module module;
    bp_provider *providers; /* module.n_providers rows */
    bp_device_ops *dev;     /* beside each provider that has device operations */
    char **files;           /* what opening it mapped: its own file, then others; NULL ends them */
};

/*
 * Opens the plug-in at an absolute path, once a process: a second call returns the same copy. Each
 * success is paired with one bp_loader_release().
 * `inspected` is the file that has been found good, to be held open meanwhile; NULL: whichever is
 * there. *stage (BP_STAGE_*) is where it ended. BP_E_IO: not to be opened (the dynamic linker's
 * words), no entry symbol in this very file, or it is another than was inspected. BP_E_VERSION:
 * another ABI. BP_E_BUSY: as bp_loader_is_replaced(). [any thread]
 */
bp_rc bp_loader_open(const char *path, const struct bp_file_id *inspected,
                     const struct bp_module_copy **out, uint32_t *stage, bp_err *err) BP_CHECKED;
/* The same for an entry that is linked in. */
bp_rc bp_loader_adopt(const char *name, bp_entry_fn entry, const struct bp_module_copy **out,
                      uint32_t *stage, bp_err *err) BP_CHECKED;

/* From now on children of fork()s of this process can open plug-ins. [any thread] */
void bp_loader_watch_forks(void);

/*
 * Gives a module back; NULL is fine. No instance of it is left. When the last one does, a plug-in
 * from a file whose providers all say BP_PROVIDER_UNLOADABLE is torn down and unmapped; others stay
 * for the life of the process. [any thread]
 */
void bp_loader_release(const struct bp_module_copy *copy);

/* Is the plug-in at this path open in this process already? */
bool bp_loader_has(const char *path);
/*
 * Is the file at this path another than the one that this process mapped from there and still has
 * mapped? It cannot be opened then. False where no file is. [any thread]
 */
bool bp_loader_is_replaced(const char *path);

#endif
