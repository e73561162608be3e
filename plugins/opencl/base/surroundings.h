/* SPDX-License-Identifier: MIT */
/*
 * surroundings.h - keeps drivers from changing the application's process: what they set is put back,
 * and the question which devices there are is put to a child, as they leave threads behind.
 */
#ifndef BP_OPENCL_SURROUNDINGS_H
#define BP_OPENCL_SURROUNDINGS_H

#include "base/library.h"

#include <signal.h>

enum {
    BP_OPENCL_SIGNALS = 32,
    BP_OPENCL_LIST_MS = 10000 /* drivers that take longer to say what there is are given up */
};

/*
 * PoCL brings LLVM along, which installs handlers of signals, and hwloc, for which it sets a
 * variable. Both are the application's; nothing but sigaction() can put a handler back.
 */
struct bp_opencl_saved {
    struct sigaction actions[BP_OPENCL_SIGNALS];
    stack_t stack;    /* on which handlers run */
    char **variables; /* as environ was; NULL: no memory */
    size_t n;
};

void bp_opencl_save(struct bp_opencl_saved *saved);
void bp_opencl_put_back(struct bp_opencl_saved *saved);

typedef const struct bp_opencl_listing *(*bp_opencl_list_fn)(void);

/* Calls list() in a child; false: none could be made, or it gave no answer. */
bool bp_opencl_ask_child(bp_opencl_list_fn list, struct bp_opencl_listing *out);

#endif
