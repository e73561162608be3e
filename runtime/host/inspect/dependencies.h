/* SPDX-License-Identifier: MIT */
/*
 * dependencies.h - missing libraries and undefined symbols of a plug-in, all at once.
 */
#ifndef BP_HOST_INSPECT_DEPENDENCIES_H
#define BP_HOST_INSPECT_DEPENDENCIES_H

#include "base/file_trust.h"
#include "text/text.h"

/* The way out where something is missing. */
#define BP_DEPENDENCIES_FIX                                                                        \
    "install what is missing, or a build of the plug-in for what is here; the linker looks in "    \
    "the plug-in's RUNPATH, LD_LIBRARY_PATH and what ldconfig -p lists"

/*
 * Asks the dynamic linker, in a process of its own and in its tracing mode, what the shared object
 * at an absolute path needs: libraries that are missing and who needs them, versions of symbols
 * that a library lacks, undefined symbols. Appends one sentence. False, with nothing appended:
 * nothing is missing, or this system's linker cannot tell. Takes two seconds at most.
 */
bool bp_dependencies_explain(const char *path, struct bp_text *out);
/*
 * Could another user have changed one of the libraries that the linker would load with the shared
 * object at an absolute path? It is asked as above, so that none is mapped here. BP_E_UNAVAILABLE:
 * yes, the words say which, why, and `fix` what to do; or the linker cannot tell. Libraries that
 * are missing belong to no file.
 */
bp_rc bp_dependencies_check(const char *path, struct bp_trust *trust, char *fix, size_t fix_cap,
                            bp_err *err) BP_CHECKED;
/* The same of one library, by its path: BP_E_UNAVAILABLE or BP_E_IO. */
bp_rc bp_dependencies_check_file(const char *path, struct bp_trust *trust, char *fix,
                                 size_t fix_cap, bp_err *err) BP_CHECKED;

#endif
