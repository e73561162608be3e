/* SPDX-License-Identifier: MIT */
/*
 * layer_normalization.c - LayerNormalization (17; version 1 is ONNX Runtime's from before), over
 * sizes that are known: rows of all elements from `axis` on.
 */

#include "base/claim.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"

/* Has scale or bias an element for each of a row? oneDNN does not broadcast them. */
static bool claims_row(const struct bp_dnnl_query *query, uint32_t input, const bp_value *x,
                       uint32_t axis)
{
    const bp_value *row;
    double n = 1;

    if (!bp_dnnl_takes_input(query, input, 1, x->rank - axis))
        return false;
    row = bp_node_in(query->graph, query->node, input);
    for (uint32_t i = axis; i < x->rank; i++)
        n *= (double)x->dims[i].value;
    if (bp_dnnl_is_sized(row) && bp_dnnl_elements(row) == n)
        return true;
    return bp_dnnl_refuse(query, BP_R_OTHER, row->name,
                          "it must have an element for each of a row");
}

/* Sizes of a row have to be known, those before it need not. */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *x;
    uint32_t axis;
    int first;

    (void)op;
    (void)flops;
    if (!bp_dnnl_takes_input(query, 0, 1, BP_DNNL_MAX_RANK))
        return false;
    x = bp_node_in(query->graph, query->node, 0);
    first = bp_dnnl_axis(query->graph, query->node, -1, x->rank);
    if (first < 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "axis", "the axis is out of range");
    axis = (uint32_t)first;
    for (uint32_t i = axis; i < x->rank; i++) {
        if (x->dims[i].value < 0)
            return bp_dnnl_refuse(query, BP_R_DYNAMIC_SHAPE, x->name,
                                  "the sizes of a row are not known");
    }
    return claims_row(query, 1, x, axis) &&
           (!bp_node_in(query->graph, query->node, 2) || claims_row(query, 2, x, axis));
}

/* Scale or bias as one dimension, as oneDNN wants them. */
static bp_rc get_row(struct bp_dnnl_builder *b, uint32_t value, struct bp_dnnl_tensor *out,
                     bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    dnnl_dims_t n = {bp_dims_count(v->dims, (uint32_t)v->rank)};
    dnnl_memory_desc_t row_major;
    bp_rc rc;

    bp_dnnl_row_major(v->rank, v->dims, &row_major);
    rc = bp_dnnl_tensor_of(b, value, &row_major, out, err);
    bp_dnnl_row_major(1, n, &out->md);
    return rc;
}

/*
 * oneDNN normalises the last dimension of a matrix of rows; it computes mean and variance itself.
 */
static bp_rc describe(struct bp_dnnl_builder *b, const bp_node *node,
                      const dnnl_memory_desc_t *rows, bool has_bias, dnnl_primitive_desc_t *out,
                      bp_err *err)
{
    unsigned flags = (unsigned)dnnl_use_scale | (has_bias ? (unsigned)dnnl_use_shift : 0);
    dnnl_layer_normalization_desc_t desc;
    dnnl_status_t status = bp_dnnl.layer_normalization_forward_desc_init(
        &desc, dnnl_forward_inference, rows, NULL, bp_node_float(b->graph, node, "epsilon", 1e-5f),
        flags);

    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    return bp_dnnl_describe(b, &desc, NULL, out, err);
}

/* Row-major, as rows have to lie in one piece. */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    const struct bp_dnnl_value *v = bp_dnnl_in(b, node, 0);
    uint32_t axis = (uint32_t)bp_dnnl_axis(b->graph, node, -1, (uint32_t)v->rank);
    dnnl_dims_t dims = {bp_dims_count(v->dims, axis),
                        bp_dims_count(v->dims + axis, (uint32_t)v->rank - axis)};
    bool has_bias = bp_dnnl_in(b, node, 2) != NULL;
    struct bp_dnnl_tensor x, y, of[2];
    struct bp_dnnl_arg args[4] = {
        {DNNL_ARG_SRC, &x}, {DNNL_ARG_DST, &y}, {DNNL_ARG_SCALE, &of[0]}, {DNNL_ARG_SHIFT, &of[1]}};
    dnnl_memory_desc_t row_major, rows;
    dnnl_primitive_desc_t pd;
    bp_rc rc;

    (void)op;
    bp_dnnl_row_major_as(v->rank, v->dims, bp_dnnl_current_type(b, node->in[0]), &row_major);
    bp_dnnl_row_major_as(2, dims, row_major.data_type, &rows);
    rc = bp_dnnl_tensor_of(b, node->in[0], &row_major, &x, err);
    for (uint32_t i = 0; rc >= 0 && i < (has_bias ? 2u : 1u); i++)
        rc = get_row(b, node->in[i + 1], &of[i], err);
    if (rc >= 0)
        rc = describe(b, node, &rows, has_bias, &pd, err);
    if (rc < 0)
        return rc;
    rc = bp_dnnl_make_in_place(b, node->out[0], node->in[0], &x, &y, err);
    if (rc < 0) {
        bp_dnnl.primitive_desc_destroy(pd);
        return rc;
    }
    x.md = y.md = rows;
    return bp_dnnl_emit(b, pd, has_bias ? 4 : 3, args, err);
}

const struct bp_dnnl_op bp_dnnl_op_layer_normalization = {
    .name = "LayerNormalization",
    .domain = "",
    .since = 1,
    .until = 17,
    .claim = claim,
    .build = build,
    .is_made = true,
};
