/* SPDX-License-Identifier: MIT */
/* gradient_rules.h - derivatives of operators. */
#ifndef BP_GRAPH_EXPAND_GRADIENT_RULES_H
#define BP_GRAPH_EXPAND_GRADIENT_RULES_H

#include "graph/expand/gradient_emit.h"

/*
 * From the gradient of a node's output to those of its inputs. False: no rule for the operator in
 * this form; *why says which form, or is NULL.
 */
bool bp_gradient_of_node(struct bp_gradient *g, const struct bp_ir_node *node, uint32_t dy,
                         const char **why);

#endif
