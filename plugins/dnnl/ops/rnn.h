/* SPDX-License-Identifier: MIT */
/* rnn.h - what is known of LSTM, GRU and RNN nodes before there are sizes. */
#ifndef BP_DNNL_RNN_H
#define BP_DNNL_RNN_H

#include "onednn.h"

/* Inputs and outputs. */
enum {
    BP_DNNL_RNN_X,
    BP_DNNL_RNN_W,
    BP_DNNL_RNN_R,
    BP_DNNL_RNN_B,
    BP_DNNL_RNN_LENGTHS,
    BP_DNNL_RNN_INITIAL_H,
    BP_DNNL_RNN_INITIAL_C,
    BP_DNNL_RNN_P
};
enum { BP_DNNL_RNN_Y, BP_DNNL_RNN_Y_H, BP_DNNL_RNN_Y_C };

/* Batches from which on LSTM's matrices are worth oneDNN's blocks of them. */
enum { BP_DNNL_RNN_BLOCKS_FROM = 4 };

/* Gates of an LSTM, GRU or RNN, by the kind of its row. */
dnnl_dim_t bp_dnnl_rnn_gates(dnnl_alg_kind_t kind);
/* Of a node that is taken; for RNN alone: the activation. */
dnnl_rnn_direction_t bp_dnnl_rnn_direction(const bp_graph *graph, const bp_node *node);
dnnl_alg_kind_t bp_dnnl_rnn_activation(const bp_graph *graph, const bp_node *node);
bool bp_dnnl_rnn_claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                       double *flops);

/* A node in the making. */
struct bp_dnnl_rnn {
    const bp_node *node;
    dnnl_alg_kind_t kind, activation;
    bool is_linear;      /* GRU that multiplies by the reset gate behind the product */
    bool is_batch_first; /* layout 1 */
    dnnl_dim_t steps, batch, input, hidden, directions, gates;
    /* as oneDNN sees them */
    dnnl_memory_desc_t x, y, state, bias, peepholes, w, r;
    struct bp_dnnl_tensor x_tensor, w_tensor, r_tensor, bias_tensor, peephole_tensor, y_tensor;
    struct bp_dnnl_tensor from_h, from_c, to_h, to_c;
    bool has_start, has_end; /* states are given, states are wanted */
};

/* Zeros for as long as the frame lives. */
bp_rc bp_dnnl_rnn_zeros(struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k,
                        const dnnl_memory_desc_t *md, struct bp_dnnl_tensor *out, bp_err *err);
/* The constants in oneDNN's order and the layouts of pd, as forms. */
bp_rc bp_dnnl_rnn_constants(struct bp_dnnl_builder *b, struct bp_dnnl_rnn *k,
                            const_dnnl_primitive_desc_t pd, bp_err *err);

#endif
