/* SPDX-License-Identifier: MIT */
/* recheck.h - the last look at a plug-in's file, right before anything of it is mapped. */
#ifndef BP_HOST_RECHECK_H
#define BP_HOST_RECHECK_H

#include "host/registry.h"

/*
 * Settles which libraries plug-ins may bring in: what a program with raised privileges, or one that asks
 * for it, opens, has none that others could have changed. BP_E_INVALID: no such BP_DEPS_*.
 */
bp_rc bp_confirm_init(struct bp_registry *registry, const bp_env_config *config,
                      const struct bp_settings *settings, bp_err *err) BP_CHECKED;
/*
 * Judges the file of a row that nothing speaks against anew: by its bytes, by who could change it and
 * its libraries now, by what the operator pins and the allow list. What was found when it was listed may be long ago. Refused, the row's
 * verdict says why. Returns a descriptor of what was judged, for close(), and in *id which file that
 * is; -1: refused, or the row is no file. Under the registry's lock.
 */
int bp_row_confirm(struct bp_registry *registry, struct bp_found *row, struct bp_file_id *id);

/*
 * Judges the files that got mapped when a row was tried, a line each, where only trusted ones may be:
 * it may open more than the linker says that it needs. The row's verdict says if one is not. Who tried it
 * ran its code, so that this finds mistakes, not lies.
 */
void bp_row_judge_files(struct bp_registry *registry, struct bp_found *row, const char *files);

#endif
