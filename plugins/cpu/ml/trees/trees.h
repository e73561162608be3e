/* SPDX-License-Identifier: MIT */
/*
 * trees.h - Ensembles of decision trees.
 * The attributes of each operator version are first read to a list of nodes (struct
 * bp_cpu_tree_list). The list is checked and laid out as records of 16 bytes (24 for float64) in
 * breadth-first order. Eight walks run at once, because each step of a walk waits for memory.
 * Built once for a node; afterwards any number of threads read.
 */
#ifndef BP_CPU_ML_TREES_TREES_H
#define BP_CPU_ML_TREES_TREES_H

#include "ml/ml.h"

/* Comparison of a node, in the order of TreeEnsemble-5's integers. */
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

/* How the votes for a target are combined, in the order of TreeEnsemble-5's integers. */
enum { BP_CPU_TREE_AVERAGE, BP_CPU_TREE_SUM, BP_CPU_TREE_MIN, BP_CPU_TREE_MAX };

/* A node as the model describes it. */
struct bp_cpu_tree_node {
    double value;     /* to compare with */
    int64_t feature;  /* not checked */
    uint32_t yes, no; /* indices of the children; ignored in leaves */
    uint32_t set;     /* MEMBER: index of a set */
    uint8_t mode;
    bool nan_is_yes; /* a missing value takes the branch `yes` */
};

/* A weight of a leaf for a target or class. */
struct bp_cpu_tree_vote {
    double weight;
    int64_t target; /* not checked */
    uint32_t node;
};

/* All trees of a model; the memory is the reader's caller's. */
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

/* A record. A leaf is its own child, so that walks of different lengths can go on together. */
struct bp_cpu_tree_f32 {
    union {
        float value;
        uint32_t leaf;
    };
    uint32_t feature;     /* and BP_CPU_TREE_* bits */
    uint32_t children[2]; /* positions of the next node: comparison false, true */
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
    void *nodes;      /* bp_cpu_tree_f32 or _f64; positions count units of 8 bytes */
    uint32_t *roots;  /* positions */
    uint32_t *depths; /* of each tree: comparisons on the longest path */
    uint32_t n_trees;
    size_t bytes;        /* of all nodes */
    uint32_t n_features; /* the largest feature index that is compared, plus 1 */
    uint32_t n_targets;
    uint32_t aggregate;
    /*
     * What a sum of votes begins with: 0, unless the builder's caller sets -0, which stays only
     * where nothing voted, as no weight is -0.
     */
    double zero;
    uint32_t walk;  /* BP_CPU_WALK_* bits: which comparisons the nodes have */
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
 * Checks a list and lays it out; all memory is the node's. BP_E_INVALID: a cycle, or an index, a
 * target or a feature out of range. BP_E_NOMEM.
 */
bp_rc bp_cpu_trees_build(struct bp_cpu_node *node, const struct bp_cpu_tree_list *list,
                         uint32_t n_targets, uint32_t aggregate, bool is_double,
                         struct bp_cpu_trees *out, bp_err *err);

/*
 * bp_cpu_trees_start() sets sums, [n][n_targets], to "no vote"; bp_cpu_trees_add() adds the votes
 * of trees first..last for n rows of X, [n][cols], in the trees' type.
 */
void bp_cpu_trees_start(const struct bp_cpu_trees *trees, double *sums, size_t n);
void bp_cpu_trees_add(const struct bp_cpu_trees *trees, uint32_t first, uint32_t last,
                      const void *x, size_t cols, size_t n, double *sums);
/* Adds the sums of other trees, for threads that share the trees of one row. */
void bp_cpu_trees_merge(const struct bp_cpu_trees *trees, double *sums, const double *others,
                        size_t n);
/* The last step after all trees: AVERAGE divides, MIN and MAX turn "no vote" into 0. */
void bp_cpu_trees_end(const struct bp_cpu_trees *trees, double *sums, size_t n);

#endif
