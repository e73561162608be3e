/* SPDX-License-Identifier: MIT */
/* rnn_weights.c - constants of LSTM, GRU and RNN: gates in oneDNN's order, biases summed. */

#include "ops/rnn_weights.h"

#include "base/library.h"
#include "build/builder.h"
#include "build/constants.h"
#include "ops/rnn_node.h"

/* Which of ONNX's gates stands where oneDNN wants it; GRU has the same order, z r h. */
static const dnnl_dim_t lstm_gates[] = {0, 2, 3, 1};  /* i o f c to i f c o */
static const dnnl_dim_t peephole_gates[] = {0, 2, 1}; /* i o f to i f o */
static const dnnl_dim_t same_gates[] = {0, 1, 2};

/* How gates lie: so many of so many bytes a direction. */
struct gates {
    const dnnl_dim_t *order;
    dnnl_dim_t count, directions;
    size_t bytes;      /* of a block */
    dnnl_dim_t hidden; /* for a bias, */
    bool is_apart;     /* whose last gate keeps R's part apart from W's */
};

/* Copies gates in oneDNN's order, direction by direction. */
static void fill_gates(const struct bp_dnnl_rearrangement *how, const char *in, float *out)
{
    const struct gates *gates = how->u;
    char *to = (char *)out;

    for (dnnl_dim_t d = 0; d < gates->directions; d++) {
        for (dnnl_dim_t g = 0; g < gates->count; g++, to += gates->bytes)
            memcpy(to, in + (size_t)(d * gates->count + gates->order[g]) * gates->bytes,
                   gates->bytes);
    }
}

/* The bytes may be at any address. */
static float float_at(const char *in, dnnl_dim_t i)
{
    float element;

    memcpy(&element, in + (size_t)i * sizeof element, sizeof element);
    return element;
}

/*
 * ONNX has a bias for W and one for R, oneDNN their sum; the last gate of a GRU with
 * linear_before_reset keeps R's apart.
 */
static void fill_bias(const struct bp_dnnl_rearrangement *how, const char *in, float *out)
{
    const struct gates *gates = how->u;
    dnnl_dim_t n = gates->hidden, all = gates->count * n;

    for (dnnl_dim_t d = 0; d < gates->directions; d++, in += (size_t)(2 * all) * sizeof *out) {
        for (dnnl_dim_t g = 0; g < gates->count; g++) {
            bool is_apart = gates->is_apart && g + 1 == gates->count;

            for (dnnl_dim_t i = 0; i < n; i++) {
                dnnl_dim_t at = gates->order[g] * n + i;

                *out++ = float_at(in, at) + (is_apart ? 0 : float_at(in, all + at));
            }
        }
        for (dnnl_dim_t i = 0; gates->is_apart && i < n; i++)
            *out++ = float_at(in, 2 * all - n + i);
    }
}

/* A constant in that layout, rearranged first if `how` says so. */
static bp_rc get_constant(struct bp_dnnl_builder *b, uint32_t value,
                          const struct bp_dnnl_rearrangement *how, const dnnl_memory_desc_t *stored,
                          const dnnl_memory_desc_t *want, struct bp_dnnl_tensor *out, bp_err *err)
{
    out->md = *want;
    out->location = (struct bp_dnnl_location){.kind = BP_DNNL_FIXED};
    return bp_dnnl_rearranged_constant(b, value, how, stored, want, &out->location.fixed, err);
}

/*
 * W or R, whose rows have `width` elements, transposed by strides: (directions, gates, hidden,
 * width) is seen as (directions, width, gates, hidden).
 */
static bp_rc get_matrix(struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k, uint32_t input,
                        dnnl_dim_t width, const dnnl_memory_desc_t *want,
                        struct bp_dnnl_tensor *out, bp_err *err)
{
    dnnl_dim_t of_gate = k->hidden * width, of_direction = k->gates * of_gate;
    const dnnl_dims_t dims = {1, k->directions, width, k->gates, k->hidden};
    const dnnl_dims_t strides = {k->directions * of_direction, of_direction, 1, of_gate, width};
    const struct gates gates = {.order = lstm_gates,
                                .count = k->gates,
                                .directions = k->directions,
                                .bytes = (size_t)of_gate * sizeof(float)};
    const struct bp_dnnl_rearrangement how = {.name = "LSTM's gates",
                                              .from_bytes = (size_t)(k->directions * of_direction) *
                                                            sizeof(float),
                                              .fill = fill_gates,
                                              .u = &gates};
    dnnl_memory_desc_t stored;

