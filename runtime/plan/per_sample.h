/* SPDX-License-Identifier: MIT */
/*
 * per_sample.h - groups whose samples do not meet: each entry of the first dimension, the batch, goes
 * through all nodes by itself, so that a group may run on a part of them at a time.
 */
#ifndef BP_PLAN_PER_SAMPLE_H
#define BP_PLAN_PER_SAMPLE_H

#include "graph/ir.h"

/*
 * Is it such a group, by exact facts? nodes: its own, in running order. *batch: the size of the first
 * dimension of each value that has_batch, one entry a value of the graph, false at first, names. All
 * that the group reads or makes and that is no constant has it.
 */
bool bp_is_per_sample(const struct bp_ir *ir, const uint32_t *nodes, uint32_t n_nodes,
                      const struct bp_fact *facts, bool *has_batch, int64_t *batch);

#endif
