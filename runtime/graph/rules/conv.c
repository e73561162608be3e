/* SPDX-License-Identifier: MIT */
/* conv.c - Conv and ConvTranspose. */

#include "config.h"

#include "graph/rules/products.h"
#include "graph/rules/window.h"

#include <inttypes.h>

/* ---- rules ---------------------------------------------------------------------------------- */

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

bp_rc bp_rule_conv(struct bp_infer *infer)
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

/* ---- rows ----------------------------------------------------------------------------------- */

#define CONV_LIKE(op, since, rule, types, ...)                                                     \
    ROW(op, since, INFER(rule), IN(P("X", 'T', types), P("W", 'T', types), OPT("B", 'T', types)),  \
        OUT(P("Y", 'T', types)),                                                                   \
        ATTRS(A_STRING("auto_pad", "NOTSET"), A_INTS("dilations"), A_INT("group", 1),              \
              A_INTS("kernel_shape"), A_INTS("pads"), A_INTS("strides") __VA_ARGS__))
#define CONV(since, types) CONV_LIKE(Conv, since, bp_rule_conv, types, )
#define CONV_TRANSPOSE(since, types)                                                               \
    CONV_LIKE(ConvTranspose, since, infer_conv_transpose, types, , A_INTS("output_padding"),       \
              A_INTS("output_shape"))

CONV(1, FLOAT3);
CONV(11, FLOAT3);
CONV(22, FLOAT);

CONV_TRANSPOSE(1, FLOAT3);
CONV_TRANSPOSE(11, FLOAT3);
CONV_TRANSPOSE(22, FLOAT);