    memset(&stored, 0, sizeof stored);
    bp_dnnl.memory_desc_init_by_strides(&stored, 5, dims, dnnl_f32, strides);
    return get_constant(b, k->node->in[input], k->kind == dnnl_vanilla_lstm ? &how : NULL, &stored,
                        want, out, err);
}

/* In the frame's own memory, which bp_blocks_array() has zeroed. */
bp_rc bp_dnnl_rnn_zeros(struct bp_dnnl_builder *b, const struct bp_dnnl_rnn *k,
                        const dnnl_memory_desc_t *md, struct bp_dnnl_tensor *out, bp_err *err)
{
    const void *zeros = bp_blocks_array(b->memory, bp_dnnl.memory_desc_get_size(md), 1);

    if (!zeros)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for zeros of '%s'", k->node->name);
    out->md = *md;
    out->location = (struct bp_dnnl_location){.kind = BP_DNNL_FIXED, .fixed = zeros};
    return BP_OK;
}

/* oneDNN's primitives have a bias always; an absent one is zeros. */
static bp_rc get_bias(struct bp_dnnl_builder *b, struct bp_dnnl_rnn *k, bp_err *err)
{
    const struct gates gates = {.order = k->kind == dnnl_vanilla_lstm ? lstm_gates : same_gates,
                                .count = k->gates,
                                .directions = k->directions,
                                .hidden = k->hidden,
                                .is_apart = k->is_linear};
    const struct bp_dnnl_rearrangement how = {
        .name = k->kind == dnnl_vanilla_lstm ? "LSTM's bias"
                : k->is_linear               ? "bias apart"
                                             : "bias",
        .from_bytes = (size_t)(2 * k->directions * k->gates * k->hidden) * sizeof(float),
        .fill = fill_bias,
        .u = &gates};

    if (!bp_dnnl_in(b, k->node, BP_DNNL_RNN_B))
        return bp_dnnl_rnn_zeros(b, k, &k->bias, &k->bias_tensor, err);
    return get_constant(b, k->node->in[BP_DNNL_RNN_B], &how, &k->bias, &k->bias, &k->bias_tensor,
                        err);
}

/* P is i, o, f in ONNX, i, f, o in oneDNN. */
static bp_rc get_peepholes(struct bp_dnnl_builder *b, struct bp_dnnl_rnn *k, bp_err *err)
{
    const struct gates gates = {.order = peephole_gates,
                                .count = 3,
                                .directions = k->directions,
                                .bytes = (size_t)k->hidden * sizeof(float)};
    const struct bp_dnnl_rearrangement how = {
        .name = "peepholes",
        .from_bytes = (size_t)(3 * k->directions * k->hidden) * sizeof(float),
        .fill = fill_gates,
        .u = &gates};

    return get_constant(b, k->node->in[BP_DNNL_RNN_P], &how, &k->peepholes, &k->peepholes,
                        &k->peephole_tensor, err);
}

/* The primitive chose layouts of matrices only. */
bp_rc bp_dnnl_rnn_constants(struct bp_dnnl_builder *b, struct bp_dnnl_rnn *k,
                            const_dnnl_primitive_desc_t pd, bp_err *err)
{
    bp_rc rc = get_matrix(b, k, BP_DNNL_RNN_W, k->input,
                          bp_dnnl.primitive_desc_query_md(pd, dnnl_query_weights_md, 0),
                          &k->w_tensor, err);

    if (rc >= 0)
        rc = get_matrix(b, k, BP_DNNL_RNN_R, k->hidden,
                        bp_dnnl.primitive_desc_query_md(pd, dnnl_query_weights_md, 1), &k->r_tensor,
                        err);
    if (rc >= 0)
        rc = get_bias(b, k, err);
    if (rc >= 0 && bp_dnnl_in(b, k->node, BP_DNNL_RNN_P))
        rc = get_peepholes(b, k, err);
    return rc;
}
