/* SPDX-License-Identifier: MIT */
/* groups.h - makes the groups of a partition whose nodes have providers and stages. */
#ifndef BP_PLAN_GROUPS_H
#define BP_PLAN_GROUPS_H

#include "plan/partition.h"

/*
 * Fills groups and group_of, but not the groups' views. A node that its provider takes only in a
 * group with others (BP_ONLY_IN_GROUP) and that has no such group goes to the next provider that
 * takes it; provider_of and verdicts are changed. BP_E_NOMEM.
 */
bp_rc bp_groups_make(struct bp_partition *part, struct bp_region *region, bp_err *err) BP_CHECKED;

#endif
