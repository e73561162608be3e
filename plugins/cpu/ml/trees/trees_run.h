/* SPDX-License-Identifier: MIT */
/*
 * trees_run.h - The driver of tree ensembles over all rows of X: the threads share the rows, or, if
 * there are few rows, the trees.
 */
#ifndef BP_CPU_ML_TREES_TREES_RUN_H
#define BP_CPU_ML_TREES_TREES_RUN_H

#include "ml/trees/trees.h"

/*
 * Turns the sums of rows first .. first + n, [n][n_targets], into outputs; it may change them.
 * Several threads call it at once for different rows.
 */
typedef void (*bp_cpu_trees_fn)(struct bp_cpu_call *call, double *sums, int64_t first, size_t n);

/* The first field of the state of such an operator. */
struct bp_cpu_trees_run {
    const struct bp_cpu_trees *trees;
    bp_cpu_trees_fn finish;
    int64_t rows, cols;
    size_t block_rows, x_bytes, worker_bytes;
    uint32_t slices; /* of rows */
    uint32_t parts;  /* of the trees; above 1 there is one slice */
};

/*
 * For op->prepare: sets call->state to `bytes` zeros that begin with the struct above, and the
 * scratch size. BP_E_SHAPE: X has fewer features than the trees compare. BP_E_NOMEM.
 */
bp_rc bp_cpu_trees_prepare(struct bp_cpu_call *call, size_t bytes, const struct bp_cpu_trees *trees,
                           bp_cpu_trees_fn finish, bp_err *err);
bp_rc bp_cpu_trees_run(struct bp_cpu_call *call, bp_err *err);

/* Attribute n_targets; if absent, the largest id in list `name` plus 1. BP_E_INVALID. */
bp_rc bp_cpu_trees_targets(const struct bp_cpu_node *node, const char *name, uint32_t *out,
                           bp_err *err);
/* Whether X is compared in float64: all types but float32 and float16. */
bool bp_cpu_trees_are_double(const struct bp_cpu_node *node);

#endif
