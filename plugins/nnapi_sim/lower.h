/* SPDX-License-Identifier: MIT */
/* lower.h - nodes become operations of NNAPI. */
#ifndef BP_NN_LOWER_H
#define BP_NN_LOWER_H

#include "operator.h"

/* The node's operations, unless a unit or an operation before it has taken it in. b->rc: a failure. */
void bp_nn_lower_node(struct bp_nn_build *b, uint32_t index);
/* A group hands results on in ONNX's order: those of the node are made in it. */
void bp_nn_convert_outputs(struct bp_nn_build *b, uint32_t index);
/* Everything that was computed and that no operation reads is an output of the model. */
void bp_nn_end_trial(struct bp_nn_build *b);
/*
 * All nodes of the graph; its outputs in ONNX's order are the model's. in and out: for each input
 * and output of the graph its place among those of the model, BP_NONE for an input that nothing
 * reads.
 */
void bp_nn_lower_graph(struct bp_nn_build *b, uint32_t *in, uint32_t *out);

#endif
