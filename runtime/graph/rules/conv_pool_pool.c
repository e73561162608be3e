/* SPDX-License-Identifier: MIT */
/* conv_pool_pool.c - pooling, MaxUnpool and Col2Im. */

#include "config.h"

#include "graph/rules/window.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_CONV_POOL

/* ---- pooling --------------------------------------------------------------------------------- */

/*
 * ONNX: AveragePool 1, 7, 10, 11, 19, 22; LpPool 1, 2, 11, 18, 22; MaxPool 1, 8, 10, 11, 12,
 *   22.
 * com.microsoft: NhwcMaxPool 1.
 * X is (batch, C, d1, ..., dn) with n >= 1; Y is (batch, C, e1, ..., en), with e = floor((d +
 * pads - ((k - 1) * dilation + 1)) / stride) + 1, rounded up instead of down under ceil_mode.
 * Indices of MaxPool have the shape of Y.
 * NhwcMaxPool has the channels of X and Y at the end.
 */

/*
 * Padding as wide as the kernel would leave windows with no element of the input, whose maximum or
 * mean nothing defines.
 */
static bp_rc check_pads(struct bp_infer *infer, const struct bp_window *window)
{
    for (uint32_t i = 0; window->auto_pad == BP_PAD_GIVEN && window->pads && i < 2 * window->n;
         i++) {
        if (window->pads[i] >= window->kernel[i % window->n])
            return bp_fail(infer->err, BP_E_INVALID,
                           "pads has %" PRId64
                           ", which is not less than the kernel's size, %" PRId64,
                           window->pads[i], window->kernel[i % window->n]);
    }
    return BP_OK;
}

static bp_rc infer_pool(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bool up = bp_ir_attr_int(infer->node, "ceil_mode", 0) != 0;
    uint32_t dtype = bp_rule_dtype(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_window window;
    bp_rc rc = bp_rule_rank(infer, 0, 3, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x)) {
        rc = bp_rule_unknown(infer, 0, dtype);
        if (rc < 0)
            return rc;
        return bp_rule_unknown(infer, 1, BP_DTYPE_I64);
    }
    rc = bp_window_read(infer, x->rank - 2, &window);
    if (rc < 0)
        return rc;
    if (!window.kernel)
        return bp_fail(infer->err, BP_E_INVALID, "kernel_shape is missing or empty");
    rc = check_pads(infer, &window);
    if (rc < 0)
        return rc;
    dims[0] = x->dims[0];
    dims[1] = x->dims[1];
    for (uint32_t i = 0; i < window.n; i++) {
        rc = bp_window_slide(infer, &window, i, x->dims[i + 2], window.kernel[i], up, &dims[i + 2]);
        if (rc < 0)
            return rc;
    }
    rc = bp_rule_set(infer, 0, dtype, x->rank, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 1, BP_DTYPE_I64, x->rank, dims); /* Indices of MaxPool */
}

#define WINDOW                                                                                     \
    A_STRING("auto_pad", "NOTSET"), A_INTS_REQ("kernel_shape"), A_INTS("pads"), A_INTS("strides")
#define CEIL A_INT("ceil_mode", 0)
#define DILATIONS A_INTS("dilations")

#define POOL(op, since, types, ...)                                                                \
    ROW(op, since, INFER(infer_pool), IN(P("X", 'T', types)), OUT(P("Y", 'T', types)),             \
        ATTRS(__VA_ARGS__))

#define COUNT A_INT("count_include_pad", 0)

POOL(AveragePool, 1, FLOAT3, WINDOW);
POOL(AveragePool, 7, FLOAT3, WINDOW, COUNT);
POOL(AveragePool, 10, FLOAT3, WINDOW, COUNT, CEIL);
POOL(AveragePool, 11, FLOAT3, WINDOW, COUNT, CEIL);
POOL(AveragePool, 19, FLOAT3, WINDOW, COUNT, CEIL, DILATIONS);
POOL(AveragePool, 22, FLOAT, WINDOW, COUNT, CEIL, DILATIONS);

