/* SPDX-License-Identifier: MIT */
/* text.h - the parts of plan_print. */
#ifndef BP_TOOLS_PLAN_TEXT_H
#define BP_TOOLS_PLAN_TEXT_H

#include "plan/plan.h"

/* Prints how many rows of a table were left out; nothing when none was. */
void plan_more(size_t all, size_t shown);
/* Prints the optimization passes that matched, or all of them; nothing for an empty table. */
bp_rc plan_passes(const struct cli *cli, const bp_report *report, bool all, bp_err *err) BP_CHECKED;
/* Prints the table of refusals; equal refusals share a row. */
bp_rc plan_refusals(const struct cli *cli, const bp_report *report, bool all,
                    bp_err *err) BP_CHECKED;

#endif
