/* SPDX-License-Identifier: MIT */
/* fact.h - questions about what is known of a value (struct bp_fact), and its content. */
#ifndef BP_GRAPH_FACT_H
#define BP_GRAPH_FACT_H

#include "graph/ir.h"

/*
 * Sets the content of an integer or bool tensor of at most BP_MAX_CONTENT elements, and the reals
 * of a float tensor of at most BP_MAX_REALS, from its bytes (little-endian, any alignment); none
 * for others.
 */
bp_rc bp_infer_content(struct bp_fact *fact, const void *bytes, struct bp_region *region,
                       bp_err *err) BP_CHECKED;
/* Would that set something? Then the bytes are worth loading. */
bool bp_fact_has_content(const struct bp_fact *fact);
/* Is nothing known of the value, not even that it is a tensor? */
bool bp_fact_is_blank(const struct bp_fact *fact);
/* The tensor innermost in sequences, optionals and sparse tensors; NULL: a map, or not known. */
const struct bp_fact *bp_fact_innermost(const struct bp_fact *fact);
/* Does the host run the node: control flow, or values that are not tensors? */
bool bp_node_is_host_op(const struct bp_ir_node *node, const struct bp_fact *facts);
/* Is every size exact? */
bool bp_fact_is_exact(const struct bp_fact *fact);
/* Is rank or a size known only once the producer has run? */
bool bp_fact_needs_data(const struct bp_fact *fact, const struct bp_symbols *symbols);
/* "float32[batch,3,?,224]" for messages; writes at most cap bytes. */
void bp_fact_text(const struct bp_fact *fact, const struct bp_symbols *symbols, char *buf,
                  size_t cap);

#endif
