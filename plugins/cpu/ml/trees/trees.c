/* SPDX-License-Identifier: MIT */
/* trees.c - Sums of the votes of decision trees for rows of features; see trees.h. */

#include "kernels/types/loops.h"
#include "ml/trees/trees_walk.h"

#include <math.h>

/* Rows, or trees, that are walked at once: enough to hide the latency of the L2 cache. */
#define LANES 8
/* Unrolled loops over lanes keep the lanes' positions in registers. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__)
#define UNROLL _Pragma("GCC unroll 8")
#else
#define UNROLL
#endif
/* Steps between two checks whether all lanes have reached their leaves. */
#define CHUNK 4
/* BP_CPU_WALK_NANS where no x is missing */
#define MASKED BP_CPU_N_WALKS
#define WALK_JOIN(name, kind, suffix) name##_##kind##_##suffix
#define WALK(name, kind, suffix) WALK_JOIN(name, kind, suffix)

/* Bisection in a sorted set. */
static bool is_member(const struct bp_cpu_trees *trees, uint32_t set, double x)
{
    uint32_t low = trees->set_first[set], high = trees->set_first[set + 1];

    while (low < high) {
        uint32_t middle = low + (high - low) / 2;

        if (trees->members[middle] < x)
            low = middle + 1;
        else
            high = middle;
    }
    return low < trees->set_first[set + 1] && !(trees->members[low] > x);
}

#define NODE struct bp_cpu_tree_f32
#define C float
#define SUFFIX f32
#include "ml/trees/trees_add.inc"

#define NODE struct bp_cpu_tree_f64
#define C double
#define SUFFIX f64
#include "ml/trees/trees_add.inc"

/* For MIN and MAX, NaN stands for "no vote yet". */
void bp_cpu_trees_start(const struct bp_cpu_trees *trees, double *sums, size_t n)
{
    double nothing = trees->aggregate <= BP_CPU_TREE_SUM ? trees->zero : (double)NAN;

    for (size_t i = 0; i < n * trees->n_targets; i++)
        sums[i] = nothing;
}

void bp_cpu_trees_add(const struct bp_cpu_trees *trees, uint32_t first, uint32_t last,
                      const void *x, size_t cols, size_t n, double *sums)
{
    if (trees->is_double)
        add_f64(trees, first, last, x, cols, n, sums);
    else
        add_f32(trees, first, last, x, cols, n, sums);
}

void bp_cpu_trees_merge(const struct bp_cpu_trees *trees, double *sums, const double *others,
                        size_t n)
{
    for (size_t i = 0; i < n * trees->n_targets; i++) {
        if (others[i] == others[i] || trees->aggregate <= BP_CPU_TREE_SUM)
            bp_cpu_tree_vote_add(trees->aggregate, &sums[i], others[i]);
    }
}

void bp_cpu_trees_end(const struct bp_cpu_trees *trees, double *sums, size_t n)
{
    for (size_t i = 0; i < n * trees->n_targets; i++) {
        if (trees->aggregate == BP_CPU_TREE_AVERAGE && trees->n_trees > 0)
            sums[i] /= (double)trees->n_trees;
        else if (trees->aggregate > BP_CPU_TREE_SUM && sums[i] != sums[i])
            sums[i] = 0;
    }
}
