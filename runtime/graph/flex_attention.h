/* SPDX-License-Identifier: MIT */
/*
 * flex_attention.h - FlexAttention (ai.onnx.preview 1) with score_mod or prob_mod: providers never
 * see bodies, so nodes that compute it, the bodies' among them, take its place.
 */
#ifndef BP_GRAPH_FLEX_ATTENTION_H
#define BP_GRAPH_FLEX_ATTENTION_H

#include "graph/ir.h"

/*
 * Replaces the FlexAttention nodes with bodies, in a graph that is not sealed yet and its bodies.
 * Nodes without bodies stay. BP_E_INVALID: a body does not take one value and give one.
 */
bp_rc bp_flex_attention_expand(struct bp_ir *ir, bp_err *err) BP_CHECKED;

#endif
