/* SPDX-License-Identifier: MIT */
/* conv.c - Conv and QLinearConv: CONV_2D, DEPTHWISE_CONV_2D or GROUPED_CONV_2D. */

#include "families.h"

/* Of the weights [O, I / groups, h, w]. */
enum { O, I, H, W };

static int64_t groups_of(const bp_graph *graph, const bp_node *node)
{
    return bp_node_int(graph, node, "group", 1);
}

static bool is_depthwise(const bp_graph *graph, const struct bp_nn_unit *unit)
{
    return groups_of(graph, unit->node) != 1 && bp_nn_dim(graph, &unit->in[1], I) == 1;
}

static bool is_dilated(const bp_graph *graph, const bp_node *node)
{
    uint32_t n;
    const int64_t *dilations = bp_node_ints(graph, node, "dilations", &n);

    for (uint32_t i = 0; i < n; i++) {
        if (dilations[i] != 1)
            return true;
    }
    return false;
}

static bool takes_dilations(const struct bp_nn_query *query)
{
    if (!is_dilated(query->graph, query->node))
        return true;
    if (groups_of(query->graph, query->node) != 1 && !is_depthwise(query->graph, query->unit))
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "dilations",
                            "NNAPI's grouped convolution has no dilations");
    return bp_nn_needs_level(query, BP_NN_FL3, "dilations");
}

/* Each output channel belongs to a group, and sees its channels of the data. */
static bool takes_groups(const struct bp_nn_query *query)
{
    int64_t groups = groups_of(query->graph, query->node);
    const struct bp_nn_arg *x = &query->unit->in[0], *w = &query->unit->in[1];

    if (groups > 0 && groups <= INT32_MAX && bp_nn_dim(query->graph, w, O) % groups == 0 &&
        bp_nn_dim(query->graph, w, I) <= INT32_MAX / groups &&
        bp_nn_dim(query->graph, w, I) * groups == bp_nn_dim(query->graph, x, 1))
        return true;
    return bp_nn_refuse(query, BP_R_ATTRIBUTE, "group", "group %lld does not divide the channels",
                        (long long)groups);
}

static bool claim_conv(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    const struct bp_nn_unit *unit = query->unit;
    bool has_bias = unit->n_in > 2 && unit->in[2].value != BP_NONE;

    (void)op;
    if (unit->n_in < 2 || unit->in[1].value == BP_NONE)
        return bp_nn_refuse(query, BP_R_OTHER, NULL, "it has no weight");
    if (!bp_nn_needs_constant(query, 1, "weight") || !bp_nn_needs_rank(query, 1, 4, 4) ||
        !bp_nn_needs_rank(query, 0, 4, 4))
        return false;
    if (has_bias && unit->in[1].is_quantized && !bp_nn_needs_constant(query, 2, "quantized bias"))
        return false;
    return bp_nn_needs_window(query) && takes_groups(query) && takes_dilations(query);
}

/* [O, I, h, w] as [O, h, w, I], or, depthwise, as [1, h, w, O]. */
static void permute(const int64_t *d, bool depthwise, const struct bp_nn_bytes_from *from,
                    unsigned char *to)
{
    int64_t pixels = d[H] * d[W];

    for (int64_t o = 0; o < d[O]; o++) {
        for (int64_t i = 0; i < d[I]; i++) {
            for (int64_t p = 0; p < pixels; p++) {
                int64_t at = depthwise ? p * d[O] + o : (o * pixels + p) * d[I] + i;

                bp_nn_copy_element(from, (uint64_t)((o * d[I] + i) * pixels + p),
                                   to + (uint64_t)at * from->size);
            }
        }
    }
}

