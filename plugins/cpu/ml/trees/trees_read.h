/* SPDX-License-Identifier: MIT */
/*
 * trees_read.h - Reads the trees of a node's attributes to a list.
 * What the functions return is allocated from `memory`, which the caller frees. BP_E_INVALID:
 * attributes are missing or contradict each other. BP_E_NOMEM.
 */
#ifndef BP_CPU_ML_TREES_TREES_READ_H
#define BP_CPU_ML_TREES_TREES_READ_H

#include "ml/trees/trees.h"

struct bp_blocks;

/*
 * The nodes_* attributes of TreeEnsembleClassifier and TreeEnsembleRegressor, and votes from
 * <kind>_ids, <kind>_nodeids...; kind is "class" or "target".
 */
bp_rc bp_cpu_trees_read(const struct bp_cpu_node *node, const char *kind, struct bp_blocks *memory,
                        struct bp_cpu_tree_list *out, bp_err *err);
/* The attributes of TreeEnsemble-5. Leaves get the indices after those of the interior nodes. */
bp_rc bp_cpu_trees_read_5(const struct bp_cpu_node *node, struct bp_blocks *memory,
                          struct bp_cpu_tree_list *out, bp_err *err);
/*
 * A list of floats as doubles: attribute `name`, or tensor <name>_as_tensor, or tensor `name`. NULL
 * and 0: none is given. BP_E_INVALID: the tensor holds no floats, or both are given.
 */
bp_rc bp_cpu_reals_read(const struct bp_cpu_node *node, const char *name, struct bp_blocks *memory,
                        double **out, uint32_t *count, bp_err *err);

#endif
