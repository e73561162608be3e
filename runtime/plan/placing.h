/* SPDX-License-Identifier: MIT */
/* placing.h - what placement rules make of the answers of providers about a node. */
#ifndef BP_PLAN_PLACING_H
#define BP_PLAN_PLACING_H

#include "plan/partition.h"

/* Turns verdicts on node n into refusals where rules say so, and notes the rule that decided. */
void bp_placing_apply(const struct bp_placing *placing, const struct bp_asked *asked,
                      struct bp_partition *out, uint32_t n);

#endif
