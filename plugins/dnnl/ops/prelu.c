/* SPDX-License-Identifier: MIT */
/* prelu.c - PRelu (7 to 16) with a constant slope for each channel, or one for all. */

#include "base/claim.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/step.h"
#include "kernels/vector.h"

enum { X, SLOPE };

/*
 * Slopes are read when frames are built, so they have to be constant; one a channel or one for all,
 * since a loop by planes knows no others.
 */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *x, *slope;

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_input(query, X, 3, 2 + BP_DNNL_MAX_SPATIAL) ||
        !bp_dnnl_takes_input(query, SLOPE, 0, 2 + BP_DNNL_MAX_SPATIAL))
        return false;
    x = bp_node_in(query->graph, query->node, X);
    slope = bp_node_in(query->graph, query->node, SLOPE);
    if (!(slope->flags & BP_VALUE_CONSTANT))
        return bp_dnnl_refuse(query, BP_R_NOT_CONSTANT, slope->name, "slopes have to be constant");
    for (uint32_t i = 0; i < slope->rank; i++) {
        int64_t size = slope->dims[i].value;

        if (size != 1 && (i + x->rank != slope->rank + 1 || size != x->dims[1].value))
            return bp_dnnl_refuse(
                query, BP_R_OTHER, slope->name,
                "slopes differ within a channel, or the number of channels is not known");
    }
    return true;
}

/* The loop's own, by channels as they lie in planes. */
struct slopes {
    float *of; /* whole channels; the padding of a block has 0 */
    size_t outer_channels, rows, width;
};

/* Rows of several channels each; NaN fails the comparison and stays. */
VECTOR_LOOP
static void apply_rows(const float *slope, size_t width, const float *x, float *y, size_t n)
{
    for (size_t row = 0; row < n; row++) {
        for (size_t i = 0; i < width; i++) {
            float v = x[row * width + i];

            y[row * width + i] = v < 0 ? v * slope[i] : v;
        }
    }
}

/* Elements of one channel. */
VECTOR_LOOP
static void apply_elements(float slope, const float *x, float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] < 0 ? x[i] * slope : x[i];
}

/* An iteration is a point of a plane, with all of its channels. */
static void run(const void *u, const float *x, float *y, size_t first, size_t end)
{
    const struct slopes *s = u;

    while (first < end) {
        size_t left = s->rows - first % s->rows, n = end - first < left ? end - first : left;
        const float *slope = s->of + first / s->rows % s->outer_channels * s->width;

        if (s->width == 1)
            apply_elements(*slope, x + first, y + first, n);
        else
            apply_rows(slope, s->width, x + first * s->width, y + first * s->width, n);
        first += n;
    }
}

/* One slope for all is repeated, so that the loop knows one case. */
static bp_rc read_slopes(struct bp_dnnl_builder *b, const bp_node *node, size_t channels,
                         float *out, bp_err *err)
{
    const struct bp_dnnl_value *value = bp_dnnl_in(b, node, SLOPE);
    size_t n = (size_t)bp_dims_count(value->dims, (uint32_t)value->rank);
    struct bp_dnnl_tensor tensor;
    dnnl_memory_desc_t row_major;
    bp_rc rc;

    bp_dnnl_row_major(value->rank, value->dims, &row_major);
    rc = bp_dnnl_tensor_of(b, node->in[SLOPE], &row_major, &tensor, err);
    if (rc < 0)
        return rc;
    for (size_t i = 0; i < channels; i++)
        out[i] = ((const float *)tensor.location.fixed)[n == 1 ? 0 : i];
    return BP_OK;
}

/* Padding of a block has slope 0, so that it stays 0. */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    struct slopes *s = bp_blocks_array(b->memory, 1, sizeof *s);
    struct bp_dnnl_tensor x, y;
    struct bp_dnnl_planes planes;
    bp_rc rc = bp_dnnl_tensor_as_planes(b, node->in[X], BP_DNNL_PLANES_F32, &x, &planes, err);
    size_t channels;

    (void)op;
    if (rc < 0)
        return rc;
    channels = (size_t)x.md.padded_dims[1];
    if (s)
        *s = (struct slopes){.of = bp_blocks_array(b->memory, channels, sizeof *s->of),
                             .outer_channels = channels / planes.inner_channels,
                             .rows = (size_t)bp_dims_count(x.md.dims + 2, (uint32_t)x.md.ndims - 2),
                             .width = planes.inner_channels};
    if (!s || !s->of)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    rc = read_slopes(b, node, (size_t)x.md.dims[1], s->of, err);
    if (rc >= 0)
        rc = bp_dnnl_make_in_place(b, node->out[0], node->in[X], &x, &y, err);
    if (rc < 0)
        return rc;
    return bp_dnnl_emit_loop(b, run, s, planes.count * s->rows, &x, &y, err);
}

const struct bp_dnnl_op bp_dnnl_op_prelu = {
    .name = "PRelu",
    .domain = "",
    .since = 7,
    .until = 16,
    .claim = claim,
    .build = build,
};
