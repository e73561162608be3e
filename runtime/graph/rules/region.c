/* SPDX-License-Identifier: MIT */
/* region.c - MaxUnpool, MaxRoiPool, RoiAlign and Det. */

#include "config.h"

#include "graph/rules/window.h"

#include <inttypes.h>

/* ---- MaxUnpool ------------------------------------------------------------------------------ */

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

/* ---- MaxRoiPool, RoiAlign ------------------------------------------------------------------- */

/* A piece of height x width for each of the regions, which have `numbers` numbers each. */
static bp_rc regions(struct bp_infer *infer, int64_t numbers, int64_t height, int64_t width)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    const struct bp_fact *rois = bp_rule_in(infer, 1);
    struct bp_sym dims[4];
    bp_rc rc = bp_rule_rank(infer, 0, 4, 4);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 2, 2);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 1, 1, bp_sym_of(numbers), "a region");
    if (rc >= 0)
        rc = bp_rule_from_data(infer, dims, bp_rule_ranked(x) && bp_rule_ranked(rois) ? 0 : 2);
    if (rc < 0)
        return rc;
    if (height < 1 || width < 1)
        return bp_fail(infer->err, BP_E_INVALID, "a piece has the size %" PRId64 " x %" PRId64,
                       height, width);
    if (bp_rule_ranked(rois))
        dims[0] = rois->dims[0];
    if (bp_rule_ranked(x))
        dims[1] = x->dims[1];
    dims[2] = bp_sym_of(height);
    dims[3] = bp_sym_of(width);
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 4, dims);
}

static bp_rc infer_max_roi_pool(struct bp_infer *infer)
{
    uint32_t n;
    const int64_t *sizes = bp_ir_attr_ints(infer->node, "pooled_shape", &n);

    if (n != 2)
        return bp_fail(infer->err, BP_E_INVALID, "pooled_shape has %u sizes, but 2 are needed", n);
    return regions(infer, 5, sizes[0], sizes[1]);
}

static bp_rc infer_roi_align(struct bp_infer *infer)
{
    const struct bp_fact *rois = bp_rule_in(infer, 1);
    bp_rc rc = bp_rule_rank(infer, 2, 1, 1);

    if (rc >= 0 && !bp_ir_attr_is(infer->node, "mode", "avg", "avg") &&
        !bp_ir_attr_is(infer->node, "mode", "avg", "max"))
        rc = bp_fail(infer->err, BP_E_INVALID, "mode is neither avg nor max");
    if (rc >= 0 && bp_rule_has_attr(infer, "coordinate_transformation_mode") &&
        !bp_ir_attr_is(infer->node, "coordinate_transformation_mode", "half_pixel", "half_pixel") &&
        !bp_ir_attr_is(infer->node, "coordinate_transformation_mode", "half_pixel",
                       "output_half_pixel"))
        rc = bp_fail(infer->err, BP_E_INVALID,
                     "coordinate_transformation_mode is neither half_pixel nor output_half_pixel");
    if (rc >= 0 && bp_ir_attr_int(infer->node, "sampling_ratio", 0) < 0)
        rc = bp_fail(infer->err, BP_E_INVALID, "sampling_ratio is below 0");
    if (rc < 0)
        return rc;
    if (rois && rois->rank == 2) {
        rc = bp_rule_expect(infer, 2, 0, rois->dims[0], "rois");
        if (rc < 0)
            return rc;
    }
    return regions(infer, 4, bp_ir_attr_int(infer->node, "output_height", 1),
                   bp_ir_attr_int(infer->node, "output_width", 1));
}

/* ---- Det ------------------------------------------------------------------------------------ */

static bp_rc infer_det(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym common;
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    if (!bp_rule_unify(x->dims[x->rank - 2], x->dims[x->rank - 1], &common))
        return bp_fail(infer->err, BP_E_SHAPE,
                       "a matrix of %" PRId64 " x %" PRId64 " has no determinant",
                       x->dims[x->rank - 2].value, x->dims[x->rank - 1].value);
    return bp_rule_set(infer, 0, x->dtype, x->rank - 2, x->dims);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define MAX_UNPOOL(since, types)                                                                   \
    ROW(MaxUnpool, since, INFER(infer_max_unpool),                                                 \
        IN(P("X", '1', types), P("I", '2', BP_T(I64)), OPT_READ("output_shape", '2', BP_T(I64))),  \
        OUT(P("output", '1', types)),                                                              \
        ATTRS(A_INTS_REQ("kernel_shape"), A_INTS("pads"), A_INTS("strides")))

MAX_UNPOOL(9, FLOAT3);
MAX_UNPOOL(11, FLOAT3);
MAX_UNPOOL(22, FLOAT);

#define MAX_ROI_POOL(since, types)                                                                 \
    ROW(MaxRoiPool, since, INFER(infer_max_roi_pool),                                              \
        IN(P("X", 'T', types), P("rois", 'T', types)), OUT(P("Y", 'T', types)),                    \
        ATTRS(A_INTS_REQ("pooled_shape"), A_FLOAT("spatial_scale", 1.0f)))

MAX_ROI_POOL(1, FLOAT3);
MAX_ROI_POOL(22, FLOAT);

#define ROI_ALIGN(since, types, ...)                                                               \
    ROW(RoiAlign, since, INFER(infer_roi_align),                                                   \
        IN(P("X", '1', types), P("rois", '1', types), P("batch_indices", '2', BP_T(I64))),         \
        OUT(P("Y", '1', types)),                                                                   \
        ATTRS(A_STRING("mode", "avg"), A_INT("output_height", 1), A_INT("output_width", 1),        \
              A_INT("sampling_ratio", 0), A_FLOAT("spatial_scale", 1.0f) __VA_ARGS__))
#define COORDINATES A_STRING("coordinate_transformation_mode", "half_pixel")

ROI_ALIGN(10, FLOAT3, );
ROI_ALIGN(16, FLOAT3, , COORDINATES);
ROI_ALIGN(22, FLOAT, , COORDINATES);

#define DET(since, types)                                                                          \
    ROW(Det, since, INFER(infer_det), IN(P("X", 'T', types)), OUT(P("Y", 'T', types)))

DET(11, FLOAT3);
DET(22, FLOAT);
