/* SPDX-License-Identifier: MIT */
/* resize.c - Resize of images: RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR. */

#include "families.h"

enum { SCALES = 2, SIZES = 3 }; /* inputs */

static bool is_linear(const bp_graph *graph, const bp_node *node)
{
    return bp_node_string_is(graph, node, "mode", "nearest", "linear");
}

static bool has_mapping(const bp_graph *graph, const bp_node *node, const char *name)
{
    return bp_node_string_is(graph, node, "coordinate_transformation_mode", "half_pixel", name);
}

/* Which coordinates, by mode and level. */
static bool takes_mapping(const struct bp_nn_query *query)
{
    const bp_graph *graph = query->graph;
    const bp_node *node = query->node;
    bool is_asymmetric = has_mapping(graph, node, "asymmetric");

    if (is_linear(graph, node)) {
        if (is_asymmetric)
            return true;
        if (!has_mapping(graph, node, "half_pixel") && !has_mapping(graph, node, "align_corners"))
            return bp_nn_refuse(query, BP_R_ATTRIBUTE, "coordinate_transformation_mode",
                                "provider takes asymmetric, half_pixel and align_corners");
        return bp_nn_needs_level(query, BP_NN_FL4, "half_pixel or align_corners");
    }
    if (!bp_node_string_is(graph, node, "mode", "nearest", "nearest"))
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "mode", "mode is not linear or nearest");
    if (is_asymmetric &&
        bp_node_string_is(graph, node, "nearest_mode", "round_prefer_floor", "floor"))
        return true;
    return bp_nn_refuse(query, BP_R_ATTRIBUTE, "nearest_mode",
                        "of nearest, provider takes asymmetric with floor only");
}

static bool takes_attributes(const struct bp_nn_query *query)
{
    uint32_t n_axes;

    if (bp_node_int(query->graph, query->node, "exclude_outside", 0) != 0)
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "exclude_outside", "exclude_outside is 1");
    if (bp_node_int(query->graph, query->node, "antialias", 0) != 0)
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "antialias", "antialias is 1");
    bp_node_ints(query->graph, query->node, "axes", &n_axes);
    if (n_axes > 0)
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "axes", "axes are given");
    if (!bp_node_string_is(query->graph, query->node, "keep_aspect_ratio_policy", "stretch",
                           "stretch"))
        return bp_nn_refuse(query, BP_R_ATTRIBUTE, "keep_aspect_ratio_policy",
                            "keep_aspect_ratio_policy is not stretch");
    return takes_mapping(query);
}

/*
 * NNAPI scales by the quotient of the sizes, ONNX by the scale: they are equal where the scaled
 * size is whole.
 */
static bool takes_scales(const struct bp_nn_query *query, const float *scales)
{
    for (uint32_t i = 0; i < 4; i++) {
        double size = (double)bp_nn_dim(query->graph, &query->unit->in[0], i) * (double)scales[i];

        if (i < 2 && scales[i] != 1)
            return bp_nn_refuse(query, BP_R_OTHER, "scales", "N or C is scaled");
        if (!(size >= 1 && size <= UINT16_MAX) || size != (double)(int64_t)size)
            return bp_nn_refuse(query, BP_R_OTHER, "scales", "scale %g does not give a whole size",
                                (double)scales[i]);
    }
    return true;
}

static bool claim_resize(const struct bp_nn_op *op, const struct bp_nn_query *query)
{
    const bp_node *node = query->node;
    int64_t sizes[4];
    float scales[4];
    uint32_t n = 0;

    (void)op;
    if (BP_VALUE(query->graph, query->unit->out.value)->rank != 4)
        return bp_nn_refuse(query, BP_R_RANK, NULL, "its output is not of rank 4");
    if (!bp_nn_needs_rank(query, 0, 4, 4) ||
        !bp_nn_needs_level(query, query->unit->in[0].is_quantized ? BP_NN_FL2 : BP_NN_FL3,
                           "Resize") ||
        !takes_attributes(query))
        return false;
    if (node->n_in > SIZES && node->in[SIZES] != BP_NONE) {
        if (!bp_nn_needs_ints(query, SIZES, "sizes", sizes, 4, &n))
            return false;
        if (sizes[0] != bp_nn_dim(query->graph, &query->unit->in[0], 0) ||
            sizes[1] != bp_nn_dim(query->graph, &query->unit->in[0], 1))
            return bp_nn_refuse(query, BP_R_OTHER, "sizes", "N or C is resized");
        return true;
    }
    if (node->n_in <= SCALES || node->in[SCALES] == BP_NONE ||
        !bp_nn_floats(query->instance, query->graph, node->in[SCALES], scales, 4, &n) || n != 4)
        return bp_nn_refuse(query, BP_R_NOT_CONSTANT, "scales", "scales are not constants");
    return takes_scales(query, scales);
}

/* Sizes as integers, width first. What is not default comes after: layout, corners, half pixels. */
static void lower_resize(const struct bp_nn_op *op, struct bp_nn_build *b, struct bp_nn_unit *unit)
{
    const bp_value *y = BP_VALUE(b->graph, unit->out.value);
    bool corners = has_mapping(b->graph, unit->node, "align_corners");
    bool halves = has_mapping(b->graph, unit->node, "half_pixel");
    bool linear = is_linear(b->graph, unit->node);
    uint32_t in[6], n = 3;

    (void)op;
    in[0] = bp_nn_in(b, &unit->in[0], bp_nn_wanted(b));
    in[1] = bp_nn_i32(b, (int32_t)y->dims[3].value);
    in[2] = bp_nn_i32(b, (int32_t)y->dims[2].value);
    if (!linear || corners || halves || bp_nn_says_layout(b))
        in[n++] = bp_nn_bool(b, bp_nn_says_layout(b));
    if (corners || halves) {
        in[n++] = bp_nn_bool(b, corners);
        in[n++] = bp_nn_bool(b, halves);
    }
    bp_nn_emit(b,
               linear ? ANEURALNETWORKS_RESIZE_BILINEAR : ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR,
               n, in, bp_nn_out(b, unit, bp_nn_wanted(b)));
}

static const struct bp_nn_op rows[] = {
    {.name = "Resize",
     .first = 11,
     .types = BP_NN_F32 | BP_NN_U8,
     .level = BP_NN_FL2,
     .nchw_level = BP_NN_FL3,
     .takes_qdq = true,
     .claim = claim_resize,
     .lower = lower_resize},
};

const struct bp_nn_family bp_nn_resize = BP_NN_FAMILY(rows);
