/* SPDX-License-Identifier: MIT */
/*
 * trees_walk.h - What the builder of trees and the walks share: kinds of comparisons, and adding a
 * vote.
 */
#ifndef BP_CPU_ML_TREES_TREES_WALK_H
#define BP_CPU_ML_TREES_TREES_WALK_H

#include "ml/trees/trees.h"

/* Which comparisons a walk must support: bits, gathered over all nodes. */
enum {
    BP_CPU_WALK_PLAIN = 0,      /* x <= value, false for NaN */
    BP_CPU_WALK_NANS = 1u << 0, /* it may be true for NaN */
    BP_CPU_WALK_ANY = 1u << 1,  /* or x == value */
    BP_CPU_WALK_SETS = 1u << 2, /* or x is in a set */
    BP_CPU_N_WALKS = 1u << 3
};

/* Combines a vote with the sum so far. For MIN and MAX, a sum of NaN means no vote so far. */
static inline void bp_cpu_tree_vote_add(uint32_t aggregate, double *sum, double weight)
{
    if (aggregate <= BP_CPU_TREE_SUM)
        *sum += weight;
    else if (*sum != *sum || (aggregate == BP_CPU_TREE_MIN ? weight < *sum : weight > *sum))
        *sum = weight;
}

#endif
