/* SPDX-License-Identifier: MIT */
/* image.c - Resize, Upsample and ImageDecoder. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <math.h>

#define FAMILY BP_FAMILY_IMAGE

/* ---- Resize, Upsample ------------------------------------------------------------------------ */

/*
 * ONNX: Resize 10, 11, 13, 18, 19; Upsample 1, 7, 9, 10.
 * Y has the rank of X. A dimension becomes floor(size * scale), in float32 as other runtimes
 * compute it, or the size that is given; from Resize-18 on axes says which dimensions are
 * meant. Exactly one of scales and sizes is given; an empty tensor counts as absent.
 * keep_aspect_ratio_policy (18) takes one scale for all axes, the smallest or largest that
 * fits sizes. Scales are attributes in Upsample 1 and 7, an input from 9 on; without the
 * content of scales or sizes only the rank is known.
 */

/* What is asked of the resized axes, in their order. */
struct request {
    uint32_t n;           /* axes */
    const double *scales; /* one an axis, or NULL */
    struct bp_list sizes; /* or these */
    bool has_scales;      /* scales are given, known or not */
    uint32_t axis[BP_MAX_RANK];
};

/* The axes that the node names, or all. */
static bp_rc read_axes(struct bp_infer *infer, uint32_t rank, struct request *out)
{
    uint32_t n;
    const int64_t *axes = bp_ir_attr_ints(infer->node, "axes", &n);
    uint64_t seen = 0;

    out->n = axes ? n : rank;
    if (out->n > rank)
        return bp_fail(infer->err, BP_E_INVALID, "axes has %u elements, X has rank %u", n, rank);
    for (uint32_t i = 0; i < out->n; i++) {
        bp_rc rc = BP_OK;

        out->axis[i] = i;
        if (axes)
            rc = bp_infer_axis(infer, axes[i], rank, "axes", &out->axis[i]);
        if (rc < 0)
            return rc;
        if (seen >> out->axis[i] & 1)
            return bp_fail(infer->err, BP_E_INVALID, "axes names axis %u twice", out->axis[i]);
        seen |= UINT64_C(1) << out->axis[i];
    }
    return BP_OK;
}

static bp_rc check_scales(struct bp_infer *infer, const double *scales, uint32_t count,
                          uint32_t axes)
{
    if (count != axes)
        return bp_fail(infer->err, BP_E_SHAPE, "scales has %u elements for %u axes", count, axes);
    for (uint32_t i = 0; scales && i < count; i++) {
        if (!(scales[i] > 0 && scales[i] < (double)INT32_MAX))
            return bp_fail(infer->err, BP_E_INVALID, "scale %u is %g", i, scales[i]);
    }
    return BP_OK;
}

/* Number of elements of a list where that is known. */
static bool list_size(const struct bp_fact *fact, int64_t *out)
{
    if (!bp_rule_ranked(fact) || fact->rank != 1 || !bp_sym_known(fact->dims[0]))
        return false;
    *out = fact->dims[0].value;
    return true;
}

static bp_rc read_scales(struct bp_infer *infer, uint32_t input, struct request *out)
{
    const struct bp_fact *fact = bp_rule_in(infer, input);
    int64_t size;
    bp_rc rc = bp_rule_rank(infer, input, 1, 1);

    if (rc < 0 || !fact || (list_size(fact, &size) && size == 0))
        return rc; /* empty is absent */
    out->has_scales = true;
    out->scales = fact->reals;
    return list_size(fact, &size)
               ? check_scales(infer, fact->reals, size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
                              out->n)
               : BP_OK;
}

static bp_rc read_sizes(struct bp_infer *infer, uint32_t input, struct request *out)
{
    bp_rc rc = bp_rule_list(infer, "", input, &out->sizes);

    if (rc < 0 || !out->sizes.is_given)
        return rc;
    if (out->sizes.is_counted && out->sizes.n == 0) {
        out->sizes.is_given = false;
        return BP_OK;
    }
    if (out->sizes.is_counted && out->sizes.n != out->n)
        return bp_fail(infer->err, BP_E_SHAPE, "sizes has %u elements for %u axes", out->sizes.n,
                       out->n);
    for (uint32_t i = 0; out->sizes.v && i < out->n; i++) {
        if (bp_sym_known(out->sizes.v[i]) && out->sizes.v[i].value < 0)
            return bp_fail(infer->err, BP_E_INVALID, "size %u is %" PRId64, i,
                           out->sizes.v[i].value);
    }
    return BP_OK;
}

/* floor(size * scale), in float32, as other runtimes compute it. */
static bp_rc scaled(struct bp_infer *infer, struct bp_sym size, double scale, struct bp_sym *out)
{
    double up = floor(scale), down = floor(1 / scale);

    if (bp_sym_known(size)) {
        double to = floor((double)((float)size.value * (float)scale));

        if (!(to < 0x1p53))
            return bp_fail(infer->err, BP_E_SHAPE, "size %" PRId64 " cannot grow %g times",
                           size.value, scale);
        *out = bp_sym_of((int64_t)to);
        return BP_OK;
    }
    if (scale == up && up < 0x1p53)
        return bp_rule_calc(infer, size, '*', bp_sym_of((int64_t)up), out);
    if (scale * down == 1 && scale < 1 && down < 0x1p53) /* a power of two: 1 / scale is exact */
        return bp_rule_calc(infer, size, '/', bp_sym_of((int64_t)down), out);
    return bp_symbols_fresh(infer->symbols, false, out, infer->err);
}

