/* SPDX-License-Identifier: MIT */
/* conv_pool_conv.c - convolutions. */

#include "config.h"

#include "graph/rules/window.h"

#include <inttypes.h>
#include <string.h>

#define FAMILY BP_FAMILY_CONV_POOL

/* ---- Conv, ConvTranspose --------------------------------------------------------------------- */

/*
 * ONNX: Conv 1, 11, 22; ConvTranspose 1, 11, 22.
 * X is (batch, C, d1, ..., dn) with n >= 1. W is (M, C / group, k1, ..., kn) for Conv and (C,
 * M / group, k1, ..., kn) for ConvTranspose; B has M elements. Y is (batch, M, e1, ..., en).
 * Conv: e = floor((d + pads - ((k - 1) * dilation + 1)) / stride) + 1; with auto_pad SAME_*,
 * e = ceil(d / stride). ConvTranspose: e = stride * (d - 1) + output_padding + (k - 1) *
 * dilation + 1 - pads, or output_shape where that is given; with SAME_*, e = d * stride.
 * kernel_shape has to say what W does; where W has no shape it stands for it. A kernel of
 * unknown size leaves e to the data.
 */

/* X and W, their common rank, and what the attributes say. */
struct conv {
    const struct bp_fact *x, *w;
    uint32_t rank;
    int64_t group;
    struct bp_window window;
};

/* False in *is_ranked: neither X nor W has a known rank. */
static bp_rc read_conv(struct bp_infer *infer, struct conv *out, bool *is_ranked)
{
    bp_rc rc = bp_rule_rank(infer, 0, 3, BP_MAX_RANK);

    out->x = bp_rule_in(infer, 0);
    out->w = bp_rule_in(infer, 1);
    *is_ranked = bp_rule_ranked(out->x) || bp_rule_ranked(out->w);
    if (rc < 0 || !*is_ranked)
        return rc;
    out->rank = bp_rule_ranked(out->x) ? out->x->rank : out->w->rank;
    rc = bp_rule_rank(infer, 1, out->rank, out->rank);
    if (rc < 0)
        return rc;
    if (out->rank < 3)
        return bp_fail(infer->err, BP_E_SHAPE, "W has rank %u, but at least 3 is needed",
                       out->rank);
    out->group = bp_ir_attr_int(infer->node, "group", 1);
    if (out->group < 1)
        return bp_fail(infer->err, BP_E_INVALID, "group is %" PRId64, out->group);
    return bp_window_read(infer, out->rank - 2, &out->window);
}

/* Taps of the kernel along spatial dimension i; symbolic where neither W nor kernel_shape tells. */
static bp_rc kernel_size(struct bp_infer *infer, const struct conv *conv, uint32_t i,
                         struct bp_sym *out)
{
    const int64_t *kernel = conv->window.kernel;

    if (bp_rule_ranked(conv->w)) {
        *out = conv->w->dims[i + 2];
        if (kernel && !bp_rule_unify(*out, bp_sym_of(kernel[i]), out))
            return bp_fail(infer->err, BP_E_SHAPE,
                           "W has size %" PRId64 " at dimension %u, but kernel_shape says %" PRId64,
                           out->value, i + 2, kernel[i]);
        return BP_OK;
    }
    if (kernel)
        *out = bp_sym_of(kernel[i]);
    else
        return bp_rule_from_data(infer, out, 1);
    return BP_OK;
}

static bp_rc check_channels(struct bp_infer *infer, const struct conv *conv)
{
    struct bp_sym x, m, c;
    int64_t needed;

    if (!bp_rule_ranked(conv->w))
        return BP_OK;
    m = conv->w->dims[0];
    c = conv->w->dims[1];
    if (bp_sym_known(m) && m.value % conv->group != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "W has %" PRId64 " output channels, which group %" PRId64 " does not divide",
                       m.value, conv->group);
    if (!bp_rule_ranked(conv->x) || !bp_sym_known(c))
        return BP_OK;
    x = conv->x->dims[1];
    if (bp_sym_known(x) &&
        (__builtin_mul_overflow(c.value, conv->group, &needed) || x.value != needed))
        return bp_fail(infer->err, BP_E_SHAPE,
                       "W has %" PRId64 " input channels a group, X has %" PRId64 " (group %" PRId64
                       ")",
                       c.value, x.value, conv->group);
    return BP_OK;
}

