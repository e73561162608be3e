/* SPDX-License-Identifier: MIT */
/* rnn_weights.h - constants of LSTM, GRU and RNN: gates in oneDNN's order, biases summed. */
#ifndef BP_DNNL_RNN_WEIGHTS_H
#define BP_DNNL_RNN_WEIGHTS_H

#include "ops/rnn_node.h"

/* Zeros for a state or bias that is absent; they live as long as the frame. */
bp_rc bp_dnnl_rnn_zeros(struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k,
                        const dnnl_memory_desc_t *md, struct bp_dnnl_tensor *out, bp_err *err);
/* Sets k's tensors of W, R, B and P in the layouts that pd has chosen. */
bp_rc bp_dnnl_rnn_constants(struct bp_dnnl_builder *b, struct bp_dnnl_rnn *k,
                            const_dnnl_primitive_desc_t pd, bp_err *err);

#endif
