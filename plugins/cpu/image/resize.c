/* SPDX-License-Identifier: MIT */
/*
 * resize.c - Resize (opsets 10, 11, 13, 18, 19) and Upsample (1, 7, 9, 10).
 * Y samples X along each axis by nearest, linear or cubic interpolation. New sizes are floor(size *
 * scale) by input scales, or given by input sizes.
 * Opset 11 added coordinate_transformation_mode, roi and sizes, opset 13 bfloat16, opset 18
 * antialias, axes and keep_aspect_ratio_policy, opset 19 half_pixel_symmetric.
 * Upsample and Resize-10 have scales only; Upsample-1 has them as two attributes.
 * Any number of axes may change; engine and tables are in resize_axes.c.
 */

#include "image/resize_axes.h"

#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"

#include <math.h>

/* The plan of a call. */
enum { RESIZE, UPSAMPLE }; /* variants */

struct state {
    struct bp_cpu_runtime_shape runtime;
    bool is_crop;
    struct bp_cpu_resize resize;
    size_t run_scratch; /* bytes, if the plan is made in run() */
};

/* Indices of this version's inputs; -1: it has none. */
struct layout {
    int roi, scales, sizes;
};

/* Inputs of this operator version. */
static struct layout layout_of(const struct bp_cpu_node *node)
{
    uint32_t since = node->node->since;

    if (node->op->variant == UPSAMPLE || since < 11)
        return (struct layout){-1, since >= 9 ? 1 : -1, -1};
    return (struct layout){1, 2, 3};
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* Strings can be copied, but not interpolated. */
static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *x = bp_node_in(query->graph, query->node, 0);
    struct bp_resize_rule rule;
    const char *unknown = bp_resize_rule_read(query->graph, query->node, &rule);

    if (unknown)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, unknown, "has a value that ONNX does not define");
    else if (x && x->dtype == BP_DTYPE_STRING && rule.mode != BP_RESIZE_NEAREST)
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "mode", "strings allow nearest only");
    else
        bp_cpu_claim_types(op, query);
}

/* Attributes; the common rule is shared with other providers. */
static void read_rule(struct bp_cpu_call *call)
{
    struct state *state = call->state;
    struct bp_resize_rule *rule = &state->resize.rule;

    bp_resize_rule_read(call->node->graph, call->node->node, rule);
    state->is_crop = !rule->is_legacy && rule->coordinate == BP_RESIZE_TF_CROP_AND_RESIZE;
    state->resize.extrapolation = bp_cpu_float(call->node, "extrapolation_value", 0);
    state->resize.dtype = call->in[0]->dtype;
}

/* ---- new sizes ------------------------------------------------------------------------------- */

/* The axes that attribute axes names, or all: `n` of them. */
static bp_rc named_axes(struct bp_cpu_call *call, uint32_t *axis, uint32_t *n, bp_err *err)
{
    uint32_t count, rank = call->in[0]->rank;
    const int64_t *axes = bp_cpu_ints(call->node, "axes", &count);

    *n = axes ? count : rank;
    if (*n > rank)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "axes has %u elements, X has rank %u",
                           count, rank);
    for (uint32_t i = 0; i < *n; i++) {
        bp_rc rc = BP_OK;

        axis[i] = i;
        if (axes)
            rc = bp_cpu_axis(call, axes[i], rank, &axis[i], err);
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* An input that is given and not empty, else NULL. */
static const bp_tensor *input_at(const struct bp_cpu_call *call, int index)
{
    const bp_tensor *tensor = index < 0 ? NULL : bp_cpu_in(call, (uint32_t)index);

    return tensor && bp_cpu_count(tensor) > 0 ? tensor : NULL;
}

/* ONNX: the new size is floor(size * scale), in float32. */
static bp_rc set_scale(struct bp_cpu_call *call, struct bp_resize_axis *axis, uint32_t d,
                       double scale, bp_err *err)
{
    double out = floor((double)((float)axis->in * (float)scale));

    if (!(scale > 0 && out < 0x1p53))
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "axis %u cannot be scaled by %g", d,
                           scale);
    axis->scale = scale;
    axis->out = (int64_t)out;
    return BP_OK;
}

