/* SPDX-License-Identifier: MIT */
/* without.h - a graph without some of its inputs: what they lead to goes, the rest stays. */
#ifndef BP_GRAPH_WITHOUT_H
#define BP_GRAPH_WITHOUT_H

#include "graph/ir.h"

/* Marks, in one flag a value, what is made of the values that are marked already. The graph is sealed. */
void bp_ir_mark_downstream(const struct bp_ir *ir, bool *marked);
/* Takes out nodes and outputs that are marked; values stay, and so do inputs. */
void bp_ir_drop_marked(struct bp_ir *ir, const bool *marked);
/* Does a node of the graph or of a subgraph in it read the value, or is it an output? */
bool bp_ir_is_needed(const struct bp_ir *ir, uint32_t value);

#endif
