/* SPDX-License-Identifier: MIT */
/* duplicates.h - which of several files that hold one provider is used. */
#ifndef BP_HOST_DUPLICATES_H
#define BP_HOST_DUPLICATES_H

#include "host/candidate.h"

/*
 * Goes through candidates, all in the order of directories and names at first: a file that is there
 * twice is one; of files with one id the higher version is used, then the earlier directory, then
 * the higher level of instructions; what is linked in goes before files of its name. Who loses is
 * told why, and is no longer listed. A draw is an error of both.
 */
void bp_duplicates_settle(struct bp_candidate *first, const struct bp_log *log);

#endif