static bp_rc conv_spatial(struct bp_infer *infer, const struct conv *conv, uint32_t i,
                          struct bp_sym *out)
{
    struct bp_sym kernel;
    bp_rc rc = kernel_size(infer, conv, i, &kernel);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(conv->x) || !bp_sym_known(kernel))
        return bp_rule_from_data(infer, out, 1);
    return bp_window_slide(infer, &conv->window, i, conv->x->dims[i + 2], kernel.value, false, out);
}

/* The first two dimensions: those of X's batch, and the output channels. */
static bp_rc conv_outer(struct bp_infer *infer, const struct conv *conv, struct bp_sym channels,
                        struct bp_sym *dims)
{
    dims[1] = channels;
    if (!bp_rule_ranked(conv->x))
        return bp_rule_from_data(infer, &dims[0], 1);
    dims[0] = conv->x->dims[0];
    return bp_rule_expect(infer, 2, 0, channels, "the number of output channels");
}

static bp_rc infer_conv(struct bp_infer *infer)
{
    struct bp_sym dims[BP_MAX_RANK], channels;
    struct conv conv;
    bool is_ranked;
    bp_rc rc = read_conv(infer, &conv, &is_ranked);

    if (rc < 0)
        return rc;
    if (!is_ranked)
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = check_channels(infer, &conv);
    if (rc < 0)
        return rc;
    if (bp_rule_ranked(conv.w))
        channels = conv.w->dims[0];
    else
        rc = bp_rule_from_data(infer, &channels, 1);
    if (rc >= 0)
        rc = bp_rule_rank(infer, 2, 1, 1);
    if (rc >= 0)
        rc = conv_outer(infer, &conv, channels, dims);
    for (uint32_t i = 0; i + 2 < conv.rank && rc >= 0; i++)
        rc = conv_spatial(infer, &conv, i, &dims[i + 2]);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), conv.rank, dims);
}

/* stride * (size - 1) + output_padding + span - pads, ONNX ConvTranspose-11. */
static bp_rc transpose_spatial(struct bp_infer *infer, const struct conv *conv, uint32_t i,
                               int64_t output_padding, struct bp_sym *out)
{
    int64_t stride = bp_window_stride(&conv->window, i);
    struct bp_sym kernel, size;
    int64_t span, begin, pads, rest;
    bp_rc rc = kernel_size(infer, conv, i, &kernel);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(conv->x) || !bp_sym_known(kernel))
        return bp_rule_from_data(infer, out, 1);
    rc = bp_rule_calc(infer, conv->x->dims[i + 2], '*', bp_sym_of(stride), &size);
    if (rc < 0)
        return rc;
    *out = size;
    if (conv->window.auto_pad == BP_PAD_SAME)
        return BP_OK;
    rc = bp_window_span(infer, &conv->window, i, kernel.value, &span);
    if (rc >= 0)
        rc = bp_window_padding(infer, &conv->window, i, &begin, &pads);
    if (rc < 0)
        return rc;
    if (__builtin_add_overflow(span - stride, output_padding, &rest) ||
        __builtin_sub_overflow(rest, pads, &rest))
        return bp_fail(infer->err, BP_E_INVALID, "output_padding has %" PRId64 ", far too much",
                       output_padding);
    rc = bp_rule_shift(infer, size, rest, out);
    if (rc >= 0 && bp_sym_known(*out) && out->value < 0)
        return bp_fail(infer->err, BP_E_SHAPE, "pads take more of dimension %u than there is",
                       i + 2);
    return rc;
}