/* Scales: an input, an attribute, or the two attributes of Upsample-1. */
static bp_rc read_scales(struct bp_cpu_call *call, const uint32_t *axis, uint32_t n,
                         struct bp_resize_axis *axes, bp_err *err)
{
    const bp_tensor *tensor = input_at(call, layout_of(call->node).scales);
    const bp_attr *attr = bp_node_attr(call->node->graph, call->node->node, "scales");
    float image[4] = {1, 1, bp_cpu_float(call->node, "height_scale", 1),
                      bp_cpu_float(call->node, "width_scale", 1)};
    const float *scales = tensor ? bp_tensor_data(tensor) : attr ? attr->data : image;
    int64_t count = tensor ? bp_cpu_count(tensor) : attr ? attr->count : 4;

    if (count != n)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "%lld scales for %u axes", (long long)count,
                           n);
    for (uint32_t i = 0; i < n; i++) {
        bp_rc rc = set_scale(call, &axes[axis[i]], axis[i], (double)scales[i], err);

        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* One scale for all axes; the shape rule's keep_aspect() gives the same sizes. */
static bp_rc keep_aspect(struct bp_cpu_call *call, const uint32_t *axis, uint32_t n,
                         struct bp_resize_axis *axes, bool is_larger, bp_err *err)
{
    double scale = is_larger ? 0 : (double)INFINITY;

    for (uint32_t i = 0; i < n; i++)
        scale = is_larger == (axes[axis[i]].scale > scale) ? axes[axis[i]].scale : scale;
    for (uint32_t i = 0; i < n; i++) {
        double out = floor(scale * (double)axes[axis[i]].in + 0.5);

        if (!(out < 0x1p53))
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "an axis cannot be scaled by %g",
                               scale);
        axes[axis[i]].out = (int64_t)out;
        axes[axis[i]].scale = scale;
    }
    return BP_OK;
}

/* New sizes as input, and the scales that follow from them. */
static bp_rc read_sizes(struct bp_cpu_call *call, const uint32_t *axis, uint32_t n,
                        struct bp_resize_axis *axes, bp_err *err)
{
    const bp_graph *graph = call->node->graph;
    const bp_node *node = call->node->node;
    struct bp_cpu_list sizes = bp_cpu_list_input(call, 3);

    if (bp_cpu_list_is_absent(&sizes) || sizes.n != n)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "%lld sizes for %u axes",
                           (long long)sizes.n, n);
    for (uint32_t i = 0; i < n; i++) {
        struct bp_resize_axis *one = &axes[axis[i]];

        one->out = bp_cpu_list_at(&sizes, i);
        if (one->out < 0)
            return bp_cpu_fail(call->node, err, BP_E_INVALID, "size %u is %lld", i,
                               (long long)one->out);
        one->scale = one->in == one->out ? 1 : (double)one->out / (double)one->in;
    }
    if (bp_node_string_is(graph, node, "keep_aspect_ratio_policy", "stretch", "not_larger"))
        return keep_aspect(call, axis, n, axes, false, err);
    if (bp_node_string_is(graph, node, "keep_aspect_ratio_policy", "stretch", "not_smaller"))
        return keep_aspect(call, axis, n, axes, true, err);
    return BP_OK;
}

/* roi: the starts of all axes, then their ends. */
static bp_rc read_region(struct bp_cpu_call *call, const uint32_t *axis, uint32_t n,
                         struct bp_resize_axis *axes, bp_err *err)
{
    const bp_tensor *roi = input_at(call, 1);

