/* SPDX-License-Identifier: MIT */
/* recheck.h - the last look at a plug-in's file, right before anything of it is mapped. */
#ifndef BP_HOST_RECHECK_H
#define BP_HOST_RECHECK_H

#include "host/load/file_id.h"
#include "host/registry_state.h"

/*
 * Settles which libraries plug-ins may bring in: what a program with raised privileges, or one that
 * asks for it, opens, has none that others could have changed. BP_E_INVALID: no such BP_DEPS_*.
 */
bp_rc bp_recheck_init(struct bp_registry *registry, const bp_env_config *config,
                      const struct bp_settings *settings, bp_err *err) BP_CHECKED;
/*
 * Inspects the file of a candidate that nothing speaks against anew: by its bytes, by who could
 * change it and its libraries now, by what the operator pins and the allow list. What was found
 * when it was listed may be long ago. Refused, the candidate's verdict says why. Returns a
 * descriptor of what was inspected, for close(), and in *id which file that is; -1: refused, or the
 * candidate is not a file. Under the registry's lock.
 */
int bp_recheck_file(struct bp_registry *registry, struct bp_candidate *candidate,
                    struct bp_file_id *id);

/* Puts the hash of a candidate's file, open as fd, into the candidate. False: it can't be read. */
bool bp_recheck_hash(struct bp_candidate *candidate, int fd);

/*
 * Inspects the files that got mapped when a candidate was tried, a line each, where only trusted
 * ones may be: it may open more than the linker says that it needs. The candidate's verdict says if
 * one is not. Who tried it ran its code, so that this finds mistakes, not lies.
 */
void bp_recheck_libraries(struct bp_registry *registry, struct bp_candidate *candidate,
                          const char *files);

#endif