/* The spatial sizes: given by output_shape, or found. */
static bp_rc transpose_sizes(struct bp_infer *infer, const struct conv *conv, struct bp_sym *dims)
{
    uint32_t n = conv->rank - 2;
    uint32_t n_shape, n_padding;
    const int64_t *shape = bp_ir_attr_ints(infer->node, "output_shape", &n_shape);
    const int64_t *padding = bp_ir_attr_ints(infer->node, "output_padding", &n_padding);
    bp_rc rc = BP_OK;

    if ((n_shape > 0 && n_shape != n) || (n_padding > 0 && n_padding != n))
        return bp_fail(infer->err, BP_E_INVALID,
                       "%s has %u entries, but there are %u spatial dimensions",
                       n_shape > 0 && n_shape != n ? "output_shape" : "output_padding",
                       n_shape > 0 && n_shape != n ? n_shape : n_padding, n);
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        if (n_padding > 0 && padding[i] < 0)
            return bp_fail(infer->err, BP_E_INVALID, "output_padding has %" PRId64, padding[i]);
        if (n_shape > 0 && shape[i] < 0)
            return bp_fail(infer->err, BP_E_INVALID, "output_shape has %" PRId64, shape[i]);
        if (n_shape > 0)
            dims[i] = bp_sym_of(shape[i]);
        else
            rc = transpose_spatial(infer, conv, i, n_padding > 0 ? padding[i] : 0, &dims[i]);
    }
    return rc;
}

static bp_rc infer_conv_transpose(struct bp_infer *infer)
{
    struct bp_sym dims[BP_MAX_RANK], channels;
    struct conv conv;
    bool is_ranked;
    bp_rc rc = read_conv(infer, &conv, &is_ranked);

    if (rc < 0)
        return rc;
    if (!is_ranked)
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    if (bp_rule_ranked(conv.x) && bp_rule_ranked(conv.w))
        rc = bp_rule_expect(infer, 1, 0, conv.x->dims[1], "the channels of X");
    if (rc >= 0 && bp_rule_ranked(conv.w))
        rc = bp_rule_calc(infer, conv.w->dims[1], '*', bp_sym_of(conv.group), &channels);
    else if (rc >= 0)
        rc = bp_rule_from_data(infer, &channels, 1);
    if (rc >= 0)
        rc = bp_rule_rank(infer, 2, 1, 1);
    if (rc >= 0)
        rc = conv_outer(infer, &conv, channels, dims);
    if (rc >= 0)
        rc = transpose_sizes(infer, &conv, dims + 2);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), conv.rank, dims);
}

#define CONV_LIKE(op, since, rule, types, ...)                                                     \
    ROW(op, since, INFER(rule), IN(P("X", 'T', types), P("W", 'T', types), OPT("B", 'T', types)),  \
        OUT(P("Y", 'T', types)),                                                                   \
        ATTRS(A_STRING("auto_pad", "NOTSET"), A_INTS("dilations"), A_INT("group", 1),              \
              A_INTS("kernel_shape"), A_INTS("pads"), A_INTS("strides") __VA_ARGS__))
#define CONV(since, types) CONV_LIKE(Conv, since, infer_conv, types, )
#define CONV_TRANSPOSE(since, types)                                                               \
    CONV_LIKE(ConvTranspose, since, infer_conv_transpose, types, , A_INTS("output_padding"),       \
              A_INTS("output_shape"))

CONV(1, FLOAT3);
CONV(11, FLOAT3);
CONV(22, FLOAT);

CONV_TRANSPOSE(1, FLOAT3);
CONV_TRANSPOSE(11, FLOAT3);
CONV_TRANSPOSE(22, FLOAT);

/* ---- DeformConv ------------------------------------------------------------------------------ */

/*
 * ONNX: DeformConv 19, 22.
 * As Conv, but each tap of the kernel is moved by an offset. offset is (batch, offset_group *
 * n * k1 * ... * kn, e1, ..., en), mask (batch, offset_group * k1 * ... * kn, e1, ..., en),
 * where e are the sizes of Y. group divides M, offset_group divides C.
 */