    if (!roi || bp_cpu_count(roi) != 2 * (int64_t)n)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "roi must have two elements for each axis");
    for (uint32_t i = 0; i < 2 * n; i++) {
        const char *at = (const char *)bp_tensor_data(roi) + i * bp_cpu_width(roi->dtype);
        double value = roi->dtype == BP_DTYPE_F64   ? *(const double *)(const void *)at
                       : roi->dtype == BP_DTYPE_F32 ? (double)*(const float *)(const void *)at
                       : roi->dtype == BP_DTYPE_F16
                           ? (double)bp_f16_load(*(const uint16_t *)(const void *)at)
                           : (double)bp_bf16_load(*(const uint16_t *)(const void *)at);

        if (i < n)
            axes[axis[i]].start = value;
        else
            axes[axis[i - n]].end = value;
    }
    return BP_OK;
}

/* Each axis with its sizes, scale and region. */
static bp_rc read_axes(struct bp_cpu_call *call, struct bp_resize_axis *axes, bp_err *err)
{
    const struct state *state = call->state;
    const bp_tensor *x = call->in[0];
    struct layout layout = layout_of(call->node);
    uint32_t axis[BP_CPU_MAX_RANK], n;
    bp_rc rc = named_axes(call, axis, &n, err);

    for (uint32_t d = 0; d < x->rank; d++)
        axes[d] = (struct bp_resize_axis){
            .in = x->dims[d], .out = x->dims[d], .scale = 1, .start = 0, .end = 1};
    if (rc >= 0 && input_at(call, layout.sizes))
        rc = read_sizes(call, axis, n, axes, err);
    else if (rc >= 0)
        rc = read_scales(call, axis, n, axes, err);
    if (rc >= 0 && state->is_crop)
        rc = read_region(call, axis, n, axes, err);
    return rc;
}

/* ---- solving and running --------------------------------------------------------------------- */

/* Reads all inputs, sets Y's shape and plans: in prepare, or in run if an input is not constant. */
static bp_rc solve(struct bp_cpu_call *call, bool in_run, bp_err *err)
{
    struct state *state = call->state;
    const bp_tensor *x = call->in[0];
    struct bp_resize_axis axes[BP_CPU_MAX_RANK];
    int64_t dims[BP_CPU_MAX_RANK];
    bool is_empty = false;
    bp_rc rc = read_axes(call, axes, err);

    if (rc < 0)
        return rc;
    for (uint32_t d = 0; d < x->rank; d++) {
        bp_resize_axis_measure(&state->resize.rule, &axes[d]);
        dims[d] = axes[d].out;
        is_empty = is_empty || dims[d] == 0;
    }
    for (uint32_t d = 0; d < x->rank && !is_empty; d++) {
        if (axes[d].in == 0)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "axis %u is empty, it cannot grow", d);
    }
    rc = bp_cpu_runtime_shape_output(call, x->rank, dims, err);
    if (rc < 0)
        return rc;
    return bp_cpu_resize_make(call, &state->resize, x->rank, axes, in_run,
                              in_run ? &state->run_scratch : &call->scratch_bytes, err);
}

/* If sizes or scales are not constant, run() plans. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state;
    bp_rc rc = bp_cpu_runtime_shape_state(call, sizeof *state, 1, 3, err);

    if (rc < 0)
        return rc;
    state = call->state;
    read_rule(call);
    return state->runtime.solves_at_run ? BP_OK : solve(call, false, err);
}

/* Tables and scratch made in run() live until its end. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state = call->state;
    void *scratch = call->scratch;

    if (state->runtime.solves_at_run) {
        bp_rc rc = solve(call, true, err);

        if (rc < 0)
            return rc;
        scratch = bp_cpu_run_memory(call, state->run_scratch + 1);
        if (!scratch)
            return bp_cpu_fail(call->node, err, BP_E_NOMEM, "no memory for intermediate values");
    }
    bp_cpu_resize_run(call, &state->resize, bp_cpu_data(call->in[0]), bp_cpu_data(call->out[0]),
                      scratch);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_resize = {
    .name = "Resize",
    .since = 10,
    .variant = RESIZE,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_MOVABLE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_upsample = {
    .name = "Upsample",
    .since = 1,
    .variant = UPSAMPLE,
    .flags = BP_CPU_RUNTIME_SHAPE,
    .types = BP_CPU_MOVABLE,
    .claim = claim,
    .prepare = prepare,
    .run = run,
};
