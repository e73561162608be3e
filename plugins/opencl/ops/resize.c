/* SPDX-License-Identifier: MIT */
/*
 * resize.c - Resize (10 to 19) and Upsample (7 to 10): one step an axis that changes, by tables of which
 * elements make up each and how much.
 */

#include "base/own_graph.h"
#include "ops/move.h"

#include <common/resize_axis.h>

enum { ANY = BP_OPENCL_MAX_RANK };

/* ---- what the node says ---------------------------------------------------------------------- */

/* New sizes of the axes of X, or scales; where sizes are given scales follow from them. */
struct request {
    bool has_sizes;
    double scale[ANY];
    int64_t size[ANY]; /* -1: that of X */
};

static bool is_upsample(const bp_node *node)
{
    return strcmp(node->op, "Upsample") == 0;
}

/* The axis that entry i of scales or sizes is for, by attribute `axes` (18); -1: there is none. */
static int64_t axis_of(const bp_graph *graph, const bp_node *node, uint32_t i, uint32_t rank)
{
    uint32_t n;
    const int64_t *axes = bp_node_ints(graph, node, "axes", &n);
    int64_t axis = !axes ? (int64_t)i : i < n ? axes[i] : -1 - (int64_t)rank;

    axis = axis < 0 ? axis + (int64_t)rank : axis;
    return axis < (int64_t)rank ? axis : -1;
}

/* Bytes of a constant input; false: it is absent or empty, computed, or of another type. */
static bool constant_of(const bp_host *host, const bp_graph *graph, const bp_node *node, uint32_t i,
                        uint32_t dtype, bp_span *out)
{
    const bp_value *value = bp_node_in(graph, node, i);

    return value && value->flags & BP_VALUE_CONSTANT && value->dtype == dtype &&
           bp_opencl_constant(host, graph, node->in[i], out, NULL) >= 0 && out->size > 0;
}

/* The scales: an input, or the attribute of Upsample before version 9. */
static bool scales_of(const bp_host *host, const bp_graph *graph, const bp_node *node, bp_span *out)
{
    uint32_t input = is_upsample(node) || node->since < 11 ? 1 : 2;
    const bp_attr *attr;

    if (constant_of(host, graph, node, input, BP_DTYPE_F32, out))
        return true;
    attr = is_upsample(node) ? bp_node_attr(graph, node, "scales") : NULL;
    if (!attr || attr->type != BP_ATTR_FLOAT)
        return false;
    *out = (bp_span){attr->data, attr->count * sizeof(float)};
    return true;
}

/* False: what it asks for is not constant, or has no entry for each axis. */
static bool read_request(const bp_host *host, const bp_graph *graph, const bp_node *node,
                         uint32_t rank, struct request *out)
{
    bp_span bytes;
    size_t width = sizeof(float);

    out->has_sizes = !is_upsample(node) && node->since >= 11 &&
                     constant_of(host, graph, node, 3, BP_DTYPE_I64, &bytes);
    if (out->has_sizes)
        width = sizeof(int64_t);
    else if (!scales_of(host, graph, node, &bytes))
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        out->scale[i] = 1;
        out->size[i] = -1;
    }
    for (uint32_t i = 0; i < bytes.size / width; i++) {
        int64_t axis = axis_of(graph, node, i, rank);
        const char *at = (const char *)bytes.data + i * width;
        float scale;

        if (axis < 0)
            return false;
        if (out->has_sizes) {
            memcpy(&out->size[axis], at, width);
            continue;
        }
        memcpy(&scale, at, width);
        out->scale[axis] = (double)scale;
    }
    return true;
}

/* ---- claims ---------------------------------------------------------------------------------- */

/* What plugins/common's resize_axis.h cannot say as taps of an axis. */
static bool takes_rule(const struct bp_opencl_query *query, const struct bp_resize_rule *rule)
{
    if (!rule->is_legacy && rule->coordinate == BP_RESIZE_TF_CROP_AND_RESIZE)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "coordinate_transformation_mode",
                                "tf_crop_and_resize is not implemented");
    return bp_node_string_is(query->graph, query->node, "keep_aspect_ratio_policy", "stretch",
                             "stretch") ||
           bp_opencl_refuse(query, BP_R_ATTRIBUTE, "keep_aspect_ratio_policy",
                            "only stretch is implemented");
}

static bool claim(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    struct bp_resize_rule rule;
    const char *unknown = bp_resize_rule_read(query->graph, query->node, &rule);
    struct request request;
    uint32_t rank;

    if (unknown)
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, unknown, "its value is not known");
    if (!bp_opencl_takes(query, 0, op->types, 1, ANY) || !takes_rule(query, &rule))
        return false;
    rank = bp_node_in(query->graph, query->node, 0)->rank;
    if (!read_request(&query->instance->host, query->graph, query->node, rank, &request))
        return bp_opencl_refuse(query, BP_R_NOT_CONSTANT, "scales",
                                "scales or sizes have to be constant, one for each axis");
    for (uint32_t i = 0; i < rank; i++) {
        if (!(request.scale[i] > 0) || request.size[i] == 0)
            return bp_opencl_refuse(query, BP_R_OTHER, "scales", "axis %u becomes empty", i);
    }
    return true;
}

/* ---- building it ----------------------------------------------------------------------------- */

