/* SPDX-License-Identifier: MIT */
/*
 * rnn_claim.c - which LSTM, GRU and RNN nodes are taken: those with constant weights and the
 * default activations.
 */

#include "ops/rnn_claim.h"

#include "base/claim.h"
#include "base/instance.h"
#include "base/operator.h"
#include "ops/rnn_node.h"

dnnl_dim_t bp_dnnl_rnn_gates(dnnl_alg_kind_t kind)
{
    return kind == dnnl_vanilla_lstm ? 4 : kind == dnnl_vanilla_gru ? 3 : 1;
}

/* The default is ONNX's: forward. */
static bool has_direction(const bp_graph *graph, const bp_node *node, const char *name)
{
    return bp_node_string_is(graph, node, "direction", "forward", name);
}

/* Both directions side by side, as ONNX's Y has them, not summed. */
dnnl_rnn_direction_t bp_dnnl_rnn_direction(const bp_graph *graph, const bp_node *node)
{
    return has_direction(graph, node, "bidirectional") ? dnnl_bidirectional_concat
           : has_direction(graph, node, "reverse")     ? dnnl_unidirectional_right2left
                                                       : dnnl_unidirectional_left2right;
}

/* ---- activations ----------------------------------------------------------------------------- */

/*
 * Is entry i of the list `name`, which is in lower case? ONNX does not mind the case of
 * activations.
 */
static bool is_activation(const bp_attr *names, uint32_t i, const char *name)
{
    const bp_span *span = (const bp_span *)names->data + i;
    const char *letters = span->data;

    if (i >= names->count || span->size != strlen(name))
        return false;
    for (size_t k = 0; k < span->size; k++) {
        int c = letters[k] >= 'A' && letters[k] <= 'Z' ? letters[k] + ('a' - 'A') : letters[k];

        if (c != name[k])
            return false;
    }
    return true;
}

/* The node's list, or NULL if it has none. */
static const bp_attr *activations_of(const bp_graph *graph, const bp_node *node)
{
    const bp_attr *names = bp_node_attr(graph, node, "activations");

    return names && names->type == BP_ATTR_STRING && names->count > 0 ? names : NULL;
}

/* Absent means Tanh. */
dnnl_alg_kind_t bp_dnnl_rnn_activation(const bp_graph *graph, const bp_node *node)
{
    const bp_attr *names = activations_of(graph, node);

    if (!names || is_activation(names, 0, "tanh"))
        return dnnl_eltwise_tanh;
    if (is_activation(names, 0, "relu"))
        return dnnl_eltwise_relu;
    return is_activation(names, 0, "sigmoid") ? dnnl_eltwise_logistic : dnnl_alg_kind_undef;
}

/* oneDNN's LSTM and GRU have their activations built in; its RNN has one for both directions. */
static bool takes_activations(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                              uint32_t directions)
{
    static const char *const defaults[] = {"sigmoid", "tanh", "tanh"};
    static const char *const simple[] = {"tanh", "relu", "sigmoid"};
    const bp_attr *names = activations_of(query->graph, query->node);
    uint32_t n = op->kind == dnnl_vanilla_lstm ? 3 : op->kind == dnnl_vanilla_gru ? 2 : 1;
    bool is_all = true, is_simple = false;

    if (!names)
        return true;
    for (uint32_t i = 0; i < directions * n; i++)
        is_all = is_all && is_activation(names, i, defaults[i % n]);
    for (uint32_t i = 0; i < 3; i++)
        is_simple = is_simple || (is_activation(names, 0, simple[i]) &&
                                  is_activation(names, directions - 1, simple[i]));
    if (n > 1 ? is_all : is_simple)
        return true;
    return bp_dnnl_refuse(
        query, BP_R_ATTRIBUTE, "activations",
        n > 1 ? "only the default activations are supported"
              : "only Tanh, Relu and Sigmoid are supported, one for all directions");
}

/* clip and input_forget have no counterpart in oneDNN. */
static bool takes_attributes(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query)
{
    bool is_both = has_direction(query->graph, query->node, "bidirectional");

    if (!is_both && !has_direction(query->graph, query->node, "forward") &&
        !has_direction(query->graph, query->node, "reverse"))
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "direction",
                              "direction is not forward, reverse or bidirectional");
    if (bp_node_float(query->graph, query->node, "clip", 0) != 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "clip", "clip is not implemented");
    if (bp_node_int(query->graph, query->node, "input_forget", 0) != 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "input_forget",
                              "coupled gates are not implemented");
    return takes_activations(op, query, is_both ? 2 : 1);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* Is the input a constant of these sizes? B and P may be absent, W and R not. */
static bool takes_constant(const struct bp_dnnl_query *query, uint32_t i, uint32_t rank,
                           const int64_t *dims)
{
    const bp_value *value = bp_node_in(query->graph, query->node, i);

    if (!value && i != BP_DNNL_RNN_W && i != BP_DNNL_RNN_R)
        return true;
    if (!bp_dnnl_takes_input(query, i, rank, rank))
        return false;
    if (!(value->flags & BP_VALUE_CONSTANT))
        return bp_dnnl_refuse(query, BP_R_NOT_CONSTANT, value->name, "input %u has to be constant",
                              i);
    for (uint32_t d = 0; d < rank; d++) {
        if (value->dims[d].value != dims[d])
            return bp_dnnl_refuse(query, BP_R_OTHER, value->name,
                                  "input %u has size %lld where %lld is expected", i,
                                  (long long)value->dims[d].value, (long long)dims[d]);
    }
    return true;
}

