/* SPDX-License-Identifier: MIT */
/*
 * qlinear_conv.c - QLinearConv (10), over one or two spatial dimensions, grouped or not, channels
 * last. oneDNN adds the bias to the sums in float32 and rounds after it has added the output's zero
 * point.
 */

#include "base/claim.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/attributes.h"
#include "build/builder.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"
#include "kernels/quantize.h"
#include "ops/quantization.h"
#include "ops/window.h"

enum { X, X_SCALE, X_ZERO, W, W_SCALE, W_ZERO, Y_SCALE, Y_ZERO, BIAS };

/* A convolution that is being built, or one that is asked about. */
struct conv {
    const bp_node *node;
    dnnl_memory_desc_t x, w, y, bias; /* in any layout; w as it lies: groups come first */
    struct bp_dnnl_window window;
    struct bp_dnnl_attr attr;
    bool has_bias;
};

/* ---- the description ------------------------------------------------------------------------- */

/* W as it lies, with groups as a dimension of their own if there are several. */
static void describe_weights(const dnnl_dim_t *w, int rank, int64_t group, dnnl_memory_desc_t *out)
{
    dnnl_dims_t dims = {group, w[0] / group};

    memcpy(dims + 2, w + 1, sizeof *w * (size_t)(rank - 1));
    if (group == 1)
        bp_dnnl_row_major_as(rank, w, dnnl_s8, out);
    else
        bp_dnnl_row_major_as(rank + 1, dims, dnnl_s8, out);
}

/* Layouts and window from three shapes, before there are scales. */
static void set_shapes(const struct bp_dnnl_builder *b, const bp_node *node, int rank,
                       const dnnl_dim_t *x, const dnnl_dim_t *w, const dnnl_dim_t *y,
                       struct conv *c)
{
    const dnnl_dims_t maps = {w[0]};

    c->node = node;
    c->has_bias = bp_node_in(b->graph, node, BIAS) != NULL;
    bp_dnnl_any_layout(rank, x, bp_dnnl_host_type(b->graph, node->in[X]), &c->x);
    bp_dnnl_any_layout(rank, y, bp_dnnl_host_type(b->graph, node->out[0]), &c->y);
    bp_dnnl_row_major_as(1, maps, dnnl_s32, &c->bias);
    describe_weights(w, rank, bp_node_int(b->graph, node, "group", 1), &c->w);
    memcpy(c->window.kernel, w + 2, sizeof *w * (size_t)(rank - 2));
    bp_dnnl_window_make(b, node, (uint32_t)rank - 2, x + 2, y + 2, &c->window);
    c->attr.axis = 1;
}

/*
 * All of int8 by uint8 or int8; weights are left to oneDNN to pack, with its compensation for VNNI.
 */
static bp_rc describe(struct bp_dnnl_builder *b, const struct conv *c, dnnl_primitive_desc_t *out,
                      bp_err *err)
{
    dnnl_memory_desc_t w;
    dnnl_convolution_desc_t desc;
    dnnl_status_t status;

    bp_dnnl_any_layout(c->w.ndims, c->w.dims, dnnl_s8, &w);
    status = bp_dnnl.dilated_convolution_forward_desc_init(
        &desc, dnnl_forward_inference, dnnl_convolution_direct, &c->x, &w,
        c->has_bias ? &c->bias : NULL, &c->y, c->window.strides, c->window.dilates,
        c->window.before, c->window.after);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", c->node->op, c->node->name);
    return bp_dnnl_describe(b, &desc, &c->attr, out, err);
}

/* ---- the claim ------------------------------------------------------------------------------- */

/* Types, ranks and constants; the bias is int32 with scale x_scale * w_scale, as ONNX has it. */
static bool claims_operands(const struct bp_dnnl_query *query)
{
    const bp_value *x, *w, *y = bp_node_out(query->graph, query->node, 0);

    if (!bp_dnnl_takes_typed(query, X, BP_DNNL_BYTES, 3, 4))
        return false;
    x = bp_node_in(query->graph, query->node, X);
    if (!bp_dnnl_takes_typed(query, W, UINT64_C(1) << BP_DTYPE_I8, x->rank, x->rank))
        return false;
    w = bp_node_in(query->graph, query->node, W);
    if (!(w->flags & BP_VALUE_CONSTANT))
        return bp_dnnl_refuse(query, BP_R_NOT_CONSTANT, w->name, "the weights have to be constant");
    if (bp_node_in(query->graph, query->node, BIAS) &&
        !bp_dnnl_takes_typed(query, BIAS, UINT64_C(1) << BP_DTYPE_I32, 1, 1))
        return false;
    if (y->dtype != BP_DTYPE_U8 && y->dtype != BP_DTYPE_I8)
        return bp_dnnl_refuse(query, BP_R_DTYPE, y->name, "the output is not int8 or uint8");
    return bp_dnnl_claims_window(query, x->rank - 2) &&
           bp_dnnl_claims_quant(query, X_SCALE, X_ZERO, 0) &&
           bp_dnnl_claims_quant(query, W_SCALE, W_ZERO, w->dims[0].value) &&
           bp_dnnl_claims_quant(query, Y_SCALE, Y_ZERO, 0) &&
           bp_dnnl_claims_symmetric(query, W_ZERO);
}

