/* SPDX-License-Identifier: MIT */
/* together.h - nodes that a provider takes together or not at all (bp_claim.together). */
#ifndef BP_PLAN_TOGETHER_H
#define BP_PLAN_TOGETHER_H

#include "plan/partition.h"

/*
 * Refuses, in their provider's name, sets of nodes that did not end up in one group. roots: one a
 * node, equal for nodes of one group. *changed: a verdict became BP_NO. BP_E_NOMEM.
 */
bp_rc bp_refuse_divided(struct bp_partition *part, const uint32_t *roots, bool *changed,
                        bp_err *err) BP_CHECKED;

#endif
