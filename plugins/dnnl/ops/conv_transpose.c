/* SPDX-License-Identifier: MIT */
/*
 * conv_transpose.c - ConvTranspose (1, 11, 22) over one to three spatial dimensions, grouped or
 * not: oneDNN's deconvolution.
 */

#include "base/claim.h"
#include "base/instance.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"
#include "ops/conv_depth_to_space.h"
#include "ops/window.h"

enum { FEW_MAPS = 8 };

/* oneDNN computes an output that ends less than a stride after the last window. */
static bool takes_output(const struct bp_dnnl_query *query, const bp_value *x, const bp_value *w)
{
    const bp_attr *shape = bp_node_attr(query->graph, query->node, "output_shape");

    if (shape && !bp_dnnl_is_sized(x))
        return bp_dnnl_refuse(query, BP_R_DYNAMIC_SHAPE, x->name,
                              "with output_shape the sizes of X have to be known");
    for (uint32_t i = 0; i + 2 < x->rank; i++) {
        int64_t stride = bp_dnnl_entry(query->graph, query->node, "strides", i, 1), reach;

        if (bp_dnnl_entry(query->graph, query->node, "output_padding", i, 0) >= stride)
            return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "output_padding",
                                  "output_padding is not below the stride");
        if (!shape)
            continue;
        reach = (x->dims[2 + i].value - 1) * stride + 1 +
                (w->dims[2 + i].value - 1) *
                    bp_dnnl_entry(query->graph, query->node, "dilations", i, 1);
        if (bp_dnnl_entry(query->graph, query->node, "output_shape", i, 0) >= reach + stride)
            return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "output_shape",
                                  "output_shape is a stride or more beyond the last window");
    }
    return true;
}

/* Does conv_depth_to_space.c take it? Asked before there are sizes, so by attributes alone. */
static bool is_depth_to_space(const struct bp_dnnl_query *query, const bp_value *w)
{
    const bp_graph *g = query->graph;

    for (uint32_t i = 0; i + 2 < w->rank; i++) {
        if (w->dims[2 + i].value != bp_dnnl_entry(g, query->node, "strides", i, 1) ||
            bp_dnnl_entry(g, query->node, "dilations", i, 1) != 1 ||
            bp_dnnl_entry(g, query->node, "pads", i, 0) != 0 ||
            bp_dnnl_entry(g, query->node, "pads", w->rank - 2 + i, 0) != 0)
            return false;
    }
    return (w->flags & BP_VALUE_CONSTANT) && bp_node_int(g, query->node, "group", 1) == 1;
}

/* Are strides 1, so that it is much like any other convolution? */
static bool is_dense(const struct bp_dnnl_query *query, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        if (bp_dnnl_entry(query->graph, query->node, "strides", i, 1) != 1)
            return false;
    }
    return true;
}

/*
 * Is it worth a group? oneDNN's kernels for strides above 1 are no faster than a product and sums,
 * and slower by far for few output channels.
 */
static bool is_worth_it(const struct bp_dnnl_query *query, const bp_value *w, double *flops)
{
    bool is_single = bp_node_int(query->graph, query->node, "group", 1) == 1;

    if (query->instance->takes_all || is_depth_to_space(query, w) || is_dense(query, w->rank - 2))
        return true;
    if (is_single && w->dims[1].value < FEW_MAPS)
        return bp_dnnl_refuse(query, BP_R_NOT_PROFITABLE, w->name,
                              "it has %lld output channels, oneDNN is faster for %d and more",
                              (long long)w->dims[1].value, FEW_MAPS);
    if (w->rank != 5 || !is_single)
        *flops = 0; /* taken in groups of others */
    return true;
}

/* *flops: each input element meets each weight of its channel once. */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *x, *w;

    (void)op;
    if (!bp_dnnl_takes_input(query, 0, 3, 2 + BP_DNNL_MAX_SPATIAL))
        return false;
    x = bp_node_in(query->graph, query->node, 0);
    if (!bp_dnnl_takes_input(query, 1, x->rank, x->rank) ||
        !bp_dnnl_claims_window(query, x->rank - 2))
        return false;
    if (bp_node_in(query->graph, query->node, 2) && !bp_dnnl_takes_input(query, 2, 1, 1))
        return false;
    w = bp_node_in(query->graph, query->node, 1);
    if (!bp_dnnl_is_sized(w))
        return bp_dnnl_refuse(query, BP_R_DYNAMIC_SHAPE, w->name, "the sizes of W are not known");
    if (!takes_output(query, x, w))
        return false;
    *flops = 2 * bp_dnnl_elements(x) * bp_dnnl_elements(w) / (double)w->dims[0].value;
    return is_worth_it(query, w, flops);
}

/*
 * W is (inputs, outputs / groups, kernel); oneDNN wants ([groups], outputs, inputs, kernel): the
 * same bytes with other strides.
 */
