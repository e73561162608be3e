/* SPDX-License-Identifier: MIT */
/* trees_read.h - trees as the attributes of a node have them. */
#ifndef BP_CPU_ML_TREES_TREES_READ_H
#define BP_CPU_ML_TREES_TREES_READ_H

#include "ml/trees/trees.h"

struct bp_blocks;

/*
 * The attributes nodes_* of TreeEnsembleClassifier and TreeEnsembleRegressor, and votes from
 * <kind>_ids and its like, "class" or "target". Everything is allocated from memory.
 */
bp_rc bp_cpu_trees_read(const struct bp_cpu_node *node, const char *kind, struct bp_blocks *memory,
                        struct bp_cpu_tree_list *out, bp_err *err);
/* The attributes of TreeEnsemble: leaves have indices behind those of the branches. */
bp_rc bp_cpu_trees_read_5(const struct bp_cpu_node *node, struct bp_blocks *memory,
                          struct bp_cpu_tree_list *out, bp_err *err);
/*
 * A list of floats, or the tensor called <name>_as_tensor, or the tensor `name`; NULL and 0: none
 * is given. BP_E_INVALID: the tensor holds no floats, or both are given.
 */
bp_rc bp_cpu_numbers_read(const struct bp_cpu_node *node, const char *name,
                          struct bp_blocks *memory, double **out, uint32_t *count, bp_err *err);

#endif
