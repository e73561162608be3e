/* SPDX-License-Identifier: MIT */
/* groups.h - makes the groups of a partition whose nodes have providers and stages. */
#ifndef BP_PLAN_GROUPS_H
#define BP_PLAN_GROUPS_H

#include "plan/partition.h"

/*
 * Fills groups and group_of, but for the views. Nodes that a provider wants in company only, and
 * that have none, go to the next that takes them, in provider_of and verdicts. BP_E_NOMEM.
 */
bp_rc bp_groups_make(struct bp_partition *part, struct bp_region *region, bp_err *err) BP_CHECKED;

#endif