/* The tables of an axis as the device has them; false: no memory, which is noted. */
static bool fill_tables(struct bp_opencl_builder *b, const struct bp_resize_rule *rule,
                        struct bp_resize_axis *axis, struct bp_opencl_tensor *index,
                        struct bp_opencl_tensor *weight)
{
    size_t n = (size_t)axis->out * axis->taps;
    int32_t *small = bp_blocks_array(b->memory, n, sizeof *small);
    float *weights = bp_blocks_array(b->memory, n, sizeof *weights);

    axis->index = bp_blocks_array(b->memory, n, sizeof *axis->index);
    axis->weight = bp_blocks_array(b->memory, n, sizeof *axis->weight);
    axis->outside = NULL;
    if (!small || !weights || !axis->index || !axis->weight) {
        bp_opencl_build_fail(b, BP_E_NOMEM, "opencl: no memory for a frame");
        return false;
    }
    bp_resize_axis_fill(rule, axis);
    for (size_t i = 0; i < n; i++) {
        small[i] = (int32_t)axis->index[i];
        weights[i] = (float)axis->weight[i];
    }
    *index = bp_opencl_table(b, BP_DTYPE_I32, small, (int64_t)n);
    *weight = bp_opencl_table(b, BP_DTYPE_F32, weights, (int64_t)n);
    return b->rc >= 0;
}

/* x, of these sizes, gets another size along axis d. */
static void resize_axis(struct bp_opencl_builder *b, const struct bp_resize_rule *rule,
                        struct bp_resize_axis *axis, const struct bp_opencl_tensor *y,
                        const struct bp_opencl_tensor *x, uint32_t d)
{
    struct bp_opencl_prefix prefix = {.n = 0};
    struct bp_opencl_tensor index, weight;
    int64_t inner = 1;

    if (!fill_tables(b, rule, axis, &index, &weight))
        return;
    for (uint32_t k = d + 1; k < x->rank; k++)
        inner *= x->dims[k];
    bp_opencl_define_type(&prefix, "T", x->dtype);
    if (rule->mode == BP_RESIZE_NEAREST)
        bp_opencl_define(&prefix, "#define IS_NEAREST");
    bp_opencl_begin(b, "resize", prefix.text, "resize_axis");
    bp_opencl_operand(b, y);
    bp_opencl_operand(b, x);
    bp_opencl_operand(b, &index);
    bp_opencl_operand(b, &weight);
    bp_opencl_int(b, inner);
    bp_opencl_int(b, axis->in);
    bp_opencl_int(b, axis->out);
    bp_opencl_int(b, axis->taps);
    bp_opencl_run(b, inner, axis->out, y->count / (inner * axis->out));
}

/* The axes that change, as the rule measures them; returns how many. */
static uint32_t measure(const struct bp_resize_rule *rule, const struct request *request,
                        const struct bp_opencl_tensor *x, const struct bp_opencl_tensor *y,
                        struct bp_resize_axis *axes)
{
    uint32_t n = 0;

    for (uint32_t d = 0; d < x->rank; d++) {
        double by_sizes = (double)y->dims[d] / (double)x->dims[d];

        axes[d] =
            (struct bp_resize_axis){.in = x->dims[d],
                                    .out = y->dims[d],
                                    .scale = request->has_sizes ? by_sizes : request->scale[d],
                                    .end = 1};
        bp_resize_axis_measure(rule, &axes[d]);
        n += !axes[d].is_identity;
    }
    return n;
}

/* Axis by axis, through scratch between the first and the last. */
static void build(struct bp_opencl_builder *b, const struct bp_opencl_op *op, const bp_node *node)
{
    const struct bp_opencl_tensor *y = bp_opencl_out(b, node, 0);
    struct bp_opencl_tensor from = *bp_opencl_in(b, node, 0);
    struct bp_resize_axis axes[ANY];
    struct bp_resize_rule rule;
    struct request request;
    uint32_t left;

    (void)op;
    bp_resize_rule_read(b->graph, node, &rule);
    if (!read_request(&b->program->instance->host, b->graph, node, from.rank, &request)) {
        bp_opencl_build_fail(b, BP_E_INTERNAL, "opencl: the scales of '%s' cannot be read",
                             node->name);
        return;
    }
    left = measure(&rule, &request, &from, y, axes);
    if (left == 0)
        bp_opencl_copy(b, y, &from);
    for (uint32_t d = 0; d < from.rank && b->rc >= 0; d++) {
        struct bp_opencl_tensor to = from;

        if (axes[d].is_identity)
            continue;
        left--;
        to.dims[d] = axes[d].out;
        to.count = from.count / axes[d].in * axes[d].out;
        to.place = left == 0 ? y->place : bp_opencl_scratch(b, to.dtype, to.count).place;
        resize_axis(b, &rule, &axes[d], &to, &from, d);
        from = to;
    }
}

const struct bp_opencl_op bp_opencl_resize_ops[] = {
    {.name = "Resize",
     .since = 10,
     .until = BP_OPENCL_LATEST,
     .host_inputs = ~1u,
     .claim = claim,
     .build = build,
     .types = BP_OPENCL_FLOATS},
    {.name = "Upsample",
     .since = 7,
     .until = 10,
     .host_inputs = ~1u,
     .claim = claim,
     .build = build,
     .types = BP_OPENCL_FLOATS},
    {.name = NULL},
};
