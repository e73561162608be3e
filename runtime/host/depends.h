/* SPDX-License-Identifier: MIT */
/* depends.h - all that a plug-in lacks, at once, where the dynamic linker stops at the first. */
#ifndef BP_HOST_DEPENDS_H
#define BP_HOST_DEPENDS_H

#include "base/text.h"

/*
 * Asks the dynamic linker, in a process of its own and in its tracing mode, what the shared object at
 * an absolute path needs: libraries that are missing and who needs them, versions of symbols that a
 * library lacks, undefined symbols. Appends one sentence. False, with nothing appended: nothing is
 * missing, or this system's linker cannot tell. Takes two seconds at most.
 */
bool bp_depends_explain(const char *path, struct bp_text *out);

#endif