/* `input` has `groups * factor * kernel` channels and the spatial sizes of Y. */
static bp_rc check_offset(struct bp_infer *infer, uint32_t input, int64_t factor,
                          const struct bp_sym *dims, uint32_t rank)
{
    const struct bp_fact *w = bp_rule_in(infer, 1);
    struct bp_sym channels = bp_sym_of(bp_ir_attr_int(infer->node, "offset_group", 1));
    bp_rc rc = bp_rule_rank(infer, input, rank, rank);

    if (rc >= 0)
        rc = bp_rule_calc(infer, channels, '*', bp_sym_of(factor), &channels);
    for (uint32_t d = 2; d < rank && rc >= 0; d++) {
        rc = bp_rule_calc(infer, channels, '*', w->dims[d], &channels);
        if (rc >= 0)
            rc = bp_rule_expect(infer, input, d, dims[d], "the output");
    }
    if (rc >= 0)
        rc = bp_rule_expect(infer, input, 1, channels, "the kernel");
    return rc < 0 ? rc : bp_rule_expect(infer, input, 0, dims[0], "X");
}

static bp_rc check_groups(struct bp_infer *infer, const struct bp_fact *x, const struct bp_fact *w)
{
    int64_t group = bp_ir_attr_int(infer->node, "group", 1);
    int64_t offset_group = bp_ir_attr_int(infer->node, "offset_group", 1);
    struct bp_sym channels;
    bp_rc rc;

    if (group < 1 || offset_group < 1)
        return bp_fail(infer->err, BP_E_INVALID, "group is %" PRId64 ", offset_group %" PRId64,
                       group, offset_group);
    rc = bp_rule_calc(infer, w->dims[1], '*', bp_sym_of(group), &channels);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 0, 1, channels, "W");
    if (rc < 0)
        return rc;
    if (bp_sym_known(w->dims[0]) && w->dims[0].value % group != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "W has %" PRId64 " output channels, which is not a multiple of group",
                       w->dims[0].value);
    if (bp_sym_known(x->dims[1]) && x->dims[1].value % offset_group != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "X has %" PRId64 " channels, which is not a multiple of offset_group",
                       x->dims[1].value);
    return BP_OK;
}

static bp_rc slide(struct bp_infer *infer, const struct bp_window *window, uint32_t i,
                   struct bp_sym *out)
{
    struct bp_sym taps = bp_rule_in(infer, 1)->dims[i + 2];

    if (!bp_sym_known(taps))
        return bp_rule_from_data(infer, out, 1);
    return bp_window_slide(infer, window, i, bp_rule_in(infer, 0)->dims[i + 2], taps.value, false,
                           out);
}

static bp_rc infer_deform_conv(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *w = bp_rule_in(infer, 1);
    uint32_t dtype = bp_rule_dtype(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_window window;
    bp_rc rc = bp_rule_rank(infer, 0, 3, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x) || !bp_rule_ranked(w))
        return bp_rule_unknown(infer, 0, dtype);
    rc = bp_rule_rank(infer, 1, x->rank, x->rank);
    if (rc >= 0)
        rc = check_groups(infer, x, w);
    if (rc >= 0)
        rc = bp_window_read(infer, x->rank - 2, &window);
    if (rc < 0)
        return rc;
    dims[0] = x->dims[0];
    dims[1] = w->dims[0];
    for (uint32_t i = 0; i + 2 < x->rank && rc >= 0; i++) {
        if (window.kernel)
            rc = bp_rule_expect(infer, 1, i + 2, bp_sym_of(window.kernel[i]), "kernel_shape");
        if (rc >= 0)
            rc = slide(infer, &window, i, &dims[i + 2]);
    }
    if (rc >= 0)
        rc = check_offset(infer, 2, x->rank - 2, dims, x->rank);
    if (rc >= 0)
        rc = check_offset(infer, 4, 1, dims, x->rank);
    if (rc >= 0)
        rc = bp_rule_rank(infer, 3, 1, 1);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 3, 0, w->dims[0], "W");
    return rc < 0 ? rc : bp_rule_set(infer, 0, dtype, x->rank, dims);
}

