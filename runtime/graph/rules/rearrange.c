/* SPDX-License-Identifier: MIT */
/*
 * rearrange.c - ReverseSequence, DepthToSpace, SpaceToDepth, CenterCropPad and Col2Im: the elements
 * of a tensor in another order.
 */

#include "config.h"

#include "graph/rules/window.h"

#include <inttypes.h>

/* ---- ReverseSequence ------------------------------------------------------------------------ */

static bp_rc infer_reverse_sequence(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    int64_t batch = bp_ir_attr_int(infer->node, "batch_axis", 1);
    int64_t time = bp_ir_attr_int(infer->node, "time_axis", 0);
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 1, 1);
    if (rc < 0)
        return rc;
    if (batch < 0 || batch > 1 || time != 1 - batch)
        return bp_fail(infer->err, BP_E_INVALID,
                       "batch_axis is %" PRId64 " and time_axis %" PRId64
                       ", but one must be 0, the other 1",
                       batch, time);
    if (bp_rule_ranked(input)) {
        rc = bp_rule_expect(infer, 1, 0, input->dims[batch], "input");
        if (rc < 0)
            return rc;
    }
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), input);
}

/* ---- DepthToSpace, SpaceToDepth ------------------------------------------------------------- */

static bp_rc read_block(struct bp_infer *infer, int64_t *out)
{
    *out = bp_ir_attr_int(infer->node, "blocksize", 0);
    if (*out < 1 || *out > INT32_MAX)
        return bp_fail(infer->err, BP_E_INVALID, "blocksize is %" PRId64, *out);
    return BP_OK;
}

static bp_rc divide(struct bp_infer *infer, uint32_t axis, int64_t by, struct bp_sym *out)
{
    struct bp_sym size = bp_rule_in(infer, 0)->dims[axis];

    if (bp_sym_known(size) && size.value % by != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "size %" PRId64 " of dimension %u is no multiple of %" PRId64, size.value,
                       axis, by);
    return bp_rule_calc(infer, size, '/', bp_sym_of(by), out);
}

static bp_rc infer_depth_to_space(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    struct bp_sym dims[4];
    int64_t block = 1;
    bp_rc rc = bp_rule_rank(infer, 0, 4, 4);

    if (rc >= 0)
        rc = read_block(infer, &block);
    if (rc >= 0 && !bp_ir_attr_is(infer->node, "mode", "DCR", "DCR") &&
        !bp_ir_attr_is(infer->node, "mode", "DCR", "CRD"))
        rc = bp_fail(infer->err, BP_E_INVALID, "mode is neither DCR nor CRD");
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(input))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    dims[0] = input->dims[0];
    rc = divide(infer, 1, block * block, &dims[1]);
    for (uint32_t i = 2; i < 4 && rc >= 0; i++)
        rc = bp_rule_calc(infer, input->dims[i], '*', bp_sym_of(block), &dims[i]);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, input->dtype, 4, dims);
}

static bp_rc infer_space_to_depth(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    struct bp_sym dims[4];
    int64_t block = 1;
    bp_rc rc = bp_rule_rank(infer, 0, 4, 4);

    if (rc >= 0)
        rc = read_block(infer, &block);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(input))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    dims[0] = input->dims[0];
    rc = bp_rule_calc(infer, input->dims[1], '*', bp_sym_of(block * block), &dims[1]);
    for (uint32_t i = 2; i < 4 && rc >= 0; i++)
        rc = divide(infer, i, block, &dims[i]);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, input->dtype, 4, dims);
}

/* ---- CenterCropPad -------------------------------------------------------------------------- */