/* One scale for all axes: the least that makes no axis larger, or the least larger one. */
static bp_rc keep_aspect(struct bp_infer *infer, const struct request *request, bool is_larger,
                         struct bp_sym *dims)
{
    double scale = is_larger ? 0 : (double)INFINITY;
    bool is_exact = bp_list_is_exact(&request->sizes);

    for (uint32_t i = 0; i < request->n && is_exact; i++) {
        struct bp_sym from = dims[request->axis[i]];
        double ratio;

        if (!bp_sym_known(from)) {
            is_exact = false;
            break;
        }
        if (from.value == 0)
            return bp_fail(infer->err, BP_E_SHAPE, "axis %u is empty and has no ratio",
                           request->axis[i]);
        ratio = (double)request->sizes.v[i].value / (double)from.value;
        scale = is_larger == (ratio > scale) ? ratio : scale;
    }
    for (uint32_t i = 0; i < request->n; i++) {
        struct bp_sym *dim = &dims[request->axis[i]];
        double to = is_exact ? floor(scale * (double)dim->value + 0.5) : 0;
        bp_rc rc = BP_OK;

        if (!(to < 0x1p53))
            return bp_fail(infer->err, BP_E_SHAPE, "axis %u cannot grow %g times", request->axis[i],
                           scale);
        if (is_exact)
            *dim = bp_sym_of((int64_t)to);
        else
            rc = bp_symbols_fresh(infer->symbols, !request->sizes.v, dim, infer->err);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* The new sizes of the request's axes, instead of the old ones. */
static bp_rc resized(struct bp_infer *infer, const struct request *request, struct bp_sym *dims)
{
    bool stretches = bp_ir_attr_is(infer->node, "keep_aspect_ratio_policy", "stretch", "stretch");

    if (request->sizes.is_given && !stretches)
        return keep_aspect(
            infer, request,
            bp_ir_attr_is(infer->node, "keep_aspect_ratio_policy", "stretch", "not_smaller"), dims);
    for (uint32_t i = 0; i < request->n; i++) {
        struct bp_sym *dim = &dims[request->axis[i]];
        bp_rc rc = BP_OK;

        if (request->has_scales && request->scales)
            rc = scaled(infer, *dim, request->scales[i], dim);
        else if (request->sizes.is_given && request->sizes.v)
            *dim = request->sizes.v[i];
        else
            rc = bp_rule_from_data(infer, dim, 1);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

static bp_rc set_resized(struct bp_infer *infer, const struct request *request)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc;

    for (uint32_t i = 0; i < x->rank; i++)
        dims[i] = x->dims[i];
    rc = resized(infer, request, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), x->rank, dims);
}

static bp_rc infer_resize(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct request request = {0};
    bp_rc rc;

    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = read_axes(infer, x->rank, &request);
    if (rc >= 0)
        rc = read_scales(infer, 2, &request);
    if (rc >= 0)
        rc = read_sizes(infer, 3, &request);
    if (rc < 0)
        return rc;
    if (request.has_scales && request.sizes.is_given)
        return bp_fail(infer->err, BP_E_INVALID, "give either scales or sizes, not both");
    if (!request.has_scales && !request.sizes.is_given)
        return bp_fail(infer->err, BP_E_INVALID, "neither scales nor sizes are given");
    return set_resized(infer, &request);
}

/* Resize-10 and Upsample from version 9 on: scales are input 1, one for each axis. */
static bp_rc infer_scaled(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct request request = {.has_scales = true};
    bp_rc rc;

    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = read_axes(infer, x->rank, &request);
    if (rc >= 0)
        rc = read_scales(infer, 1, &request);
    if (rc < 0)
        return rc;
    if (!request.scales && bp_rule_in(infer, 1) && bp_rule_in(infer, 1)->reals)
        return check_scales(infer, NULL, 0, x->rank);
    return set_resized(infer, &request);
}

/* Upsample-7 has a list of scales, version 1 two of them for images. */
static bp_rc infer_upsample(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    const bp_attr *list = bp_ir_attr(infer->node, "scales");
    const bp_attr *height = bp_ir_attr(infer->node, "height_scale");
    const bp_attr *width = bp_ir_attr(infer->node, "width_scale");
    struct request request = {.has_scales = true};
    double scales[BP_MAX_RANK] = {1, 1};
    uint32_t n = list ? list->count : 4;
    bp_rc rc;

    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = bp_rule_has_attr(infer, "scales") ? BP_OK : bp_rule_rank(infer, 0, 4, 4);
    if (rc >= 0)
        rc = read_axes(infer, x->rank, &request);
    if (rc >= 0)
        rc = check_scales(infer, NULL, n, x->rank);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; list && i < n; i++)
        scales[i] = (double)((const float *)list->data)[i];
    if (!list) {
        scales[2] = height ? (double)*(const float *)height->data : 1;
        scales[3] = width ? (double)*(const float *)width->data : 1;
    }
    request.scales = scales;
    rc = check_scales(infer, scales, n, x->rank);
    return rc < 0 ? rc : set_resized(infer, &request);
}

#define MODE A_STRING("mode", "nearest")
#define SAMPLING                                                                                   \
    MODE, A_FLOAT("cubic_coeff_a", -0.75f), A_INT("exclude_outside", 0),                           \
        A_STRING("coordinate_transformation_mode", "half_pixel"),                                  \
        A_STRING("nearest_mode", "round_prefer_floor"), A_FLOAT("extrapolation_value", 0)
#define FITTING                                                                                    \
    SAMPLING, A_INT("antialias", 0), A_INTS("axes"), A_STRING("keep_aspect_ratio_policy", "stretch")

ROW(Resize, 10, INFER(infer_scaled), IN(P("X", 'T', ALL3), READ("scales", 0, BP_T(F32))),
    OUT(P("Y", 'T', ALL3)), ATTRS(MODE));
ROW(Resize, 11, INFER(infer_resize),
    IN(P("X", '1', ALL3), P("roi", '2', FLOAT3), READ("scales", 0, BP_T(F32)),
       OPT_READ("sizes", 0, BP_T(I64))),
    OUT(P("Y", '1', ALL3)), ATTRS(SAMPLING));

#define RESIZE(since, types, ...)                                                                  \
    ROW(Resize, since, INFER(infer_resize),                                                        \
        IN(P("X", '1', types), OPT("roi", '2', FLOAT3), OPT_READ("scales", 0, BP_T(F32)),          \
           OPT_READ("sizes", 0, BP_T(I64))),                                                       \
        OUT(P("Y", '1', types)), ATTRS(__VA_ARGS__))

RESIZE(13, ALL4, SAMPLING);
RESIZE(18, ALL4, FITTING);
RESIZE(19, ALL4, FITTING);

#define UPSAMPLE_1 (FLOAT3 | BP_T(BOOL) | BP_T(I32) | BP_T(I64))

ROW(Upsample, 1, INFER(infer_upsample), IN(P("X", 'T', UPSAMPLE_1)), OUT(P("Y", 'T', UPSAMPLE_1)),
    ATTRS({.name = "height_scale", .type = BP_ATTR_FLOAT, .is_required = true},
          {.name = "width_scale", .type = BP_ATTR_FLOAT, .is_required = true}, MODE));
ROW(Upsample, 7, INFER(infer_upsample), IN(P("X", 'T', ALL3)), OUT(P("Y", 'T', ALL3)),
    ATTRS({.name = "scales", .type = BP_ATTR_FLOAT, .is_list = true, .is_required = true}, MODE));

#define UPSAMPLE(since)                                                                            \
    ROW(Upsample, since, INFER(infer_scaled), IN(P("X", 'T', ALL3), READ("scales", 0, BP_T(F32))), \
        OUT(P("Y", 'T', ALL3)), ATTRS(MODE))

UPSAMPLE(9);
UPSAMPLE(10); /* deprecated, with its meaning unchanged */

/* ---- ImageDecoder ---------------------------------------------------------------------------- */

/*
 * ONNX: ImageDecoder 20.
 * encoded_stream holds the bytes of a file, uint8 of rank 1. The image is uint8, (height,
 * width, channels); height and width come with the data, there are 3 channels, or 1 with
 * pixel_format Grayscale.
 */

static bp_rc infer_image_decoder(struct bp_infer *infer)
{
    bool is_gray = bp_ir_attr_is(infer->node, "pixel_format", "RGB", "Grayscale");
    struct bp_sym dims[3];
    bp_rc rc = bp_rule_rank(infer, 0, 1, 1);

    if (rc < 0)
        return rc;
    if (!is_gray && !bp_ir_attr_is(infer->node, "pixel_format", "RGB", "RGB") &&
        !bp_ir_attr_is(infer->node, "pixel_format", "RGB", "BGR"))
        return bp_fail(infer->err, BP_E_INVALID, "pixel_format is none of RGB, BGR and Grayscale");
    rc = bp_rule_from_data(infer, dims, 2);
    if (rc < 0)
        return rc;
    dims[2] = bp_sym_of(is_gray ? 1 : 3);
    return bp_rule_set(infer, 0, BP_DTYPE_U8, 3, dims);
}

ROW(ImageDecoder, 20, INFER(infer_image_decoder), IN(P("encoded_stream", '1', BP_T(U8))),
    OUT(P("image", '2', BP_T(U8))), ATTRS(A_STRING("pixel_format", "RGB")),
    .sizes_from_data = true);
