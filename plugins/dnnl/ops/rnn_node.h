/* SPDX-License-Identifier: MIT */
/* rnn_node.h - a LSTM, GRU or RNN node that is being built. */
#ifndef BP_DNNL_RNN_NODE_H
#define BP_DNNL_RNN_NODE_H

#include "build/builder.h"

/* Inputs and outputs, as ONNX numbers them; X, W and R are always there. */
enum {
    BP_DNNL_RNN_X,
    BP_DNNL_RNN_W,
    BP_DNNL_RNN_R,
    BP_DNNL_RNN_B,
    BP_DNNL_RNN_LENGTHS,
    BP_DNNL_RNN_INITIAL_H,
    BP_DNNL_RNN_INITIAL_C, /* this and P: of LSTM alone */
    BP_DNNL_RNN_P
};
enum { BP_DNNL_RNN_Y, BP_DNNL_RNN_Y_H, BP_DNNL_RNN_Y_C };

struct bp_dnnl_rnn {
    const bp_node *node;
    dnnl_alg_kind_t kind, activation;
    bool is_linear;      /* GRU with linear_before_reset: the reset gate comes after the product */
    bool is_batch_first; /* layout 1 */
    dnnl_dim_t steps, batch, input, hidden, directions, gates;
    /* as oneDNN sees them */
    dnnl_memory_desc_t x, y, state, bias, peepholes, w, r;
    struct bp_dnnl_tensor x_tensor, w_tensor, r_tensor, bias_tensor, peephole_tensor, y_tensor;
    struct bp_dnnl_tensor from_h, from_c, to_h, to_c;
    bool has_start, has_end; /* states are given, states are wanted */
};

#endif
