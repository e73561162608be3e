/* SPDX-License-Identifier: MIT */
/*
 * trees_run.h - ensembles over all rows of X: threads share the rows, or, of few rows, the trees.
 */
#ifndef BP_CPU_ML_TREES_TREES_RUN_H
#define BP_CPU_ML_TREES_TREES_RUN_H

#include "ml/trees/trees.h"

/* Turns sums of rows first .. first + n into outputs; may change them. */
typedef void (*bp_cpu_trees_fn)(struct bp_cpu_call *call, double *sums, int64_t first, size_t n);

/* First field of the state of such an operator. */
struct bp_cpu_trees_run {
    const struct bp_cpu_trees *trees;
    bp_cpu_trees_fn finish;
    int64_t rows, cols;
    size_t block_rows, x_bytes, worker_bytes;
    uint32_t slices; /* of rows */
    uint32_t parts;  /* of the trees; above 1 there is one slice */
};

/* Sets call->state to `bytes` of zeros that begin with the struct above, and its scratch. */
bp_rc bp_cpu_trees_prepare(struct bp_cpu_call *call, size_t bytes, const struct bp_cpu_trees *trees,
                           bp_cpu_trees_fn finish, bp_err *err);
bp_rc bp_cpu_trees_run(struct bp_cpu_call *call, bp_err *err);

/* Number of targets of attribute n_targets; without it as many as ids of `name` need. */
bp_rc bp_cpu_trees_targets(const struct bp_cpu_node *node, const char *name, uint32_t *out,
                           bp_err *err);
/* Is X compared in float64? All but float32 and float16 are. */
bool bp_cpu_trees_are_double(const struct bp_cpu_node *node);

#endif