POOL(LpPool, 1, FLOAT3, A_STRING("auto_pad", "NOTSET"), A_INTS("kernel_shape"), A_INTS("pads"),
     A_INTS("strides"), A_FLOAT("p", 2.0f));
POOL(LpPool, 2, FLOAT3, WINDOW, A_INT("p", 2));
POOL(LpPool, 11, FLOAT3, WINDOW, A_INT("p", 2));
POOL(LpPool, 18, FLOAT3, WINDOW, A_INT("p", 2), CEIL, DILATIONS);
POOL(LpPool, 22, FLOAT, WINDOW, A_INT("p", 2), CEIL, DILATIONS);

POOL(MaxPool, 1, FLOAT3, WINDOW);

#define MAX_POOL(since, types, ...)                                                                \
    ROW(MaxPool, since, INFER(infer_pool), IN(P("X", 'T', types)),                                 \
        OUT(P("Y", 'T', types), OPT("Indices", 'I', BP_T(I64))), ATTRS(__VA_ARGS__))
#define ORDER A_INT("storage_order", 0)
#define BYTES (BP_T(I8) | BP_T(U8))

MAX_POOL(8, FLOAT3, WINDOW, ORDER);
MAX_POOL(10, FLOAT3, WINDOW, ORDER, CEIL, DILATIONS);
MAX_POOL(11, FLOAT3, WINDOW, ORDER, CEIL, DILATIONS);
MAX_POOL(12, FLOAT3 | BYTES, WINDOW, ORDER, CEIL, DILATIONS);
MAX_POOL(22, FLOAT | BYTES, WINDOW, ORDER, CEIL, DILATIONS);

static bp_rc infer_nhwc_max_pool(struct bp_infer *infer)
{
    return bp_rule_channels_last(infer, &bp_schema_MaxPool_12, 1);
}

#define FUSED_WINDOW                                                                               \
    A_STRING("auto_pad", "NOTSET"), A_INTS("dilations"), A_INTS("kernel_shape"), A_INTS("strides")

MS_ROW(NhwcMaxPool, 1, INFER(infer_nhwc_max_pool), IN(P("x", 'T', FLOAT | BYTE8)),
       OUT(P("y", 'T', FLOAT | BYTE8)), ATTRS(FUSED_WINDOW, A_INTS("pads"), A_INT("ceil_mode", 0)));

/* ---- global pooling -------------------------------------------------------------------------- */

/*
 * ONNX: GlobalAveragePool 1, 22; GlobalLpPool 1, 2, 22; GlobalMaxPool 1, 22.
 * X is (batch, C, d1, ..., dn); Y has its rank, and size 1 in each spatial dimension. X of
 * rank 2 has no spatial dimensions and is its own result.
 */

static bp_rc infer_global_pool(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    for (uint32_t i = 0; i < x->rank; i++)
        dims[i] = i < 2 ? x->dims[i] : bp_sym_of(1);
    return bp_rule_set(infer, 0, x->dtype, x->rank, dims);
}

#define GLOBAL(op, since, types, attrs)                                                            \
    ROW(op, since, INFER(infer_global_pool), IN(P("X", 'T', types)), OUT(P("Y", 'T', types)), attrs)

GLOBAL(GlobalAveragePool, 1, FLOAT3, NO_ATTRS);
GLOBAL(GlobalAveragePool, 22, FLOAT, NO_ATTRS);
GLOBAL(GlobalLpPool, 1, FLOAT3, ATTRS(A_FLOAT("p", 2.0f)));
GLOBAL(GlobalLpPool, 2, FLOAT3, ATTRS(A_INT("p", 2)));
GLOBAL(GlobalLpPool, 22, FLOAT, ATTRS(A_INT("p", 2)));
GLOBAL(GlobalMaxPool, 1, FLOAT3, NO_ATTRS);
GLOBAL(GlobalMaxPool, 22, FLOAT, NO_ATTRS);

