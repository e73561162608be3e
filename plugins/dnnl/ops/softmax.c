/* SPDX-License-Identifier: MIT */
/*
 * softmax.c - Softmax (1, 11, 13). oneDNN takes rows one after the other, so that rows shorter than
 * a vector, as the scores of detectors are, take it ten times as long as a loop over many of them.
 */

#include "base/claim.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"
#include "build/step.h"
#include "kernels/exp.h"
#include "kernels/vector.h"

/* The default axis is 1 before version 13, the last one since. */
static int axis_of(const bp_graph *graph, const bp_node *node, uint32_t rank)
{
    return bp_dnnl_axis(graph, node, node->since < 13 ? 1 : -1, rank);
}

/*
 * Before version 13 all dimensions from the axis on are one row: taken if the others have size 1.
 */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *x;
    int axis;

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_input(query, 0, 1, BP_DNNL_MAX_RANK))
        return false;
    x = bp_node_in(query->graph, query->node, 0);
    axis = axis_of(query->graph, query->node, x->rank);
    if (axis < 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "axis", "the axis is out of range");
    for (uint32_t i = (uint32_t)axis + 1; query->node->since < 13 && i < x->rank; i++) {
        if (x->dims[i].value != 1)
            return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "axis",
                                  "over several dimensions it is not implemented");
    }
    return true;
}

/* ---- rows shorter than a vector -------------------------------------------------------------- */

/* Elements of a row at most, and rows at a time. */
enum { SHORT_ROW = 16, ROWS = 64 };

/* y = x - max of its row, so that exp() does not overflow. NaN makes all of the row NaN. */
static void subtract_max(const float *x, float *y, size_t rows, size_t width)
{
    float high[ROWS];

    for (size_t r = 0; r < rows; r++)
        high[r] = x[r * width];
    for (size_t i = 1; i < width; i++) {
        for (size_t r = 0; r < rows; r++) {
            float v = x[r * width + i];

            high[r] = v > high[r] ? v : high[r];
        }
    }
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < width; i++)
            y[r * width + i] = x[r * width + i] - high[r];
    }
}

/* Over rows as one array, as each element is on its own. */
VECTOR_LOOP
static void exponentiate(float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = bp_dnnl_exp(y[i]);
}

/* y / sum of its row, as a product by the reciprocal. */
static void normalise(float *y, size_t rows, size_t width)
{
    float sum[ROWS] = {0};

    for (size_t i = 0; i < width; i++) {
        for (size_t r = 0; r < rows; r++)
            sum[r] += y[r * width + i];
    }
    for (size_t r = 0; r < rows; r++)
        sum[r] = 1 / sum[r];
    for (size_t r = 0; r < rows; r++) {
        for (size_t i = 0; i < width; i++)
            y[r * width + i] *= sum[r];
    }
}

/* An iteration is a row. */
static void run(const void *u, const float *x, float *y, size_t first, size_t end)
{
    size_t width = *(const size_t *)u;

    while (first < end) {
        size_t rows = end - first < ROWS ? end - first : ROWS, at = first * width;

        subtract_max(x + at, y + at, rows, width);
        exponentiate(y + at, rows * width);
        normalise(y + at, rows, width);
        first += rows;
    }
}

/* ---- building it ----------------------------------------------------------------------------- */

/* Row-major float32 rows that lie in one piece. */
static bool has_short_rows(const dnnl_memory_desc_t *md, int64_t axis)
{
    return md->data_type == dnnl_f32 && md->dims[axis] <= SHORT_ROW && bp_dnnl_is_row_major(md) &&
           bp_dims_count(md->dims + axis, (uint32_t)(md->ndims - axis)) == md->dims[axis];
}

/* Over the input if no other node reads it: each row is read as a whole before it is written. */
static bp_rc emit_short_rows(struct bp_dnnl_builder *b, const bp_node *node, int64_t axis,
                             const struct bp_dnnl_tensor *x, bp_err *err)
{
    size_t *width = bp_blocks_array(b->memory, 1, sizeof *width);
    struct bp_dnnl_tensor y;
    bp_rc rc;

    if (!width)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    *width = (size_t)x->md.dims[axis];
    rc = bp_dnnl_make_in_place(b, node->out[0], node->in[0], x, &y, err);
    if (rc < 0)
        return rc;
    return bp_dnnl_emit_loop(b, run, width, (size_t)bp_dims_count(x->md.dims, (uint32_t)axis), x,
                             &y, err);
}

/* Any layout is oneDNN's, by axis. */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    struct bp_dnnl_tensor x, y;
    struct bp_dnnl_arg args[2] = {{DNNL_ARG_SRC, &x}, {DNNL_ARG_DST, &y}};
    dnnl_softmax_desc_t desc;
    dnnl_status_t status;
    int axis;
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &x, err);

    (void)op;
    if (rc < 0)
        return rc;
    axis = axis_of(b->graph, node, (uint32_t)bp_dnnl_in(b, node, 0)->rank);
    if (has_short_rows(&x.md, axis))
        return emit_short_rows(b, node, axis, &x, err);
    status = bp_dnnl.softmax_forward_desc_init(&desc, dnnl_forward_inference, &x.md, axis);
    return bp_dnnl_emit_desc(b, status, &desc, node->in[0], &y, 2, args, err);
}

const struct bp_dnnl_op bp_dnnl_op_softmax = {
    .name = "Softmax",
    .domain = "",
    .since = 1,
    .until = 13,
    .claim = claim,
    .build = build,
};
