/* SPDX-License-Identifier: MIT */
/* after_fork.h - a provider in the child of a fork() that it does not survive. */
#ifndef BP_COMPILE_AFTER_FORK_H
#define BP_COMPILE_AFTER_FORK_H

#include <bp/abi.h>

/*
 * *out is `of` with slots that call nothing of it: what can fail is BP_E_UNAVAILABLE, and what frees
 * does nothing, since memory, threads and devices are the parent's. It takes no lock.
 */
void bp_after_fork(const bp_provider *of, bp_provider *out);

#endif