/*
 * W is (directions, gates * hidden, input), R has hidden instead of input, B twice the gates, P
 * three peepholes.
 */
static bool takes_constants(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, BP_DNNL_RNN_X);
    const bp_value *w = bp_node_in(query->graph, query->node, BP_DNNL_RNN_W);
    const bp_value *r = bp_node_in(query->graph, query->node, BP_DNNL_RNN_R);
    int64_t directions = has_direction(query->graph, query->node, "bidirectional") ? 2 : 1;
    int64_t input, hidden, rows;

    if (!bp_dnnl_takes_input(query, BP_DNNL_RNN_W, 3, 3) ||
        !bp_dnnl_takes_input(query, BP_DNNL_RNN_R, 3, 3))
        return false;
    input = x->dims[2].value < 0 ? w->dims[2].value : x->dims[2].value;
    hidden = r->dims[2].value;
    rows = bp_dnnl_rnn_gates(op->kind) * hidden;
    return takes_constant(query, BP_DNNL_RNN_W, 3, (int64_t[]){directions, rows, input}) &&
           takes_constant(query, BP_DNNL_RNN_R, 3, (int64_t[]){directions, rows, hidden}) &&
           takes_constant(query, BP_DNNL_RNN_B, 2, (int64_t[]){directions, 2 * rows}) &&
           takes_constant(query, BP_DNNL_RNN_P, 2, (int64_t[]){directions, 3 * hidden});
}

/* Initial states may be computed; sizes are checked when there are some. */
static bool takes_states(const struct bp_dnnl_query *query)
{
    for (uint32_t i = BP_DNNL_RNN_INITIAL_H; i <= BP_DNNL_RNN_INITIAL_C; i++) {
        if (bp_node_in(query->graph, query->node, i) && !bp_dnnl_takes_input(query, i, 3, 3))
            return false;
    }
    return true;
}

/* oneDNN knows no sequences that end early, so that lengths have to be those of X. */
static bool takes_lengths(const struct bp_dnnl_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, BP_DNNL_RNN_X);
    const bp_value *lengths = bp_node_in(query->graph, query->node, BP_DNNL_RNN_LENGTHS);
    int64_t steps = x->dims[bp_node_int(query->graph, query->node, "layout", 0) != 0].value;
    const bp_host *host = &query->instance->host;
    bp_span bytes;

    if (!lengths)
        return true;
    if (!(lengths->flags & BP_VALUE_CONSTANT) || lengths->dtype != BP_DTYPE_I32 ||
        host->constant(host->h, query->graph, query->node->in[BP_DNNL_RNN_LENGTHS], &bytes, NULL) <
            0)
        return bp_dnnl_refuse(query, BP_R_NOT_CONSTANT, lengths->name,
                              "sequence_lens has to be absent or constant");
    if (steps < 0)
        return bp_dnnl_refuse(query, BP_R_DYNAMIC_SHAPE, x->name,
                              "with sequence_lens the number of steps has to be known");
    for (size_t at = 0; at + sizeof(int32_t) <= bytes.size; at += sizeof(int32_t)) {
        int32_t length;

        memcpy(&length, (const char *)bytes.data + at, sizeof length);
        if (length != steps)
            return bp_dnnl_refuse(query, BP_R_OTHER, lengths->name,
                                  "a sequence has %d steps, only those of X, %lld, are supported",
                                  (int)length, (long long)steps);
    }
    return true;
}

/*
 * Operations of a run, for the decision whether to start a group. A sequence of unknown length
 * counts as 16 steps, and all of it four times, as other providers take two to four times as long
 * for it.
 */
static double weight_of(const struct bp_dnnl_query *query)
{
    static const double usual_steps = 16, times = 4;
    const bp_value *x = bp_node_in(query->graph, query->node, BP_DNNL_RNN_X);
    const bp_value *w = bp_node_in(query->graph, query->node, BP_DNNL_RNN_W);
    const bp_value *r = bp_node_in(query->graph, query->node, BP_DNNL_RNN_R);
    int64_t steps = x->dims[bp_node_int(query->graph, query->node, "layout", 0) != 0].value;
    int64_t batch = x->dims[bp_node_int(query->graph, query->node, "layout", 0) == 0].value;

    return times * 2 * (bp_dnnl_elements(w) + bp_dnnl_elements(r)) *
           (steps < 0 ? usual_steps : (double)steps) * (batch < 0 ? 1 : (double)batch);
}

/*
 * States and lengths last: they are refused for rarer reasons, and the first reason is the one
 * shown.
 */
bool bp_dnnl_rnn_claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                       double *flops)
{
    if (!bp_dnnl_takes_input(query, BP_DNNL_RNN_X, 3, 3))
        return false;
    if (!takes_attributes(op, query) || !takes_constants(op, query) || !takes_states(query) ||
        !takes_lengths(query))
        return false;
    *flops = weight_of(query);
    return true;
}