static void describe_weights(const struct bp_dnnl_value *w, int64_t group,
                             dnnl_memory_desc_t *stored)
{
    dnnl_dim_t inputs = w->dims[0] / group, taps = 1;
    dnnl_dims_t dims = {group, w->dims[1], inputs};
    dnnl_dims_t strides = {0};
    int first = group == 1 ? 1 : 0, rank = w->rank + 1;

    for (int i = w->rank - 1; i >= 2; i--) {
        dims[i + 1] = w->dims[i];
        strides[i + 1] = taps;
        taps *= w->dims[i];
    }
    strides[0] = inputs * w->dims[1] * taps;
    strides[1] = taps;
    strides[2] = w->dims[1] * taps;
    memset(stored, 0, sizeof *stored);
    bp_dnnl.memory_desc_init_by_strides(stored, rank - first, dims + first, dnnl_f32,
                                        strides + first);
}

/*
 * With operands of that type. The input takes the place of the small sizes of the window, the
 * output that of the large ones.
 */
static bp_rc describe_as(struct bp_dnnl_builder *b, const bp_node *node, dnnl_data_type_t type,
                         const dnnl_memory_desc_t *stored, const dnnl_memory_desc_t *bias,
                         dnnl_primitive_desc_t *out, bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, 0), *w = bp_dnnl_in(b, node, 1);
    const struct bp_dnnl_value *y = &b->values[node->out[0]];
    dnnl_memory_desc_t x_any, w_any, y_any;
    struct bp_dnnl_window window = {0};
    dnnl_deconvolution_desc_t desc;
    dnnl_status_t status;

    memcpy(window.kernel, w->dims + 2, sizeof *w->dims * (size_t)(w->rank - 2));
    bp_dnnl_window_make(b, node, (uint32_t)x->rank - 2, y->dims + 2, x->dims + 2, &window);
    bp_dnnl_any_layout(x->rank, x->dims, type, &x_any);
    bp_dnnl_any_layout(stored->ndims, stored->dims, type, &w_any);
    bp_dnnl_any_layout(y->rank, y->dims, bp_dnnl_result_type(b, node->out[0], type), &y_any);
    status = bp_dnnl.dilated_deconvolution_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_deconvolution_direct, &x_any, &w_any, bias, &y_any,
        window.strides, window.dilates, window.before, window.after);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", node->op, node->name);
    return bp_dnnl_describe(b, &desc, NULL, out, err);
}

/* bfloat16 if math_mode asks for it and oneDNN has a kernel, else float32. */
static bp_rc describe(struct bp_dnnl_builder *b, const bp_node *node,
                      const dnnl_memory_desc_t *stored, const dnnl_memory_desc_t *bias,
                      dnnl_primitive_desc_t *out, bp_err *err)
{
    dnnl_data_type_t type = bp_dnnl_compute_type(b);
    bp_rc rc = describe_as(b, node, type, stored, bias, out, err);

    if (rc == BP_E_SHAPE && type != dnnl_f32)
        rc = describe_as(b, node, dnnl_f32, stored, bias, out, err);
    return rc;
}

/* Where windows do not overlap another implementation takes over; the claim has counted on it. */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    const struct bp_dnnl_value *bias = bp_dnnl_in(b, node, 2);
    struct bp_dnnl_tensor x, w, y, bias_tensor;
    struct bp_dnnl_arg args[4] = {{DNNL_ARG_SRC, &x},
                                  {DNNL_ARG_WEIGHTS, &w},
                                  {DNNL_ARG_DST, &y},
                                  {DNNL_ARG_BIAS, &bias_tensor}};
    dnnl_memory_desc_t stored, bias_md;
    dnnl_primitive_desc_t pd;
    bp_rc rc;

    (void)op;
    if (bp_dnnl_is_depth_to_space(b, node))
        return bp_dnnl_build_depth_to_space(b, node, err);
    describe_weights(bp_dnnl_in(b, node, 1), bp_node_int(b->graph, node, "group", 1), &stored);
    if (bias)
        bp_dnnl_row_major(1, bias->dims, &bias_md);
    rc = describe(b, node, &stored, bias ? &bias_md : NULL, &pd, err);
    if (rc < 0)
        return rc;
    rc = bp_dnnl_tensor_of(b, node->in[0], bp_dnnl_query(pd, dnnl_query_src_md), &x, err);
    if (rc >= 0)
        rc = bp_dnnl_weights(b, node->in[1], &stored, bp_dnnl_query(pd, dnnl_query_weights_md), &w,
                             err);
    if (rc >= 0 && bias)
        rc = bp_dnnl_tensor_of(b, node->in[2], &bias_md, &bias_tensor, err);
    if (rc >= 0)
        rc = bp_dnnl_make_output(b, node->out[0], bp_dnnl_query(pd, dnnl_query_dst_md), &y, err);
    if (rc < 0) {
        bp_dnnl.primitive_desc_destroy(pd);
        return rc;
    }
    return bp_dnnl_emit(b, pd, bias ? 4 : 3, args, err);
}

const struct bp_dnnl_op bp_dnnl_op_conv_transpose = {
    .name = "ConvTranspose",
    .domain = "",
    .since = 1,
    .until = 22,
    .claim = claim,
    .build = build,
    .work = BP_DNNL_CONVOLUTION,
    .weights = 1,
};