/* ---- MaxUnpool ------------------------------------------------------------------------------- */

/*
 * ONNX: MaxUnpool 9, 11, 22.
 * X and I, the indices that MaxPool gave, have one shape, (batch, C, d1, ..., dn). Without
 * output_shape the result has d * stride + k - stride - pads in each spatial dimension, which
 * is what MaxPool had if its windows did not overhang; with it, those sizes, and batch and C
 * must agree.
 */

/* The sizes that the pooled image had, if the windows did not overhang. */
static bp_rc unpooled(struct bp_infer *infer, struct bp_sym *dims)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_window window;
    bp_rc rc = bp_window_read(infer, x->rank - 2, &window);

    if (rc < 0)
        return rc;
    if (!window.kernel)
        return bp_fail(infer->err, BP_E_INVALID, "kernel_shape is missing or empty");
    for (uint32_t i = 0; i < window.n; i++) {
        int64_t stride = bp_window_stride(&window, i), begin, total, rest;
        struct bp_sym *size = &dims[i + 2];

        rc = bp_window_padding(infer, &window, i, &begin, &total);
        if (rc < 0)
            return rc;
        if (__builtin_sub_overflow(window.kernel[i], stride, &rest) ||
            __builtin_sub_overflow(rest, total, &rest))
            return bp_fail(infer->err, BP_E_INVALID, "the window of dimension %u is too large", i);
        rc = bp_rule_calc(infer, x->dims[i + 2], '*', bp_sym_of(stride), size);
        if (rc >= 0)
            rc = bp_rule_shift(infer, *size, rest, size);
        if (rc < 0)
            return rc;
        if (bp_sym_known(*size) && size->value < 0)
            return bp_fail(infer->err, BP_E_SHAPE,
                           "pads take away more of dimension %u than there is", i + 2);
    }
    return BP_OK;
}

static bp_rc given_shape(struct bp_infer *infer, const struct bp_list *shape, struct bp_sym *dims)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);

    if (shape->is_counted && shape->n != x->rank)
        return bp_fail(infer->err, BP_E_SHAPE, "output_shape has %u sizes, but X has rank %u",
                       shape->n, x->rank);
    if (!shape->v)
        return bp_rule_from_data(infer, dims + 2, x->rank - 2);
    for (uint32_t i = 0; i < x->rank; i++) {
        if (i < 2 ? !bp_rule_unify(dims[i], shape->v[i], &dims[i])
                  : bp_sym_known(shape->v[i]) && shape->v[i].value < 0)
            return bp_fail(infer->err, BP_E_SHAPE, "output_shape has %" PRId64 " at dimension %u",
                           shape->v[i].value, i);
        dims[i] = shape->v[i];
    }
    return BP_OK;
}

