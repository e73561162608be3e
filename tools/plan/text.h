/* SPDX-License-Identifier: MIT */
/* text.h - the parts of plan_print. */
#ifndef BP_TOOLS_PLAN_TEXT_H
#define BP_TOOLS_PLAN_TEXT_H

#include "plan/plan.h"

/* Says how many rows of a table were left out. */
void plan_more(size_t all, size_t shown);
/* The table of passes that found something, or of all; nothing where there are none. */
bp_rc plan_passes(const struct cli *cli, const bp_report *report, bool all, bp_err *err) BP_CHECKED;
/* The table of refusals, one row a kind. */
bp_rc plan_refusals(const struct cli *cli, const bp_report *report, bool all,
                    bp_err *err) BP_CHECKED;

#endif
