/* SPDX-License-Identifier: MIT */
/*
 * qlinear_matmul.c - QLinearMatMul (10, 21), and com.microsoft's QGemm: bytes by one constant
 * matrix of int8, with one scale for it or one for each column. QGemm without a scale of Y makes
 * float32.
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

enum { A, A_SCALE, A_ZERO, B, B_SCALE, B_ZERO, SEVENTH };

/* Inputs that the two operators have at different indices; BP_NONE: absent. */
struct optional_inputs {
    uint32_t y_scale, y_zero, bias; /* inputs; BP_NONE: it has none */
};

/* QGemm has C before the scale of Y, which QLinearMatMul has not at all. */
static struct optional_inputs optional_inputs_of(const bp_node *node)
{
    if (node->domain[0] != '\0')
        return (struct optional_inputs){SEVENTH + 1, SEVENTH + 2, SEVENTH};
    return (struct optional_inputs){SEVENTH, SEVENTH + 1, BP_NONE};
}

/* A product that is being built, or one that is asked about. */
struct product {
    const bp_node *node;
    dnnl_memory_desc_t a, b, y, bias; /* as they lie */
    struct bp_dnnl_attr attr;
    bool has_bias;
};

/* ---- the description ------------------------------------------------------------------------- */

/* Layouts of matrices: all rows of A, and B with transB as strides. */
static void set_shapes(const bp_graph *graph, const bp_node *node, dnnl_dim_t rows,
                       const dnnl_dim_t *dims, struct product *p)
{
    bool is_transposed = bp_node_int(graph, node, "transB", 0) != 0;
    const dnnl_dim_t depth = dims[is_transposed], width = dims[!is_transposed];
    const dnnl_dims_t a = {rows, depth}, b = {depth, width}, y = {rows, width}, row = {1, width};
    const dnnl_dims_t strides = {is_transposed ? 1 : width, is_transposed ? depth : 1};

    p->node = node;
    p->has_bias = bp_node_in(graph, node, optional_inputs_of(node).bias) != NULL;
    bp_dnnl_row_major_as(2, a, bp_dnnl_host_type(graph, node->in[A]), &p->a);
    bp_dnnl_row_major_as(2, y, bp_dnnl_host_type(graph, node->out[0]), &p->y);
    bp_dnnl_row_major_as(2, row, dnnl_s32, &p->bias);
    memset(&p->b, 0, sizeof p->b);
    bp_dnnl.memory_desc_init_by_strides(&p->b, 2, b, dnnl_s8, strides);
    p->attr.axis = 1;
}

/* B is left to oneDNN to pack. */
static bp_rc describe(struct bp_dnnl_builder *b, const struct product *p,
                      dnnl_primitive_desc_t *out, bp_err *err)
{
    dnnl_memory_desc_t weights;
    dnnl_matmul_desc_t desc;
    dnnl_status_t status;

    bp_dnnl_any_layout(2, p->b.dims, dnnl_s8, &weights);
    status = bp_dnnl.matmul_desc_init(&desc, &p->a, &weights, p->has_bias ? &p->bias : NULL, &p->y);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", p->node->op, p->node->name);
    return bp_dnnl_describe(b, &desc, &p->attr, out, err);
}

/* ---- the claim ------------------------------------------------------------------------------- */

/* Columns of the result, for which there may be a scale each. */
static int64_t columns_of(const struct bp_dnnl_query *query)
{
    bool is_transposed = bp_node_int(query->graph, query->node, "transB", 0) != 0;

    return bp_node_in(query->graph, query->node, B)->dims[!is_transposed].value;
}

/* C of QGemm is int32, one for each column, as oneDNN's bias. */
static bool claims_bias(const struct bp_dnnl_query *query, const struct optional_inputs *at)
{
    const bp_value *bias = bp_node_in(query->graph, query->node, at->bias);

    if (!bias)
        return true;
    if (!bp_dnnl_takes_typed(query, at->bias, UINT64_C(1) << BP_DTYPE_I32, 1, 1))
        return false;
    if (bias->dims[0].value != columns_of(query))
        return bp_dnnl_refuse(query, BP_R_OTHER, bias->name, "C must have one element a column");
    return true;
}

/* Either float32 without a scale, or bytes with one. */
static bool claims_result(const struct bp_dnnl_query *query, const struct optional_inputs *at)
{
    const bp_value *y = bp_node_out(query->graph, query->node, 0);

    if (y->dtype == BP_DTYPE_F32 && !bp_node_in(query->graph, query->node, at->y_scale))
        return true;
    if (y->dtype != BP_DTYPE_U8 && y->dtype != BP_DTYPE_I8)
        return bp_dnnl_refuse(query, BP_R_DTYPE, y->name, "the output is not int8 or uint8");
    return bp_dnnl_claims_quant(query, at->y_scale, at->y_zero, 0);
}

/* alpha of QGemm goes into the scales; transA would need a reorder of A. */
static bool claims_operands(const struct bp_dnnl_query *query, const struct optional_inputs *at)
{
    bool is_gemm = query->node->domain[0] != '\0';
    const bp_value *b;

    if (!bp_dnnl_takes_typed(query, A, BP_DNNL_BYTES, 2, is_gemm ? 2 : BP_DNNL_MAX_RANK) ||
        !bp_dnnl_takes_typed(query, B, UINT64_C(1) << BP_DTYPE_I8, 2, 2))
        return false;
    b = bp_node_in(query->graph, query->node, B);
    if (!(b->flags & BP_VALUE_CONSTANT))
        return bp_dnnl_refuse(query, BP_R_NOT_CONSTANT, b->name, "B has to be constant");
    if (bp_node_int(query->graph, query->node, "transA", 0) != 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "transA", "only 0 is supported");
    return claims_bias(query, at) && bp_dnnl_claims_quant(query, A_SCALE, A_ZERO, 0) &&
           bp_dnnl_claims_quant(query, B_SCALE, B_ZERO, columns_of(query)) &&
           bp_dnnl_claims_symmetric(query, B_ZERO) && claims_result(query, at);
}

