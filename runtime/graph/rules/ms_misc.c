/* SPDX-License-Identifier: MIT */
/* ms_misc.c - operators of com.microsoft that ONNX has since taken over, and some it has not. */

#include "config.h"

#include "graph/rules/ms.h"

#include <inttypes.h>

/* ---- rules ---------------------------------------------------------------------------------- */

static bp_rc infer_inverse(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc >= 0 && bp_rule_ranked(x))
        rc = bp_rule_expect(infer, 0, x->rank - 1, x->dims[x->rank - 2], "a square matrix");
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

static bp_rc infer_trilu(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_scalar(infer, 1);
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

static bp_rc infer_unique(struct bp_infer *infer)
{
    struct bp_sym size;
    bp_rc rc = bp_rule_rank(infer, 0, 1, 1);

    if (rc >= 0)
        rc = bp_rule_from_data(infer, &size, 1);
    if (rc >= 0)
        rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 1, &size);
    if (rc >= 0)
        rc = bp_rule_set(infer, 2, BP_DTYPE_I64, 1, &size);
    return rc < 0 ? rc : bp_rule_like(infer, 1, BP_DTYPE_I64, bp_rule_in(infer, 0));
}

/* [C] and [N, C] get a dimension more, as long as the text with most tokens; [N, 0] and [0] do not. */
static bp_rc infer_tokenizer(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[3];
    uint32_t rank = 0;
    bool is_empty = false;
    bp_rc rc = bp_rule_rank(infer, 0, 1, 2);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, BP_DTYPE_STRING);
    for (uint32_t d = 0; d < x->rank; d++)
        is_empty = is_empty || (bp_sym_known(x->dims[d]) && x->dims[d].value == 0);
    for (uint32_t d = 0; d < x->rank; d++) {
        if (!is_empty || d + 1 < x->rank)
            dims[rank++] = x->dims[d];
    }
    dims[rank] = bp_sym_of(0);
    if (!is_empty)
        rc = bp_rule_from_data(infer, &dims[rank], 1);
    return rc < 0 ? rc : bp_rule_set(infer, 0, BP_DTYPE_STRING, rank + 1, dims);
}

/* A dimension of 1 at `axis`, -rank-1..rank. */
static bp_rc infer_expand_dims(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *at = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t axis;
    bp_rc rc = bp_rule_scalar(infer, 1);

    if (rc >= 0 && bp_rule_ranked(x))
        rc = bp_rule_room(infer, (uint64_t)x->rank + 1);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    if (!at || !at->content || at->n_content != 1 || !bp_sym_known(at->content[0])) {
        rc = bp_rule_from_data(infer, dims, x->rank + 1);
        return rc < 0 ? rc : bp_rule_set(infer, 0, x->dtype, x->rank + 1, dims);
    }
    rc = bp_infer_axis(infer, at->content[0].value, x->rank + 1, "axis", &axis);
    for (uint32_t i = 0; i <= x->rank && rc >= 0; i++)
        dims[i] = i == axis ? bp_sym_of(1) : x->dims[i - (i > axis)];
    return rc < 0 ? rc : bp_rule_set(infer, 0, x->dtype, x->rank + 1, dims);
}

/* Without delta it is 1. */
static bp_rc infer_range(struct bp_infer *infer)
{
    const struct bp_fact *start = bp_rule_in(infer, 0);
    const struct bp_sym one_sym = bp_sym_of(1);
    static const double one_real = 1;
    struct bp_fact one = {.n_content = 1};
    const struct bp_fact *in[] = {start, bp_rule_in(infer, 1), bp_rule_in(infer, 2)};

    if (!in[2] && start) {
        one.dtype = start->dtype;
        if (start->dtype == BP_DTYPE_F32 || start->dtype == BP_DTYPE_F64)
            one.reals = &one_real;
        else
            one.content = &one_sym;
        in[2] = &one;
    }
    return bp_rule_as(infer, &bp_schema_Range_11, in, 3);
}

static bp_rc infer_cdist(struct bp_infer *infer)
{
    const struct bp_fact *a = bp_rule_in(infer, 0), *b = bp_rule_in(infer, 1);
    struct bp_sym dims[2];
    bp_rc rc = bp_rule_rank(infer, 0, 2, 2);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 2, 2);
    if (rc >= 0)
        rc = bp_rule_dim(infer, a, 0, &dims[0]);
    if (rc >= 0)
        rc = bp_rule_dim(infer, b, 0, &dims[1]);
    if (rc >= 0 && bp_rule_ranked(a))
        rc = bp_rule_expect(infer, 1, 1, a->dims[1], "A");
    return rc < 0 ? rc : bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 2, dims);
}

/* ONNX's rule, but for pads that may be a matrix of one row. */
static bp_rc infer_pad(struct bp_infer *infer)
{
    const struct bp_fact *pads = bp_rule_in(infer, 1);
    struct bp_fact flat = {.rank = BP_RANK_UNKNOWN};
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), pads, bp_rule_in(infer, 2)};

    if (bp_rule_ranked(pads) && pads->rank == 2) {
        bp_rc rc = bp_rule_expect(infer, 1, 0, bp_sym_of(1), "a matrix of pads");

        if (rc < 0)
            return rc;
        flat = *pads;
        flat.rank = 1;
        flat.dims = pads->dims + 1;
        in[1] = &flat;
    }
    return bp_rule_as(infer, &bp_schema_Pad_13, in, 3);
}

