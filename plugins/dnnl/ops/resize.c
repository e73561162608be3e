/* SPDX-License-Identifier: MIT */
/*
 * resize.c - Resize (10 to 19) and Upsample (7 to 10) of spatial dimensions, by constant scales or
 * sizes, in the layout of the input: loops of our own, as oneDNN's resampling knows one of ONNX's
 * coordinate modes.
 */

#include "base/claim.h"
#include "base/instance.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/step.h"
#include "kernels/vector.h"

#include <common/resize_axis.h>

/* ---- what the node says ---------------------------------------------------------------------- */

/* New sizes of the axes of X, or scales; where sizes are given scales follow from them. */
struct request {
    bool has_sizes;
    double scale[DNNL_MAX_NDIMS];
    int64_t size[DNNL_MAX_NDIMS]; /* -1: that of X */
};

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
           host->constant(host->h, graph, node->in[i], out, NULL) >= 0 && out->size > 0;
}

static bool is_upsample(const bp_node *node)
{
    return strcmp(node->op, "Upsample") == 0;
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
static bool claims_rule(const struct bp_dnnl_query *query, const struct bp_resize_rule *rule)
{
    if (!rule->is_legacy && rule->coordinate == BP_RESIZE_TF_CROP_AND_RESIZE)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "coordinate_transformation_mode",
                              "tf_crop_and_resize is not implemented");
    if (rule->antialias)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "antialias", "it is not implemented");
    if (!bp_node_string_is(query->graph, query->node, "keep_aspect_ratio_policy", "stretch",
                           "stretch"))
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "keep_aspect_ratio_policy",
                              "only stretch is implemented");
    return true;
}

/* Batch and channels have to stay as they are: planes are resized one by one. */
static bool claims_request(const struct bp_dnnl_query *query, const bp_value *x)
{
    struct request request;

    if (!read_request(&query->instance->host, query->graph, query->node, x->rank, &request))
        return bp_dnnl_refuse(query, BP_R_NOT_CONSTANT, "scales",
                              "scales or sizes have to be constant, one for each axis");
    for (uint32_t i = 0; i < x->rank; i++) {
        bool stays =
            request.scale[i] == 1 && (request.size[i] < 0 || request.size[i] == x->dims[i].value);

        if (i < 2 && !stays)
            return bp_dnnl_refuse(query, BP_R_OTHER, x->name,
                                  "axis %u gets a new size, only spatial axes may", i);
        if (!(request.scale[i] > 0) || request.size[i] == 0)
            return bp_dnnl_refuse(query, BP_R_OTHER, x->name, "axis %u becomes empty", i);
    }
    return true;
}

/* Nearest moves elements of any type; other modes compute with floats. */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    struct bp_resize_rule rule;
    const char *unknown = bp_resize_rule_read(query->graph, query->node, &rule);
    uint64_t types = BP_DNNL_FLOATS | (rule.mode == BP_RESIZE_NEAREST ? BP_DNNL_BYTES : 0);

    (void)op;
    (void)flops;
    if (unknown)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, unknown, "its value is not known");
    return bp_dnnl_takes_typed(query, 0, types, 3, 2 + BP_DNNL_MAX_SPATIAL) &&
           claims_rule(query, &rule) &&
           claims_request(query, bp_node_in(query->graph, query->node, 0));
}

/* ---- the loops ------------------------------------------------------------------------------- */

enum { MAX_TAPS = 4 }; /* of an axis: cubic */

/* The loop's own. An iteration is a row of the output: all elements along the last axis. */
struct resize {
    uint32_t n; /* axes */
    struct bp_resize_axis axis[BP_DNNL_MAX_SPATIAL];
    const float *weight[BP_DNNL_MAX_SPATIAL]; /* [tap][out] */
    size_t plane_size;                        /* elements of one of the input */
    size_t rows;                              /* of a plane of the output */
    size_t inner_channels;                    /* next to each other at a point */
    size_t width;                             /* bytes of an element, for nearest */
};

/* Rows of the input that one row of the output is made of, and their weights. */
struct sources {
    size_t n;
    size_t element[MAX_TAPS * MAX_TAPS]; /* where each begins */
    float weight[MAX_TAPS * MAX_TAPS];
};

