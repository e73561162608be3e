/* SPDX-License-Identifier: MIT */
/*
 * trees.h - ensembles of decision trees. Whatever form a model gives them in is first a list of
 * nodes (struct bp_cpu_tree_list), then checked and laid out in records of 16 bytes (24 for
 * float64) in the order in which they are walked. Eight walks go side by side, as each waits for
 * memory at every step.
 */
#ifndef BP_CPU_ML_TREES_TREES_H
#define BP_CPU_ML_TREES_TREES_H

#include "ml/ml.h"

/* How a node compares; in the order of TreeEnsemble's numbers. */
enum {
    BP_CPU_TREE_LEQ,
    BP_CPU_TREE_LT,
    BP_CPU_TREE_GTE,
    BP_CPU_TREE_GT,
    BP_CPU_TREE_EQ,
    BP_CPU_TREE_NEQ,
    BP_CPU_TREE_MEMBER,
    BP_CPU_TREE_LEAF
};

/* What becomes of the votes for a target; in the order of TreeEnsemble's numbers. */
enum { BP_CPU_TREE_AVERAGE, BP_CPU_TREE_SUM, BP_CPU_TREE_MIN, BP_CPU_TREE_MAX };

/* The trees as a model has them. */
struct bp_cpu_tree_node {
    double value;     /* to compare with */
    int64_t feature;  /* not checked */
    uint32_t yes, no; /* indices of nodes; not looked at in leaves */
    uint32_t set;     /* MEMBER: index of a set */
    uint8_t mode;
    bool nan_is_yes; /* a missing value takes the branch `yes` */
};

struct bp_cpu_tree_vote {
    double weight;
    int64_t target; /* not checked */
    uint32_t node;
};

struct bp_cpu_tree_list {
    struct bp_cpu_tree_node *nodes;
    uint32_t *roots;
    struct bp_cpu_tree_vote *votes;
    /* set s has the members set_first[s] to set_first[s + 1] */
    double *members;
    uint32_t *set_first;
    uint32_t n_nodes, n_roots, n_votes, n_sets;
};

/* ---- laid out -------------------------------------------------------------------------------- */

/* A leaf is its own child, so that walks of different lengths can go on together. */
struct bp_cpu_tree_f32 {
    union {
        float value;
        uint32_t leaf;
    };
    uint32_t feature;     /* and BP_CPU_TREE_* bits */
    uint32_t children[2]; /* places where it goes on if x <= value does not hold, and if it does */
};

struct bp_cpu_tree_f64 {
    union {
        double value;
        uint32_t leaf;
    };
    uint32_t feature;
    uint32_t children[2];
};

enum {
    BP_CPU_TREE_NAN_HOLDS = 1u << 31, /* the comparison holds for a missing value */
    BP_CPU_TREE_IS_EQUAL = 1u << 30,  /* x == value instead of x <= value */
    BP_CPU_TREE_IS_MEMBER = 1u << 29, /* leaf: the set that x is looked up in */
    BP_CPU_TREE_FEATURE = (1u << 29) - 1
};

/* A weight of a leaf, where there is more than one target. */
struct bp_cpu_tree_weight {
    double weight;
    uint32_t target;
};

struct bp_cpu_trees {
    void *nodes;      /* of one of the types above; a place is a number of eight bytes in there */
    uint32_t *roots;  /* places */
    uint32_t *depths; /* of the trees: comparisons on the longest way */
    uint32_t n_trees;
    size_t bytes;        /* of all nodes */
    uint32_t n_features; /* one more than the largest that is compared */
    uint32_t n_targets;
    uint32_t aggregate;
    /*
     * What a sum of votes begins with: 0, unless the builder's caller sets -0, which stays only
     * where nothing voted, as no weight is -0.
     */
    double zero;
    uint32_t walk;  /* the loop that is enough for these nodes */
    bool is_double; /* nodes are bp_cpu_tree_f64; X is compared in that type */
    int64_t steps;  /* sum of the depths */
    /*
     * With one target a leaf's value is its weight (NaN: none, for MIN and MAX). With more, leaf l
     * has the weights leaf_first[l] to leaf_first[l + 1].
     */
    uint32_t *leaf_first;
    struct bp_cpu_tree_weight *weights;
    const double *members; /* sorted within each set */
    const uint32_t *set_first;
};

/*
 * Checks and lays out; all memory is the node's. BP_E_INVALID: a cycle, an index that is outside, a
 * target or feature that cannot be.
 */
bp_rc bp_cpu_trees_build(struct bp_cpu_node *node, const struct bp_cpu_tree_list *list,
                         uint32_t n_targets, uint32_t aggregate, bool is_double,
                         struct bp_cpu_trees *out, bp_err *err);

/*
 * Adds what trees first..last say of n rows of X (of `cols` features) to sums, n rows of n_targets.
 * bp_cpu_trees_start() sets those first.
 */
void bp_cpu_trees_start(const struct bp_cpu_trees *trees, double *sums, size_t n);
void bp_cpu_trees_add(const struct bp_cpu_trees *trees, uint32_t first, uint32_t last,
                      const void *x, size_t cols, size_t n, double *sums);
/* Sums of some trees and of others become those of both. */
void bp_cpu_trees_merge(const struct bp_cpu_trees *trees, double *sums, const double *others,
                        size_t n);
/* What is left to do when all trees have been added: means, and 0 where nothing voted. */
void bp_cpu_trees_end(const struct bp_cpu_trees *trees, double *sums, size_t n);

#endif
