/* SPDX-License-Identifier: MIT */
/* seal_parts.h - the steps of bp_ir_seal() that have files of their own. */
#ifndef BP_GRAPH_SEAL_PARTS_H
#define BP_GRAPH_SEAL_PARTS_H

#include "graph/ir.h"

/*
 * Holds a node against its schema, which it has: counts of inputs and outputs, attributes. Absent
 * inputs at the end are dropped, defaults of attributes are added and all of them hashed, required
 * outputs without a name get one.
 */
bp_rc bp_ir_check_node(struct bp_ir *ir, struct bp_ir_node *node, bp_err *err) BP_CHECKED;
/*
 * Moves the nodes into an order in which they can run: each time the first in the file's order that
 * can. Producers of values are set, and are set anew.
 */
bp_rc bp_ir_order(struct bp_ir *ir, bp_err *err) BP_CHECKED;

#endif