/* The product of the taps of all axes but the last one. */
static void find_sources(const struct resize *r, size_t iteration, struct sources *out)
{
    size_t row = iteration % r->rows, at[BP_DNNL_MAX_SPATIAL] = {0};

    for (uint32_t d = r->n - 1; d-- > 0; row /= (size_t)r->axis[d].out)
        at[d] = row % (size_t)r->axis[d].out;
    out->n = 1;
    out->element[0] = 0;
    out->weight[0] = 1;
    for (uint32_t d = 0; d + 1 < r->n; d++) {
        const struct bp_resize_axis *axis = &r->axis[d];
        size_t n = out->n;

        for (uint32_t t = axis->taps; t-- > 0;) { /* what is there already is read last */
            for (size_t i = 0; i < n; i++) {
                size_t entry = t * (size_t)axis->out + at[d];

                out->element[t * n + i] =
                    out->element[i] * (size_t)axis->in + (size_t)axis->index[entry];
                out->weight[t * n + i] = out->weight[i] * (r->weight[d] ? r->weight[d][entry] : 1);
            }
        }
        out->n = n * axis->taps;
    }
    for (size_t i = 0; i < out->n; i++)
        out->element[i] =
            iteration / r->rows * r->plane_size + out->element[i] * (size_t)r->axis[r->n - 1].in;
}

/* Nearest: copies whole points, whatever their type; 4 bytes are the common case. */
static void pick_row(const struct bp_resize_axis *axis, size_t bytes, const char *x, char *y)
{
    if (bytes == sizeof(float)) {
        for (int64_t i = 0; i < axis->out; i++)
            memcpy(y + (size_t)i * sizeof(float), x + (size_t)axis->index[i] * sizeof(float),
                   sizeof(float));
        return;
    }
    for (int64_t i = 0; i < axis->out; i++)
        memcpy(y + (size_t)i * bytes, x + (size_t)axis->index[i] * bytes, bytes);
}

/* Rows of the output that come from the same row are copied from each other. */
static void pick(const void *u, void *const *at, size_t first, size_t end)
{
    const struct resize *r = u;
    const struct bp_resize_axis *last = &r->axis[r->n - 1];
    size_t bytes = r->inner_channels * r->width, row_bytes = (size_t)last->out * bytes;
    struct sources from;
    size_t before = SIZE_MAX;

    for (size_t row = first; row < end; row++) {
        char *y = (char *)at[1] + row * row_bytes;

        find_sources(r, row, &from);
        if (from.element[0] == before)
            memcpy(y, y - row_bytes, row_bytes);
        else
            pick_row(last, bytes, (const char *)at[0] + from.element[0] * bytes, y);
        before = from.element[0];
    }
}

/* y = a * wa + b * wb, added to what is there unless it is the first. */
VECTOR_LOOP
static void blend(const float *a, float wa, const float *b, float wb, float *y, size_t n,
                  bool is_first)
{
    if (is_first) {
        for (size_t i = 0; i < n; i++)
            y[i] = a[i] * wa + b[i] * wb;
        return;
    }
    for (size_t i = 0; i < n; i++)
        y[i] += a[i] * wa + b[i] * wb;
}

/* A row whose points have many channels next to each other. Taps of an axis are even in number. */
static void blend_elements(const struct resize *r, const struct sources *from, const float *x,
                           float *y)
{
    const struct bp_resize_axis *last = &r->axis[r->n - 1];
    const float *weight = r->weight[r->n - 1];

    for (int64_t i = 0; i < last->out; i++, y += r->inner_channels) {
        for (size_t k = 0; k < from->n; k++) {
            const float *row = x + from->element[k] * r->inner_channels;

            for (uint32_t t = 0; t < last->taps; t += 2) {
                int64_t one = t * last->out + i, two = one + last->out;

                blend(row + (size_t)last->index[one] * r->inner_channels,
                      from->weight[k] * weight[one],
                      row + (size_t)last->index[two] * r->inner_channels,
                      from->weight[k] * weight[two], y, r->inner_channels, k == 0 && t == 0);
            }
        }
    }
}

/* A row of a single channel: both taps are gathered. */
VECTOR_LOOP
static void blend_row(const int64_t *one, const float *weight_one, const int64_t *two,
                      const float *weight_two, float weight, const float *x, float *y, size_t n,
                      bool is_first)
{
    for (size_t i = 0; i < n; i++) {
        float v = weight * (x[one[i]] * weight_one[i] + x[two[i]] * weight_two[i]);

        y[i] = is_first ? v : y[i] + v;
    }
}

/* Linear and cubic: each output row from its sources. */
static void mix(const void *u, void *const *at, size_t first, size_t end)
{
    const struct resize *r = u;
    const struct bp_resize_axis *last = &r->axis[r->n - 1];
    size_t out = (size_t)last->out;
    struct sources from;

    for (size_t row = first; row < end; row++) {
        float *y = (float *)at[1] + row * out * r->inner_channels;
        const float *x = at[0], *weight = r->weight[r->n - 1];

        find_sources(r, row, &from);
        if (r->inner_channels > 1) {
            blend_elements(r, &from, x, y);
            continue;
        }
        for (size_t k = 0; k < from.n; k++) {
            for (size_t t = 0; t < last->taps; t += 2)
                blend_row(last->index + t * out, weight + t * out, last->index + (t + 1) * out,
                          weight + (t + 1) * out, from.weight[k], x + from.element[k], y, out,
                          k == 0 && t == 0);
        }
    }
}