static uint32_t filter(struct bp_nn_build *b, const struct bp_nn_arg *arg, bool depthwise)
{
    const bp_value *value = BP_VALUE(b->graph, arg->value);
    struct bp_nn_operand operand;
    struct bp_nn_bytes_from from = {.data = bp_nn_bytes(b, arg->value)};
    int64_t d[4];
    unsigned char *to;

    for (uint32_t i = 0; i < 4; i++)
        d[i] = value->dims[i].value;
    bp_nn_describe_weight(b, arg, &operand);
    operand.rank = 4;
    operand.dims[0] = depthwise ? 1 : (uint32_t)d[O];
    operand.dims[1] = (uint32_t)d[H];
    operand.dims[2] = (uint32_t)d[W];
    operand.dims[3] = depthwise ? (uint32_t)d[O] : (uint32_t)d[I];
    operand.channel_dim = depthwise ? 3 : 0;
    from.size = bp_nn_element_bytes(operand.type);
    from.moved = value->dtype == BP_DTYPE_I8 && operand.type == ANEURALNETWORKS_TENSOR_QUANT8_ASYMM
                     ? 128
                     : 0;
    if (from.data) {
        to = bp_nn_get(b, bp_nn_operand_count(&operand) * from.size);
        if (to)
            permute(d, depthwise, &from, to);
        operand.data = to;
    }
    return bp_nn_constant(b, &operand);
}

/* What comes after padding and strides. */
static uint32_t add_rest(struct bp_nn_build *b, const struct bp_nn_window *window, int32_t code,
                         int32_t groups, int32_t multiplier, int32_t fuse, uint32_t *in, uint32_t n)
{
    bool is_dilated_here = window->dilation[0] != 1 || window->dilation[1] != 1;

    if (code == ANEURALNETWORKS_DEPTHWISE_CONV_2D)
        in[n++] = bp_nn_i32(b, multiplier);
    if (code == ANEURALNETWORKS_GROUPED_CONV_2D)
        in[n++] = bp_nn_i32(b, groups);
    in[n++] = bp_nn_i32(b, fuse);
    if (code == ANEURALNETWORKS_GROUPED_CONV_2D || is_dilated_here || bp_nn_says_layout(b))
        in[n++] = bp_nn_bool(b, bp_nn_says_layout(b));
    if (is_dilated_here) {
        in[n++] = bp_nn_i32(b, window->dilation[1]);
        in[n++] = bp_nn_i32(b, window->dilation[0]);
    }
    return n;
}

static void lower_conv(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    const bp_value *weight = BP_VALUE(b->graph, unit->in[1].value);
    int64_t kernel[2] = {weight->dims[H].value, weight->dims[W].value};
    int32_t groups = (int32_t)groups_of(b->graph, unit->node);
    int32_t outputs = (int32_t)weight->dims[O].value, code = ANEURALNETWORKS_CONV_2D;
    bool depthwise = is_depthwise(b->graph, unit);
    struct bp_nn_window window;
    uint32_t in[16], n = 3;

    (void)op;
    if (groups != 1)
        code = depthwise ? ANEURALNETWORKS_DEPTHWISE_CONV_2D : ANEURALNETWORKS_GROUPED_CONV_2D;
    bp_nn_read_window(b->graph, unit, kernel, &window);
    in[0] = bp_nn_in(b, &unit->in[0], bp_nn_wanted(b));
    in[1] = filter(b, &unit->in[1], depthwise);
    in[2] = bp_nn_bias(b, unit->n_in > 2 ? &unit->in[2] : NULL, in[0], in[1], (uint32_t)outputs);
    n = bp_nn_add_padding(b, &window, in, n);
    n = add_rest(b, &window, code, groups, groups > 0 ? outputs / groups : 1,
                 bp_nn_take_activation(b, unit), in, n);
    bp_nn_emit(b, code, n, in, bp_nn_out(b, unit, bp_nn_wanted(b)));
}

static const struct bp_nn_op rows[] = {
    {.name = "Conv",
     .n_needed = 2,
     .first = 1,
     .types = BP_NN_F32,
     .level = BP_NN_FL2,
     .nchw_level = BP_NN_FL3,
     .takes_qdq = true,
     .weight = 1,
     .claim = claim_conv,
     .lower = lower_conv},
    {.name = "QLinearConv",
     .n_needed = 8,
     .first = 1,
     .types = BP_NN_U8,
     .level = BP_NN_FL2,
     .nchw_level = BP_NN_FL3,
     .weight = 1,
     .claim = claim_conv,
     .lower = lower_conv},
};

const struct bp_nn_family bp_nn_conv = BP_NN_FAMILY(rows);
