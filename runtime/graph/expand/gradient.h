/* SPDX-License-Identifier: MIT */
/*
 * gradient.h - the operator Gradient (ai.onnx.preview.training 1): its node asks for derivatives of
 * one value of the graph by others, so nodes that compute them take its place.
 */
#ifndef BP_GRAPH_EXPAND_GRADIENT_H
#define BP_GRAPH_EXPAND_GRADIENT_H

#include "graph/ir.h"

/*
 * Replaces the Gradient nodes of a graph that is not sealed yet; subgraphs are left alone.
 * BP_E_UNSUPPORTED: an operator on the path without a known derivative, which is named.
 */
bp_rc bp_gradient_expand(struct bp_ir *ir, bp_err *err) BP_CHECKED;

#endif
