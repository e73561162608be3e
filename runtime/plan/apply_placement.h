/* SPDX-License-Identifier: MIT */
/* apply_placement.h - applies placement rules to the verdicts of providers. */
#ifndef BP_PLAN_APPLY_PLACEMENT_H
#define BP_PLAN_APPLY_PLACEMENT_H

#include "plan/partition.h"
#include "plan/placement_rules.h"

/* Turns verdicts on node n into refusals where rules say so, and notes the rule that decided. */
void bp_placement_apply(const struct bp_placement *placement, const struct bp_asked *asked,
                        struct bp_partition *out, uint32_t n);

/*
 * Before passes change a sealed graph: nodes that a rule for one of the providers speaks of are
 * pinned, and the nodes around them, so that the rule keeps its meaning. Rules for others decide
 * nothing, but are noted as matched. BP_E_NOMEM.
 */
bp_rc bp_placement_pin(const struct bp_placement *placement, const struct bp_asked *asked,
                       uint32_t n_asked, struct bp_ir *ir, bp_err *err) BP_CHECKED;

#endif
