/* SPDX-License-Identifier: MIT */
/* trees_walk.h - what the builder of trees and the walker agree on. */
#ifndef BP_CPU_ML_TREES_TREES_WALK_H
#define BP_CPU_ML_TREES_TREES_WALK_H

#include "ml/trees/trees.h"

/* Which comparisons a walk must know; bits, so that those of nodes can be gathered. */
enum {
    BP_CPU_WALK_PLAIN = 0,      /* x <= value, which does not hold for a missing x */
    BP_CPU_WALK_NANS = 1u << 0, /* it may hold for one */
    BP_CPU_WALK_ANY = 1u << 1,  /* or x == value */
    BP_CPU_WALK_SETS = 1u << 2, /* or x is in a set */
    BP_CPU_N_WALKS = 1u << 3
};

/* Another vote for a target. A NaN stands for no vote so far where votes are not added. */
static inline void bp_cpu_tree_vote_add(uint32_t aggregate, double *sum, double weight)
{
    if (aggregate <= BP_CPU_TREE_SUM)
        *sum += weight;
    else if (*sum != *sum || (aggregate == BP_CPU_TREE_MIN ? weight < *sum : weight > *sum))
        *sum = weight;
}

#endif