/* From the graph's shape, at capability time, to oneDNN's; all are known then. */
static void copy_dims(const bp_value *value, dnnl_dim_t *out)
{
    for (uint32_t i = 0; i < value->rank; i++)
        out[i] = value->dims[i].value;
}

/*
 * Asks oneDNN for a kernel, if all sizes are known; else it is known only later. Scales do not
 * matter, but that there are some.
 */
static bool claims_described(const struct bp_dnnl_query *query)
{
    static const float half = 0.5f; /* the value does not matter, but that there is a scale */
    struct bp_dnnl_builder b = {
        .instance = query->instance, .graph = query->graph, .node = query->index};
    const bp_value *x = bp_node_in(query->graph, query->node, X);
    const bp_value *w = bp_node_in(query->graph, query->node, W);
    const bp_value *y = bp_node_out(query->graph, query->node, 0);
    dnnl_primitive_desc_t pd;
    dnnl_dims_t dims[3];
    struct conv c = {0};

    if (!bp_dnnl_is_sized(x) || !bp_dnnl_is_sized(y) || y->rank != x->rank ||
        bp_dnnl_elements(y) == 0)
        return true;
    copy_dims(x, dims[0]);
    copy_dims(w, dims[1]);
    copy_dims(y, dims[2]);
    set_shapes(&b, query->node, (int)x->rank, dims[0], dims[1], dims[2], &c);
    c.attr.scales = &half;
    c.attr.n_scales = 1;
    c.attr.x_zero = c.attr.y_zero = 1;
    return bp_dnnl_claims_kernel(query, describe(&b, &c, &pd, NULL) >= 0 ? pd : NULL);
}

/*
 * *flops as for Conv, though operations on bytes are faster: the threshold is about the cost of
 * calls.
 */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const bp_value *w, *y;
    int64_t group = bp_node_int(query->graph, query->node, "group", 1);

    (void)op;
    if (!claims_operands(query) || !bp_dnnl_claims_int8_products(query))
        return false;
    w = bp_node_in(query->graph, query->node, W);
    y = bp_node_out(query->graph, query->node, 0);
    if (group < 1 || w->dims[0].value % group != 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "group", "the maps are not of %lld groups",
                              (long long)group);
    *flops = 2 * bp_dnnl_elements(y) * bp_dnnl_elements(w) / (double)w->dims[0].value;
    return claims_described(query);
}

/* ---- building -------------------------------------------------------------------------------- */

/* Scales of x, w and y become one factor for each output channel. */
static bp_rc read_quantization(struct bp_dnnl_builder *b, struct conv *c, bp_err *err)
{
    struct bp_dnnl_quant x, w, y;
    bp_rc rc = bp_dnnl_quant_read(b, c->node, X_SCALE, X_ZERO, &x, err);

    if (rc >= 0)
        rc = bp_dnnl_quant_read(b, c->node, W_SCALE, W_ZERO, &w, err);
    if (rc >= 0)
        rc = bp_dnnl_quant_read(b, c->node, Y_SCALE, Y_ZERO, &y, err);
    return rc < 0 ? rc : bp_dnnl_output_scales(b, &x, &w, &y, 1, &c->attr, err);
}

/* Bias as it is: oneDNN takes int32 and converts it to float32 with the sums. */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    const struct bp_dnnl_value *x = bp_dnnl_in(b, node, X), *w = bp_dnnl_in(b, node, W);
    struct bp_dnnl_tensor x_tensor, w_tensor, y_tensor, bias_tensor;
    struct bp_dnnl_arg args[4] = {{DNNL_ARG_SRC, &x_tensor},
                                  {DNNL_ARG_WEIGHTS, &w_tensor},
                                  {DNNL_ARG_DST, &y_tensor},
                                  {DNNL_ARG_BIAS, &bias_tensor}};
    struct conv c = {0};
    dnnl_primitive_desc_t pd;
    bp_rc rc;

    (void)op;
    set_shapes(b, node, x->rank, x->dims, w->dims, b->values[node->out[0]].dims, &c);
    rc = read_quantization(b, &c, err);
    if (rc >= 0)
        rc = describe(b, &c, &pd, err);
    if (rc < 0)
        return rc;
    rc = bp_dnnl_tensor_of(b, node->in[X], bp_dnnl_query(pd, dnnl_query_src_md), &x_tensor, err);
    if (rc >= 0)
        rc = bp_dnnl_weights(b, node->in[W], &c.w, bp_dnnl_query(pd, dnnl_query_weights_md),
                             &w_tensor, err);
    if (rc >= 0 && c.has_bias)
        rc = bp_dnnl_tensor_of(b, node->in[BIAS], &c.bias, &bias_tensor, err);
    if (rc >= 0)
        rc = bp_dnnl_make_output(b, node->out[0], bp_dnnl_query(pd, dnnl_query_dst_md), &y_tensor,
                                 err);
    if (rc < 0) {
        bp_dnnl.primitive_desc_destroy(pd);
        return rc;
    }
    return bp_dnnl_emit(b, pd, c.has_bias ? 4 : 3, args, err);
}

const struct bp_dnnl_op bp_dnnl_op_qlinear_conv = {
    .name = "QLinearConv",
    .domain = "",
    .since = 10,
    .until = 10,
    .claim = claim,
    .build = build,
    .work = BP_DNNL_CONVOLUTION,
    .weights = 3,
    .is_made = true,
};