static bp_rc infer_max_unpool(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_list shape;
    bp_rc rc = bp_rule_rank(infer, 0, 3, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_list(infer, "", 2, &shape);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = bp_rule_rank(infer, 1, x->rank, x->rank);
    for (uint32_t i = 0; i < x->rank && rc >= 0; i++)
        rc = bp_rule_expect(infer, 1, i, x->dims[i], "X");
    if (rc < 0)
        return rc;
    dims[0] = x->dims[0];
    dims[1] = x->dims[1];
    rc = shape.is_given ? given_shape(infer, &shape, dims) : unpooled(infer, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, x->dtype, x->rank, dims);
}

#define MAX_UNPOOL(since, types)                                                                   \
    ROW(MaxUnpool, since, INFER(infer_max_unpool),                                                 \
        IN(P("X", '1', types), P("I", '2', BP_T(I64)), OPT_READ("output_shape", '2', BP_T(I64))),  \
        OUT(P("output", '1', types)),                                                              \
        ATTRS(A_INTS_REQ("kernel_shape"), A_INTS("pads"), A_INTS("strides")))

MAX_UNPOOL(9, FLOAT3);
MAX_UNPOOL(11, FLOAT3);
MAX_UNPOOL(22, FLOAT);

/* ---- Col2Im ---------------------------------------------------------------------------------- */

/*
 * ONNX: Col2Im 18.
 * input is (batch, C * k1 * ... * kn, L), where k are the sizes of block_shape and L is the
 * number of positions of the block in image_shape under pads, strides and dilations. The
 * result is (batch, C, image_shape...). Both shapes are inputs; without their content only
 * the rank is known.
 */

/* The sizes of image and block, which the attributes must fit; *n BP_NONE: not known. */
static bp_rc read_image(struct bp_infer *infer, struct bp_list *image, struct bp_list *block,
                        struct bp_window *window)
{
    bp_rc rc = bp_rule_list(infer, "", 1, image);

    if (rc >= 0)
        rc = bp_rule_list(infer, "", 2, block);
    if (rc < 0 || !image->is_counted)
        return rc;
    if (image->n < 1 || image->n + 2 > BP_MAX_RANK)
        return bp_fail(infer->err, BP_E_SHAPE, "image_shape has %u sizes", image->n);
    if (block->is_counted && block->n != image->n)
        return bp_fail(infer->err, BP_E_SHAPE, "image_shape has %u sizes, but block_shape has %u",
                       image->n, block->n);
    return bp_window_read(infer, image->n, window);
}

/* There is a column for each place of the block. */
static bp_rc check_columns(struct bp_infer *infer, const struct bp_list *image,
                           const struct bp_list *block, const struct bp_window *window)
{
    struct bp_sym positions[BP_MAX_RANK], all;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < image->n && rc >= 0; i++)
        rc =
            bp_window_slide(infer, window, i, image->v[i], block->v[i].value, false, &positions[i]);
    if (rc >= 0)
        rc = bp_rule_product(infer, positions, image->n, &all);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 0, 2, all, "the positions of the block in the image");
    return rc;
}

static bp_rc infer_col2im(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK], taps = bp_sym_of(1);
    struct bp_list image, block;
    struct bp_window window;
    bp_rc rc = bp_rule_rank(infer, 0, 3, 3);

    if (rc >= 0)
        rc = read_image(infer, &image, &block, &window);
    if (rc < 0)
        return rc;
    if (!image.is_counted)
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = bp_rule_from_data(infer, dims, 2 + image.n);
    for (uint32_t i = 0; image.v && i < image.n && rc >= 0; i++) {
        dims[2 + i] = image.v[i];
        if (bp_sym_known(image.v[i]) && image.v[i].value < 0)
            rc = bp_fail(infer->err, BP_E_SHAPE, "image_shape has %" PRId64, image.v[i].value);
    }
    if (rc >= 0 && bp_list_is_exact(&block)) {
        rc = bp_rule_product(infer, block.v, block.n, &taps);
        if (rc >= 0 && image.v)
            rc = check_columns(infer, &image, &block, &window);
        if (rc >= 0 && taps.value < 1)
            rc = bp_fail(infer->err, BP_E_SHAPE, "block_shape has a size below 1");
        if (rc >= 0 && bp_rule_ranked(input))
            rc = bp_rule_divide_dim(infer, 1, taps.value, &dims[1]);
    }
    if (rc < 0)
        return rc;
    if (bp_rule_ranked(input))
        dims[0] = input->dims[0];
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 2 + image.n, dims);
}

ROW(Col2Im, 18, INFER(infer_col2im),
    IN(P("input", 'T', ALL4), READ("image_shape", 0, BP_T(I64)), READ("block_shape", 0, BP_T(I64))),
    OUT(P("output", 'T', ALL4)), ATTRS(A_INTS("dilations"), A_INTS("pads"), A_INTS("strides")));