#define DEFORM_CONV(since, types)                                                                  \
    ROW(DeformConv, since, INFER(infer_deform_conv),                                               \
        IN(P("X", 'T', types), P("W", 'T', types), P("offset", 'T', types), OPT("B", 'T', types),  \
           OPT("mask", 'T', types)),                                                               \
        OUT(P("Y", 'T', types)),                                                                   \
        ATTRS(A_INTS("dilations"), A_INT("group", 1), A_INTS("kernel_shape"),                      \
              A_INT("offset_group", 1), A_INTS("pads"), A_INTS("strides")))

DEFORM_CONV(19, FLOAT3);
DEFORM_CONV(22, FLOAT);

/* ---- CausalConvWithState --------------------------------------------------------------------- */

/*
 * ONNX: CausalConvWithState 27.
 * input is (batch, channels, length), weight (channels, 1, k): each channel has a kernel of
 * its own. output has the shape of input. The state is the k - 1 positions before the input,
 * (batch, channels, k - 1), which a call takes as past_state and gives as present_state.
 */

/* The state is what comes before the input: one position less than the kernel has. */
static bp_rc set_carried(struct bp_infer *infer, const struct bp_fact *x, const struct bp_fact *w)
{
    struct bp_sym dims[3];
    bp_rc rc;

    if (!bp_rule_ranked(x) || !bp_rule_ranked(w))
        return bp_rule_like(infer, 1, bp_rule_dtype(infer, 0), bp_rule_in(infer, 3));
    if (bp_sym_known(w->dims[2]) && w->dims[2].value < 1)
        return bp_fail(infer->err, BP_E_SHAPE, "weight has no elements for a channel");
    dims[0] = x->dims[0];
    dims[1] = x->dims[1];
    rc = bp_rule_shift(infer, w->dims[2], -1, &dims[2]);
    for (uint32_t i = 0; i < 3 && rc >= 0; i++)
        rc = bp_rule_expect(infer, 3, i, dims[i], "the size of the state");
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 1, bp_rule_dtype(infer, 0), 3, dims);
}

static bp_rc infer_causal_conv(struct bp_infer *infer)
{
    static const uint32_t ranks[] = {3, 3, 1, 3};
    const struct bp_fact *x = bp_rule_in(infer, 0), *w = bp_rule_in(infer, 1);
    bp_rc rc = BP_OK;

    if (!bp_ir_attr_is(infer->node, "activation", "none", "none") &&
        !bp_ir_attr_is(infer->node, "activation", "none", "silu") &&
        !bp_ir_attr_is(infer->node, "activation", "none", "swish"))
        return bp_fail(infer->err, BP_E_INVALID, "activation is none of none, silu and swish");
    for (uint32_t i = 0; i < 4 && rc >= 0; i++)
        rc = bp_rule_rank(infer, i, ranks[i], ranks[i]);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 1, 1, bp_sym_of(1), "a kernel of its own for each channel");
    for (uint32_t i = 1; i < 3 && rc >= 0 && bp_rule_ranked(x); i++)
        rc = bp_rule_expect(infer, i, 0, x->dims[1], "the number of channels");
    if (rc >= 0)
        rc = bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), x);
    if (rc < 0)
        return rc;
    return set_carried(infer, x, w);
}

ROW(CausalConvWithState, 27, INFER(infer_causal_conv),
    IN(P("input", 'T', FLOAT), P("weight", 'T', FLOAT), OPT("bias", 'T', FLOAT),
       OPT("past_state", 'T', FLOAT)),
    OUT(P("output", 'T', FLOAT), OPT("present_state", 'T', FLOAT)),
    ATTRS(A_STRING("activation", "none")));

/* ---- com.microsoft --------------------------------------------------------------------------- */

/*
 * com.microsoft: FusedConv 1; NhwcConv 1; NhwcFusedConv 1; ConvTransposeWithDynamicPads 1.
 * FusedConv is Conv with an activation and an addend Z of the shape of Y. NhwcConv and
 * NhwcFusedConv have the channels of X and Y at the end, (batch, d1, ..., dn, C), and W as
 * Conv has it. ConvTransposeWithDynamicPads takes pads as an input, which decides the sizes
 * of Y: unless its content is known, so is nothing of Y.
 */

