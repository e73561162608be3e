/* SPDX-License-Identifier: MIT */
/* to_channels_last.h - rewrites nodes of a graph so that their data are channels-last. */
#ifndef BP_OPTIMIZE_TO_CHANNELS_LAST_H
#define BP_OPTIMIZE_TO_CHANNELS_LAST_H

#include "graph/fact.h"
#include "graph/ir.h"

/*
 * May the node be rewritten: has it a layout (bp_layout_inputs()), one output, and inputs of equal
 * known rank, 3 or more?
 */
bool bp_can_be_channels_last(const struct bp_ir_node *node, const struct bp_fact *facts);

/*
 * Makes the chosen nodes (one bool a node, each may be rewritten) of a sealed graph
 * channels-last. Their data come through Transposes; elementwise nodes, quantization and Concat in
 * between run on data that are channels-last already, so that Transposes are left only where others
 * need the model's layout. *n_left is their number. The graph is sealed afterwards; facts (one a value that
 * there was before) do not hold for it. BP_E_NOMEM, which leaves the graph of no use.
 */
bp_rc bp_to_channels_last(struct bp_ir *ir, const struct bp_fact *facts, const bool *chosen,
                          uint32_t *n_left, bp_err *err) BP_CHECKED;

#endif