/* Asks oneDNN for a kernel, for one row if their number is not known. */
static bool claims_described(const struct bp_dnnl_query *query)
{
    static const float half = 0.5f; /* the value does not matter, but that there is a scale */
    struct bp_dnnl_builder b = {
        .instance = query->instance, .graph = query->graph, .node = query->index};
    const bp_value *w = bp_node_in(query->graph, query->node, B);
    const bp_value *y = bp_node_out(query->graph, query->node, 0);
    const dnnl_dims_t dims = {w->dims[0].value, w->dims[1].value};
    dnnl_dim_t rows = bp_dnnl_is_sized(y) ? (dnnl_dim_t)bp_dnnl_elements(y) / columns_of(query) : 1;
    dnnl_primitive_desc_t pd;
    struct product p = {0};

    if (rows == 0)
        return true;
    set_shapes(query->graph, query->node, rows, dims, &p);
    p.attr.scales = &half;
    p.attr.n_scales = 1;
    p.attr.x_zero = p.attr.y_zero = 1;
    return bp_dnnl_claims_kernel(query, describe(&b, &p, &pd, NULL) >= 0 ? pd : NULL);
}

/* *flops: two for each element of the result and of the common dimension. */
static bool claim(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query, double *flops)
{
    const struct optional_inputs at = optional_inputs_of(query->node);

    (void)op;
    if (!claims_operands(query, &at) || !bp_dnnl_claims_int8_products(query))
        return false;
    *flops = 2 * bp_dnnl_elements(bp_node_out(query->graph, query->node, 0)) *
             bp_dnnl_elements(bp_node_in(query->graph, query->node, B)) / (double)columns_of(query);
    return claims_described(query);
}

/* ---- building -------------------------------------------------------------------------------- */

/* Without a scale of Y its factor is 1: the result stays float32. */
static bp_rc read_quantization(struct bp_dnnl_builder *b, struct product *p, bp_err *err)
{
    const struct optional_inputs at = optional_inputs_of(p->node);
    float alpha = p->node->domain[0] ? bp_node_float(b->graph, p->node, "alpha", 1) : 1;
    static const float one = 1;
    static const int32_t none = 0;
    struct bp_dnnl_quant x, w, y = {&one, &none, 1};
    bp_rc rc = bp_dnnl_quant_read(b, p->node, A_SCALE, A_ZERO, &x, err);

    if (rc >= 0)
        rc = bp_dnnl_quant_read(b, p->node, B_SCALE, B_ZERO, &w, err);
    if (rc >= 0 && bp_node_in(b->graph, p->node, at.y_scale))
        rc = bp_dnnl_quant_read(b, p->node, at.y_scale, at.y_zero, &y, err);
    return rc < 0 ? rc : bp_dnnl_output_scales(b, &x, &w, &y, alpha, &p->attr, err);
}

/* Rows of all batches are one matrix, as there is but one B. */
static bp_rc build(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                   bp_err *err)
{
    const struct bp_dnnl_value *y = &b->values[node->out[0]];
    struct bp_dnnl_tensor tensors[4];
    struct bp_dnnl_arg args[4] = {{DNNL_ARG_SRC, &tensors[0]},
                                  {DNNL_ARG_WEIGHTS, &tensors[1]},
                                  {DNNL_ARG_DST, &tensors[2]},
                                  {DNNL_ARG_BIAS, &tensors[3]}};
    struct product p = {0};
    dnnl_primitive_desc_t pd;
    bp_rc rc;

    (void)op;
    set_shapes(b->graph, node, bp_dims_count(y->dims, (uint32_t)y->rank - 1),
               bp_dnnl_in(b, node, B)->dims, &p);
    rc = read_quantization(b, &p, err);
    if (rc >= 0)
        rc = describe(b, &p, &pd, err);
    if (rc < 0)
        return rc;
    rc = bp_dnnl_row_major_of(b, node->in[A], &p.a, &tensors[0], err);
    if (rc >= 0)
        rc = bp_dnnl_weights(b, node->in[B], &p.b, bp_dnnl_query(pd, dnnl_query_weights_md),
                             &tensors[1], err);
    if (rc >= 0)
        rc = bp_dnnl_make_row_major(b, node->out[0], &p.y, &tensors[2], err);
    if (rc >= 0 && p.has_bias)
        rc = bp_dnnl_row_major_of(b, node->in[optional_inputs_of(node).bias], &p.bias, &tensors[3],
                                  err);
    if (rc < 0) {
        bp_dnnl.primitive_desc_destroy(pd);
        return rc;
    }
    return bp_dnnl_emit(b, pd, p.has_bias ? 4 : 3, args, err);
}

const struct bp_dnnl_op bp_dnnl_op_qlinear_matmul = {
    .name = "QLinearMatMul",
    .domain = "",
    .since = 10,
    .until = 21,
    .claim = claim,
    .build = build,
    .work = BP_DNNL_PRODUCT,
    .weights = 3,
    .is_made = true,
};

const struct bp_dnnl_op bp_dnnl_op_qgemm = {
    .name = "QGemm",
    .domain = "com.microsoft",
    .since = 1,
    .until = 1,
    .claim = claim,
    .build = build,
    .work = BP_DNNL_PRODUCT,
    .weights = 3,
    .is_made = true,
};
