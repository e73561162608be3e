/* SPDX-License-Identifier: MIT */
/* reassign.h - is a group worth its copies? */
#ifndef BP_PLAN_REASSIGN_H
#define BP_PLAN_REASSIGN_H

#include "plan/partition.h"

/*
 * Compares, for each group of nodes (roots: one a node, the first of its group) whose provider said
 * what all of them cost: what it said, with starting them and the copies between memories, against
 * what the next takers say, or the host estimates for them, if they compute in host memory. Nodes
 * of a group that is not worth it get verdict BP_NO, BP_R_NOT_PROFITABLE; *changed says whether
 * there were any. Left alone: what a placement rule decided, and sizes that are not known.
 * BP_E_NOMEM.
 */
bp_rc bp_reassign_costly(struct bp_partition *part, const uint32_t *roots, struct bp_region *region,
                         bool *changed, bp_err *err) BP_CHECKED;

/*
 * A rough estimate of the nanoseconds that a core of a common machine needs for a node; negative:
 * no estimate. Covers matrix products, convolutions and operators that pass over their elements
 * once.
 */
double bp_host_ns(const struct bp_ir *ir, const struct bp_fact *facts, uint32_t node);
/* Bytes of a value; less than 0: not known. */
double bp_fact_bytes(const struct bp_fact *fact);

#endif
