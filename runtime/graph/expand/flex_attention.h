/* SPDX-License-Identifier: MIT */
/*
 * flex_attention.h - FlexAttention (ai.onnx.preview 1) with score_mod or prob_mod: providers never
 * see subgraphs, so nodes that compute it, the subgraphs' among them, take its place.
 */
#ifndef BP_GRAPH_EXPAND_FLEX_ATTENTION_H
#define BP_GRAPH_EXPAND_FLEX_ATTENTION_H

#include "graph/ir.h"

/*
 * Replaces the FlexAttention nodes with subgraphs, in a graph that is not sealed yet and its subgraphs.
 * Nodes without subgraphs stay. BP_E_INVALID: a subgraph does not take one value and give one.
 */
bp_rc bp_flex_attention_expand(struct bp_ir *ir, bp_err *err) BP_CHECKED;

#endif
