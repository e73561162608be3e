/* SPDX-License-Identifier: MIT */
/* image_sample.c - images sampled at positions and in regions that tensors give. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <string.h>

#define FAMILY BP_FAMILY_IMAGE

/* ---- GridSample ------------------------------------------------------------------------------ */

/*
 * ONNX: GridSample 16, 20, 22.
 * com.microsoft: GridSample 1.
 * X is (N, C, D1, ..., Dn), grid (N, E1, ..., En, n): a position in X for each element. Y is
 * (N, C, E1, ..., En). The operator of com.microsoft takes two spatial dimensions only.
 */

/* X[N,C,D1..Dn] and grid[N,E1..En,n] give Y[N,C,E1..En]. */
static bp_rc infer_grid_sample(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *grid = bp_rule_in(infer, 1);
    const struct bp_fact *known = bp_rule_ranked(x) ? x : grid;
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t dtype = bp_rule_dtype(infer, 0);
    bp_rc rc = bp_rule_rank(infer, 0, 3, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 3, BP_MAX_RANK);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(known))
        return bp_rule_unknown(infer, 0, dtype);
    rc = bp_rule_rank(infer, 1, known->rank, known->rank);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 1, known->rank - 1, bp_sym_of(known->rank - 2), "the rank of X");
    if (rc < 0)
        return rc;
    rc = bp_rule_from_data(infer, dims, known->rank);
    if (rc < 0)
        return rc;
    for (uint32_t d = 0; bp_rule_ranked(x) && d < 2; d++)
        dims[d] = x->dims[d];
    for (uint32_t d = 2; bp_rule_ranked(grid) && d < known->rank; d++)
        dims[d] = grid->dims[d - 1];
    if (bp_rule_ranked(grid)) {
        rc = bp_rule_expect(infer, 1, 0, dims[0], "the batch of X");
        if (rc < 0)
            return rc;
        if (bp_sym_known(grid->dims[0]) || !bp_rule_ranked(x))
            dims[0] = grid->dims[0];
    }
    return bp_rule_set(infer, 0, dtype, known->rank, dims);
}

#define GRID_SAMPLE(since, types, grid, mode)                                                      \
    ROW(GridSample, since, INFER(infer_grid_sample), IN(P("X", '1', types), P("grid", '2', grid)), \
        OUT(P("Y", '1', types)),                                                                   \
        ATTRS(A_STRING("mode", mode), A_STRING("padding_mode", "zeros"),                           \
              A_INT("align_corners", 0)))

GRID_SAMPLE(16, ALL3, FLOAT3, "bilinear");
GRID_SAMPLE(20, ALL3, FLOAT3, "linear");
GRID_SAMPLE(22, ALL4, FLOAT, "linear");

static bp_rc infer_ms_grid_sample(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *grid = bp_rule_in(infer, 1);
    struct bp_sym dims[4];
    bp_rc rc = bp_rule_rank(infer, 0, 4, 4);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 4, 4);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 1, 3, bp_sym_of(2), "a pair of coordinates");
    for (int i = 0; i < 2 && rc >= 0; i++) {
        rc = bp_rule_dim(infer, x, i, &dims[i]);
        if (rc >= 0)
            rc = bp_rule_dim(infer, grid, i + 1, &dims[2 + i]);
    }
    if (rc >= 0)
        rc = bp_rule_expect(infer, 1, 0, dims[0], "X");
    return rc < 0 ? rc : bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 4, dims);
}

MS_ROW(GridSample, 1, INFER(infer_ms_grid_sample), IN(P("X", 'T', FLOAT3), P("Grid", 'T', FLOAT3)),
       OUT(P("Y", 'T', FLOAT3)),
       ATTRS(A_STRING("mode", "bilinear"), A_STRING("padding_mode", "zeros"),
             A_INT("align_corners", 0)));

/* ---- AffineGrid ------------------------------------------------------------------------------ */

/*
 * ONNX: AffineGrid 20.
 * theta is (N, n, n + 1), a transformation for each image, and size gives (N, C, d1, ..., dn)
 * with n of 2 or 3. grid is (N, d1, ..., dn, n). Without the content of size only what its
 * length says is known.
 */

static bp_rc infer_affine_grid(struct bp_infer *infer)
{
    uint32_t dtype = bp_rule_dtype(infer, 0), n;
    struct bp_sym dims[5];
    struct bp_list size;
    bp_rc rc = bp_rule_list(infer, "", 1, &size);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 0, 3, 3);
    if (rc < 0)
        return rc;
    if (!size.is_counted)
        return bp_rule_unknown(infer, 0, dtype);
    if (size.n != 4 && size.n != 5)
        return bp_fail(infer->err, BP_E_SHAPE, "size has %u elements, not 4 or 5", size.n);
    n = size.n - 2;
    rc = bp_rule_expect(infer, 0, 1, bp_sym_of(n), "size");
    if (rc >= 0)
        rc = bp_rule_expect(infer, 0, 2, bp_sym_of(n + 1), "size");
    if (rc >= 0 && !size.v)
        rc = bp_rule_from_data(infer, dims, n + 1);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; size.v && i < size.n; i++) {
        if (bp_sym_known(size.v[i]) && size.v[i].value < 0)
            return bp_fail(infer->err, BP_E_INVALID, "size %u is %" PRId64, i, size.v[i].value);
        if (i != 1)
            dims[i > 0 ? i - 1 : 0] = size.v[i];
    }
    rc = size.v ? bp_rule_expect(infer, 0, 0, size.v[0], "size") : BP_OK;
    dims[n + 1] = bp_sym_of(n);
    return rc < 0 ? rc : bp_rule_set(infer, 0, dtype, n + 2, dims);
}