/* Z is added to Y and has its shape. */
static bp_rc check_residual(struct bp_infer *infer)
{
    bp_rc rc = BP_OK;

    if (!bp_rule_in(infer, 3) || !bp_rule_wants(infer, 0) || !bp_rule_ranked(&infer->out[0]))
        return BP_OK;
    rc = bp_rule_rank(infer, 3, infer->out[0].rank, infer->out[0].rank);
    for (uint32_t d = 0; d < infer->out[0].rank && rc >= 0; d++)
        rc = bp_rule_expect(infer, 3, d, infer->out[0].dims[d], "the convolution");
    return rc;
}

static bp_rc infer_fused_conv(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 1), bp_rule_in(infer, 2)};
    bp_rc rc = bp_rule_as(infer, &bp_schema_Conv_22, in, 3);

    return rc < 0 ? rc : check_residual(infer);
}

static bp_rc infer_nhwc_conv(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_channels_last(infer, &bp_schema_Conv_22, 3);

    return rc < 0 ? rc : check_residual(infer);
}

/* Pads are an input, and decide the size. */
static bp_rc infer_dynamic_pads(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 1), bp_rule_in(infer, 3)};
    const struct bp_fact *pads = bp_rule_in(infer, 2);
    bp_attr *attrs;
    struct bp_ir_node node = *infer->node;
    struct bp_infer inner = *infer;
    int64_t *values;
    uint32_t n = pads ? pads->n_content : 0;

    if (pads && (!pads->content || !bp_content_is_whole(pads)))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    attrs = bp_region_array(infer->region, node.n_attrs + 1, sizeof *attrs);
    values = bp_region_array(infer->region, n + 1, sizeof *values);
    if (!attrs || !values)
        return bp_fail_nomem(infer->err, "pads");
    for (uint32_t i = 0; i < n; i++) {
        if (!bp_sym_known(pads->content[i]))
            return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
        values[i] = pads->content[i].value;
    }
    memcpy(attrs, node.attrs, node.n_attrs * sizeof *attrs);
    attrs[node.n_attrs] = (bp_attr){
        .name = "pads", .type = BP_ATTR_INT, .flags = BP_ATTR_LIST, .count = n, .data = values};
    node.attrs = attrs;
    node.n_attrs += n > 0;
    inner.node = &node;
    return bp_rule_as(&inner, &bp_schema_ConvTranspose_22, in, 3);
}

#define FUSED_WINDOW                                                                               \
    A_STRING("auto_pad", "NOTSET"), A_INTS("dilations"), A_INTS("kernel_shape"), A_INTS("strides")
#define FUSED_CONV FUSED_WINDOW, A_INTS("pads"), A_INT("group", 1)
#define ACTIVATION A_STRING("activation", ""), A_FLOATS("activation_params")
#define X_W_B P("X", 'T', FLOAT), P("W", 'T', FLOAT), OPT("B", 'T', FLOAT)

MS_ROW(FusedConv, 1, INFER(infer_fused_conv), IN(X_W_B, OPT("Z", 'T', FLOAT)),
       OUT(P("Y", 'T', FLOAT)), ATTRS(FUSED_CONV, ACTIVATION));
MS_ROW(NhwcConv, 1, INFER(infer_nhwc_conv), IN(X_W_B), OUT(P("Y", 'T', FLOAT)), ATTRS(FUSED_CONV));
MS_ROW(NhwcFusedConv, 1, INFER(infer_nhwc_conv), IN(X_W_B, OPT("Z", 'T', FLOAT)),
       OUT(P("Y", 'T', FLOAT)), ATTRS(FUSED_CONV, ACTIVATION));

MS_ROW(ConvTransposeWithDynamicPads, 1, INFER(infer_dynamic_pads),
       IN(P("X", 'T', FLOAT3), P("W", 'T', FLOAT3), OPT_READ("Pads", 0, BP_T(I64)),
          OPT("B", 'T', FLOAT3)),
       OUT(P("Y", 'T', FLOAT3)), ATTRS(FUSED_WINDOW, A_INT("group", 1), A_INTS("output_padding")));
