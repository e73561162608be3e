/* SPDX-License-Identifier: MIT */
/* copies.h - how many values each group of a partition has copied between memory spaces. */
#ifndef BP_PLAN_COPIES_H
#define BP_PLAN_COPIES_H

#include "plan/partition.h"

/* Of one group, a run. */
struct bp_copies {
    uint32_t n, n_unsized; /* those whose size only a run knows are in both */
    uint64_t bytes;        /* of the others */
};

/*
 * Counts for all groups: in host memory 0. A value is copied to a provider's memory for the first
 * group of a stage that reads it there, and to the host after the group that made it, once however
 * many read it. A provider that chooses other spaces than its first, frame by frame, may have
 * others. *out is from region, one a group.
 */
bp_rc bp_copies_count(const struct bp_partition *part, struct bp_region *region,
                      struct bp_copies **out, bp_err *err) BP_CHECKED;

#endif
