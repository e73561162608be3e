/* SPDX-License-Identifier: MIT */
/* rnn_claim.h - what LSTM, GRU and RNN nodes ask for, and which of them are taken. */
#ifndef BP_DNNL_RNN_CLAIM_H
#define BP_DNNL_RNN_CLAIM_H

#include "base/operator.h"

/* Gates of an LSTM (4), GRU (3) or RNN (1), by the kind of its row. */
dnnl_dim_t bp_dnnl_rnn_gates(dnnl_alg_kind_t kind);
/* Of a node that is taken. */
dnnl_rnn_direction_t bp_dnnl_rnn_direction(const bp_graph *graph, const bp_node *node);
/* Of an RNN that is taken; LSTM and GRU have their default ones. */
dnnl_alg_kind_t bp_dnnl_rnn_activation(const bp_graph *graph, const bp_node *node);
/* struct bp_dnnl_op's claim. */
bool bp_dnnl_rnn_claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                       double *flops);

#endif