/* ---- building it ----------------------------------------------------------------------------- */

/*
 * Indices and weights of an axis, computed in double, as the CPU provider does, and used in
 * float32.
 */
static bool make_tables(struct bp_dnnl_builder *b, const struct bp_resize_rule *rule,
                        struct resize *r, uint32_t d)
{
    struct bp_resize_axis *axis = &r->axis[d];
    size_t n;
    float *weight;

    bp_resize_axis_measure(rule, axis);
    n = axis->taps * (size_t)axis->out;
    axis->index = bp_blocks_array(b->memory, n, sizeof *axis->index);
    if (rule->mode == BP_RESIZE_NEAREST) {
        if (axis->index)
            bp_resize_axis_fill(rule, axis);
        return axis->index != NULL;
    }
    axis->weight = bp_blocks_array(b->memory, n, sizeof *axis->weight);
    r->weight[d] = weight = bp_blocks_array(b->memory, n, sizeof *weight);
    if (!axis->index || !axis->weight || !weight)
        return false;
    bp_resize_axis_fill(rule, axis);
    for (size_t i = 0; i < n; i++)
        weight[i] = (float)axis->weight[i];
    return true;
}

/* Sizes of the loop, and tables of each axis. */
static bp_rc solve(struct bp_dnnl_builder *b, const bp_node *node,
                   const struct bp_resize_rule *rule, const struct bp_dnnl_planes *planes,
                   struct resize *r, bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, 0), *y = &b->values[node->out[0]];
    struct request request;

    if (!read_request(b->host, b->graph, node, (uint32_t)x->rank, &request))
        return bp_fail(err, BP_E_INVALID, "dnnl: scales of node '%s' cannot be read", node->name);
    *r = (struct resize){.n = (uint32_t)x->rank - 2,
                         .plane_size = 1,
                         .rows = 1,
                         .inner_channels = planes->inner_channels};
    for (uint32_t d = 0; d < r->n; d++) {
        struct bp_resize_axis *axis = &r->axis[d];

        axis->in = x->dims[d + 2];
        axis->out = y->dims[d + 2];
        axis->scale = request.scale[d + 2];
        if (request.has_sizes && axis->in != axis->out)
            axis->scale = (double)axis->out / (double)axis->in;
        axis->end = 1;
        r->plane_size *= (size_t)axis->in;
        r->rows *= d + 1 < r->n ? (size_t)axis->out : 1;
        if (!make_tables(b, rule, r, d))
            return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    }
    return BP_OK;
}

/*
 * Rows of the output keep the layout of the input; row-major stays so even where it has strides of
 * its own.
 */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[node->out[0]];
    struct resize *r = bp_blocks_array(b->memory, 1, sizeof *r);
    struct bp_dnnl_tensor x, y;
    const struct bp_dnnl_tensor *operands[] = {&x, &y};
    struct bp_dnnl_planes planes;
    struct bp_resize_rule rule;
    dnnl_memory_desc_t md;
    bool is_moved;
    bp_rc rc;

    (void)op;
    if (!r)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    bp_resize_rule_read(b->graph, node, &rule);
    is_moved = rule.mode == BP_RESIZE_NEAREST;
    rc = bp_dnnl_tensor_as_planes(b, node->in[0], is_moved ? 0 : BP_DNNL_PLANES_F32, &x, &planes,
                                  err);
    if (rc >= 0)
        rc = solve(b, node, &rule, &planes, r, err);
    if (rc < 0)
        return rc;
    bp_dnnl_layout_like(&x.md, v->dims, &md);
    if (planes.inner_channels == 1)
        bp_dnnl_row_major_as(v->rank, v->dims, x.md.data_type, &md);
    else if (x.md.format_desc.blocking.inner_nblks == 0) /* strides of sizes of 1 mean nothing */
        bp_dnnl_channels_last(v->rank, v->dims, x.md.data_type, &md);
    rc = bp_dnnl_make_output(b, node->out[0], &md, &y, err);
    if (rc < 0)
        return rc;
    r->width = bp_dnnl_type_bytes(md.data_type);
    return bp_dnnl_emit_typed(b, is_moved ? pick : mix, r, planes.count * r->rows,
                              bp_dnnl.memory_desc_get_size(&md) / r->width, 2, operands, err);
}

#define ROW(row, onnx, first, last)                                                                \
    const struct bp_dnnl_op bp_dnnl_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .domain = "",                                                                              \
        .since = first,                                                                            \
        .until = last,                                                                             \
        .claim = claim,                                                                            \
        .build = build,                                                                            \
    }

ROW(resize, "Resize", 10, 19);
ROW(upsample, "Upsample", 7, 10);