static bp_rc new_sizes(struct bp_infer *infer, const struct bp_list *shape, struct bp_sym *dims)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    uint32_t n_axes;
    uint64_t seen = 0;
    const int64_t *axes = bp_ir_attr_ints(infer->node, "axes", &n_axes);
    uint32_t n = axes ? n_axes : input->rank;

    if (shape->is_counted && shape->n != n)
        return bp_fail(infer->err, BP_E_SHAPE, "shape has %u sizes for %u axes", shape->n, n);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t axis = i;
        bp_rc rc = BP_OK;

        if (axes)
            rc = bp_infer_axis(infer, axes[i], input->rank, "axes", &axis);
        if (rc >= 0 && (seen >> axis & 1))
            rc = bp_fail(infer->err, BP_E_INVALID, "axes names axis %u twice", axis);
        if (rc >= 0 && !shape->v)
            rc = bp_rule_from_data(infer, &dims[axis], 1);
        else if (rc >= 0)
            dims[axis] = shape->v[i];
        if (rc < 0)
            return rc;
        if (bp_sym_known(dims[axis]) && dims[axis].value < 0)
            return bp_fail(infer->err, BP_E_SHAPE, "shape asks for size %" PRId64 " at axis %u",
                           dims[axis].value, axis);
        seen |= UINT64_C(1) << axis;
    }
    return BP_OK;
}

static bp_rc infer_center_crop_pad(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    struct bp_list shape;
    bp_rc rc = bp_rule_list(infer, "", 1, &shape);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(input))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    for (uint32_t i = 0; i < input->rank; i++)
        dims[i] = input->dims[i];
    rc = new_sizes(infer, &shape, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), input->rank, dims);
}

/* ---- Col2Im --------------------------------------------------------------------------------- */

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
    struct bp_sym places[BP_MAX_RANK], all;
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < image->n && rc >= 0; i++)
        rc = bp_window_slide(infer, window, i, image->v[i], block->v[i].value, false, &places[i]);
    if (rc >= 0)
        rc = bp_rule_product(infer, places, image->n, &all);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 0, 2, all, "the places of the block in the image");
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
            rc = divide(infer, 1, taps.value, &dims[1]);
    }
    if (rc < 0)
        return rc;
    if (bp_rule_ranked(input))
        dims[0] = input->dims[0];
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 2 + image.n, dims);
}

/* ---- rows ----------------------------------------------------------------------------------- */

ROW(ReverseSequence, 10, INFER(infer_reverse_sequence),
    IN(P("input", 'T', ALL3), P("sequence_lens", 0, BP_T(I64))), OUT(P("Y", 'T', ALL3)),
    ATTRS(A_INT("batch_axis", 1), A_INT("time_axis", 0)));

#define BLOCKS(op, since, rule, types, ...)                                                        \
    ROW(op, since, INFER(rule), IN(P("input", 'T', types)), OUT(P("output", 'T', types)),          \
        ATTRS(__VA_ARGS__))

BLOCKS(DepthToSpace, 1, infer_depth_to_space, ALL3, A_INT_REQ("blocksize"));
BLOCKS(DepthToSpace, 11, infer_depth_to_space, ALL3, A_INT_REQ("blocksize"),
       A_STRING("mode", "DCR"));
BLOCKS(DepthToSpace, 13, infer_depth_to_space, ALL4, A_INT_REQ("blocksize"),
       A_STRING("mode", "DCR"));
BLOCKS(SpaceToDepth, 1, infer_space_to_depth, ALL3, A_INT_REQ("blocksize"));
BLOCKS(SpaceToDepth, 13, infer_space_to_depth, ALL4, A_INT_REQ("blocksize"));

ROW(CenterCropPad, 18, INFER(infer_center_crop_pad),
    IN(P("input_data", 'T', ALL4), READ("shape", 'i', INDEX)), OUT(P("output_data", 'T', ALL4)),
    ATTRS(A_INTS("axes")));

ROW(Col2Im, 18, INFER(infer_col2im),
    IN(P("input", 'T', ALL4), READ("image_shape", 0, BP_T(I64)), READ("block_shape", 0, BP_T(I64))),
    OUT(P("output", 'T', ALL4)), ATTRS(A_INTS("dilations"), A_INTS("pads"), A_INTS("strides")));