ROW(AffineGrid, 20, INFER(infer_affine_grid),
    IN(P("theta", '1', FLOAT), READ("size", '2', BP_T(I64))), OUT(P("grid", '1', FLOAT)),
    ATTRS(A_INT("align_corners", 0)));

/* ---- MaxRoiPool, RoiAlign -------------------------------------------------------------------- */

/*
 * ONNX: MaxRoiPool 1, 22; RoiAlign 10, 16, 22.
 * X is (N, C, H, W). rois has a row for each region: (batch index, x1, y1, x2, y2) in
 * MaxRoiPool; (x1, y1, x2, y2) in RoiAlign, which has the batch indices as an input of their
 * own. Y is (regions, C, height, width), whose last two sizes are attributes.
 */

/* An output of height x width for each region, which has `coordinates` elements. */
static bp_rc regions(struct bp_infer *infer, int64_t coordinates, int64_t height, int64_t width)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    const struct bp_fact *rois = bp_rule_in(infer, 1);
    struct bp_sym dims[4];
    bp_rc rc = bp_rule_rank(infer, 0, 4, 4);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 2, 2);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 1, 1, bp_sym_of(coordinates), "a region");
    if (rc >= 0)
        rc = bp_rule_from_data(infer, dims, bp_rule_ranked(x) && bp_rule_ranked(rois) ? 0 : 2);
    if (rc < 0)
        return rc;
    if (height < 1 || width < 1)
        return bp_fail(infer->err, BP_E_INVALID, "an output has the size %" PRId64 " x %" PRId64,
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

/* ---- CropAndResize --------------------------------------------------------------------------- */

/*
 * com.microsoft: CropAndResize 1.
 * X is (N, C, H, W), rois (regions, 4), batch_indices has an element for each region.
 * crop_size, (height, width), is an input: Y is (regions, C, height, width), with sizes from
 * the data where its content is not known.
 */

static bp_rc infer_crop_and_resize(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *rois = bp_rule_in(infer, 1);
    const struct bp_fact *size = bp_rule_in(infer, 3);
    struct bp_sym dims[4];
    bp_rc rc = bp_rule_rank(infer, 0, 4, 4);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 2, 2);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 1, 1, bp_sym_of(4), "a box");
    if (rc >= 0)
        rc = bp_rule_vector(infer, 3, bp_sym_of(2), "a size");
    if (rc >= 0)
        rc = bp_rule_dim(infer, rois, 0, &dims[0]);
    if (rc >= 0)
        rc = bp_rule_vector(infer, 2, dims[0], "rois");
    if (rc >= 0)
        rc = bp_rule_dim(infer, x, 1, &dims[1]);
    if (rc < 0)
        return rc;
    if (size && size->content && size->n_content == 2) {
        memcpy(dims + 2, size->content, 2 * sizeof *dims);
        for (int i = 2; i < 4; i++) {
            if (bp_sym_known(dims[i]) && dims[i].value < 1)
                return bp_fail(infer->err, BP_E_INVALID, "crop_size has %" PRId64, dims[i].value);
        }
    } else {
        rc = bp_rule_from_data(infer, dims + 2, 2);
    }
    return rc < 0 ? rc : bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 4, dims);
}

MS_ROW(CropAndResize, 1, INFER(infer_crop_and_resize),
       IN(P("X", 'T', FLOAT3), P("rois", 'T', FLOAT3), P("batch_indices", 0, BP_T(I32)),
          READ("crop_size", 0, BP_T(I32))),
       OUT(P("Y", 'T', FLOAT3)),
       ATTRS(A_STRING("mode", "bilinear"), A_FLOAT("extrapolation_value", 0.0f)));

/* ---- NonMaxSuppression ----------------------------------------------------------------------- */

/*
 * ONNX: NonMaxSuppression 10, 11.
 * boxes is (batches, boxes, 4), scores (batches, classes, boxes); the limits are scalars. Of
 * each box that is kept the result has (batch, class, box); their number comes with the data.
 */

static bp_rc infer_non_max_suppression(struct bp_infer *infer)
{
    const struct bp_fact *boxes = bp_rule_in(infer, 0);
    struct bp_sym dims[2] = {{0}};
    bp_rc rc = bp_rule_rank(infer, 0, 3, 3);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 3, 3);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 0, 2, bp_sym_of(4), "a box");
    if (rc >= 0 && bp_rule_ranked(boxes)) {
        rc = bp_rule_expect(infer, 1, 0, boxes->dims[0], "boxes");
        if (rc >= 0)
            rc = bp_rule_expect(infer, 1, 2, boxes->dims[1], "boxes");
    }
    for (uint32_t i = 2; i < 5 && rc >= 0; i++)
        rc = bp_rule_scalar(infer, i);
    if (rc >= 0)
        rc = bp_rule_from_data(infer, dims, 1);
    if (rc < 0)
        return rc;
    dims[1] = bp_sym_of(3);
    return bp_rule_set(infer, 0, BP_DTYPE_I64, 2, dims);
}

#define NON_MAX_SUPPRESSION(since)                                                                 \
    ROW(NonMaxSuppression, since, INFER(infer_non_max_suppression),                                \
        IN(P("boxes", 0, BP_T(F32)), P("scores", 0, BP_T(F32)),                                    \
           OPT("max_output_boxes_per_class", 0, BP_T(I64)), OPT("iou_threshold", 0, BP_T(F32)),    \
           OPT("score_threshold", 0, BP_T(F32))),                                                  \
        OUT(P("selected_indices", 0, BP_T(I64))), ATTRS(A_INT("center_point_box", 0)),             \
        .sizes_from_data = true)

NON_MAX_SUPPRESSION(10);
NON_MAX_SUPPRESSION(11);