/* Batch dimensions there are none of. */
static bp_rc infer_gather_nd(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0), *indices = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t n = 0, rank;
    int64_t depth;
    bp_rc rc = bp_rule_rank(infer, 0, 1, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 1, BP_MAX_RANK);
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(data) || !bp_rule_ranked(indices) ||
        !bp_sym_known(indices->dims[indices->rank - 1]))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    depth = indices->dims[indices->rank - 1].value;
    if (depth < 1 || depth > data->rank)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "indices ends in %" PRId64 " numbers, but data has rank %u", depth,
                       data->rank);
    rank = indices->rank - 1 + data->rank - (uint32_t)depth;
    rc = bp_rule_room(infer, rank);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i + 1 < indices->rank; i++)
        dims[n++] = indices->dims[i];
    for (uint32_t i = (uint32_t)depth; i < data->rank; i++)
        dims[n++] = data->dims[i];
    return bp_rule_set(infer, 0, data->dtype, rank, dims);
}

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

static bp_rc infer_grid_sample(struct bp_infer *infer)
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

/* ---- rows ----------------------------------------------------------------------------------- */

#define SAME(op, rule, types)                                                                      \
    MS_ROW(op, 1, INFER(rule), IN(P("X", 'T', types)), OUT(P("Y", 'T', types)), NO_ATTRS)

SAME(Inverse, infer_inverse, FLOAT3);
MS_ROW(Trilu, 1, INFER(infer_trilu), IN(P("X", 'T', NUMBER | BP_T(BOOL)), OPT("k", 0, BP_T(I64))),
       OUT(P("Y", 'T', NUMBER | BP_T(BOOL))), ATTRS(A_INT("upper", 1)));
MS_ROW(Tokenizer, 1, INFER(infer_tokenizer), .sizes_from_data = true, IN(P("X", 'T', BP_T(STRING))),
       OUT(P("Y", 'T', BP_T(STRING))),
       ATTRS(A_INT_REQ("mark"), A_INT_REQ("mincharnum"), A_STRING_REQ("pad_value"),
             A_STRINGS("separators"), A_STRING_OPT("tokenexp")));
MS_ROW(Unique, 1, INFER(infer_unique), .sizes_from_data = true, IN(P("x", 'T', ALL4)),
       OUT(P("y", 'T', ALL4), P("idx", 0, BP_T(I64)), P("counts", 0, BP_T(I64))), NO_ATTRS);
MS_ROW(ExpandDims, 1, INFER(infer_expand_dims), IN(P("X", 'T', ALL4), READ("axis", 0, BP_T(I32))),
       OUT(P("Y", 'T', ALL4)), NO_ATTRS);

#define RANGE (BP_T(F32) | BP_T(F64) | BP_T(I16) | INDEX)

MS_ROW(Range, 1, INFER(infer_range),
       IN(READ("start", 'T', RANGE), READ("limit", 'T', RANGE), OPT_READ("delta", 'T', RANGE)),
       OUT(P("Y", 'T', RANGE)), NO_ATTRS);
MS_ROW(CDist, 1, INFER(infer_cdist),
       IN(P("A", 'T', BP_T(F32) | BP_T(F64)), P("B", 'T', BP_T(F32) | BP_T(F64))),
       OUT(P("C", 'T', BP_T(F32) | BP_T(F64))), ATTRS(A_STRING("metric", "sqeuclidean")));
MS_ROW(Pad, 1, INFER(infer_pad),
       IN(P("data", 'T', FLOAT3), READ("pads", 0, BP_T(I64)), OPT("value", 'T', FLOAT3)),
       OUT(P("output", 'T', FLOAT3)), ATTRS(A_STRING("mode", "constant")));
MS_ROW(GatherND, 1, INFER(infer_gather_nd), IN(P("data", 'T', ALL4), P("indices", 0, INDEX)),
       OUT(P("output", 'T', ALL4)), NO_ATTRS);
MS_ROW(CropAndResize, 1, INFER(infer_crop_and_resize),
       IN(P("X", 'T', FLOAT3), P("rois", 'T', FLOAT3), P("batch_indices", 0, BP_T(I32)),
          READ("crop_size", 0, BP_T(I32))),
       OUT(P("Y", 'T', FLOAT3)),
       ATTRS(A_STRING("mode", "bilinear"), A_FLOAT("extrapolation_value", 0.0f)));
MS_ROW(GridSample, 1, INFER(infer_grid_sample), IN(P("X", 'T', FLOAT3), P("Grid", 'T', FLOAT3)),
       OUT(P("Y", 'T', FLOAT3)),
       ATTRS(A_STRING("mode", "bilinear"), A_STRING("padding_mode", "zeros"),
             A_INT("align_corners", 0)));
