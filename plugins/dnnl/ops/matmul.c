/* SPDX-License-Identifier: MIT */
/*
 * matmul.c - MatMul (1, 9, 13), Gemm (7 to 13), and com.microsoft's FusedMatMul and FusedGemm. Bias
 * and activation that fuse/post_op_chains.c found after a MatMul are applied while the result is in
 * registers.
 */

#include "base/chain.h"
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
#include "ops/activation.h"

/* A product that is being built, with all matrices seen as of one rank. */
struct product {
    const bp_node *node;
    uint32_t made;              /* value: what is made in the end */
    dnnl_memory_desc_t a, b, y; /* as they lie */
    dnnl_memory_desc_t bias;
    struct bp_dnnl_attr attr;
    struct bp_dnnl_tensor a_tensor, b_tensor, y_tensor, c_tensor;
    bool has_bias;  /* C is a row that is added to each */
    bool has_other; /* C is added as attr's first post-op */
};

/*
 * With operands of that type. Constant weights are left to oneDNN to pack; a computed matrix is
 * read as it lies.
 */
static bp_rc describe_as(struct bp_dnnl_builder *b, struct product *p, dnnl_data_type_t type,
                         dnnl_primitive_desc_t *out, bp_err *err)
{
    dnnl_memory_desc_t weights;
    dnnl_matmul_desc_t desc;
    dnnl_status_t status;

    p->a.data_type = type;
    p->y.data_type = bp_dnnl_result_type(b, p->made, type);
    weights = p->b;
    weights.data_type = type;
    if (bp_dnnl_is_constant(b, p->node->in[1])) /* oneDNN may pack it, once */
        bp_dnnl_any_layout(p->b.ndims, p->b.dims, type, &weights);
    status = bp_dnnl.matmul_desc_init(&desc, &p->a, &weights, p->has_bias ? &p->bias : NULL, &p->y);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", p->node->op, p->node->name);
    return bp_dnnl_describe(b, &desc, &p->attr, out, err);
}

/* bfloat16 if math_mode asks for it and oneDNN has a kernel, else float32. */
static bp_rc describe(struct bp_dnnl_builder *b, struct product *p, dnnl_primitive_desc_t *out,
                      bp_err *err)
{
    dnnl_data_type_t type = bp_dnnl_compute_type(b);
    bp_rc rc = describe_as(b, p, type, out, err);

    return rc == BP_E_SHAPE && type != dnnl_f32 ? describe_as(b, p, dnnl_f32, out, err) : rc;
}

/* Operands are fetched after the primitive is described, in the layouts that it chose. */
static bp_rc emit(struct bp_dnnl_builder *b, struct product *p, bp_err *err)
{
    struct bp_dnnl_arg args[4] = {{DNNL_ARG_SRC, &p->a_tensor},
                                  {DNNL_ARG_WEIGHTS, &p->b_tensor},
                                  {DNNL_ARG_DST, &p->y_tensor}};
    uint32_t n = 3;
    dnnl_primitive_desc_t pd;
    bp_rc rc;

    if (p->a.dims[p->a.ndims - 1] == 0) /* oneDNN divides by it */
        return bp_fail(err, BP_E_SHAPE, "%s '%s': the matrices have 0 columns and rows in common",
                       p->node->op, p->node->name);
    rc = describe(b, p, &pd, err);
    if (rc < 0)
        return rc;
    rc = bp_dnnl_row_major_of(b, p->node->in[0], &p->a, &p->a_tensor, err);
    if (rc >= 0)
        rc = bp_dnnl_weights(b, p->node->in[1], &p->b, bp_dnnl_query(pd, dnnl_query_weights_md),
                             &p->b_tensor, err);
    if (rc >= 0)
        rc = bp_dnnl_make_row_major(b, p->made, &p->y, &p->y_tensor, err);
    if (rc < 0) {
        bp_dnnl.primitive_desc_destroy(pd);
        return rc;
    }
    if (p->has_bias)
        args[n++] = (struct bp_dnnl_arg){DNNL_ARG_BIAS, &p->c_tensor};
    else if (p->has_other)
        args[n++] =
            (struct bp_dnnl_arg){DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, &p->c_tensor};
    return bp_dnnl_emit(b, pd, n, args, err);
}

/* ---- MatMul ---------------------------------------------------------------------------------- */

/*
 * transBatchA and B of FusedMatMul are refused: they permute dimensions of the stack. *flops: two
 * for each element of the result and of the common dimension.
 */
static bool claim_matmul(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                         double *flops)
{
    const bp_value *a;
    bool is_transposed;

    (void)op;
    if (!bp_dnnl_takes_input(query, 0, 1, BP_DNNL_MAX_RANK - 1) ||
        !bp_dnnl_takes_input(query, 1, 1, BP_DNNL_MAX_RANK - 1))
        return false;
    if (bp_node_int(query->graph, query->node, "transBatchA", 0) != 0 ||
        bp_node_int(query->graph, query->node, "transBatchB", 0) != 0)
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "transBatchA", "only 0 is supported");
    a = bp_node_in(query->graph, query->node, 0);
    is_transposed = bp_node_int(query->graph, query->node, "transA", 0) != 0 && a->rank > 1;
    *flops = 2 * bp_dnnl_elements(bp_node_out(query->graph, query->node, 0)) *
             (double)a->dims[a->rank - (is_transposed ? 2 : 1)].value;
    return true;
}

/*
 * Dims of an input as a matrix or a stack of them, with ones before them up to `rank`. A vector is
 * a row as the first operand and a column as the second, as in numpy.matmul.
 */
static void pad_rank(const struct bp_dnnl_value *value, bool is_first, int rank, dnnl_dim_t *dims)
{
    int own = value->rank == 1 ? 2 : value->rank;

    for (int i = 0; i < rank - own; i++)
        dims[i] = 1;
    if (value->rank > 1) {
        memcpy(dims + rank - own, value->dims, sizeof *dims * (size_t)own);
        return;
    }
    dims[rank - 2] = is_first ? 1 : value->dims[0];
    dims[rank - 1] = is_first ? value->dims[0] : 1;
}

/* A matrix or stack as it lies; if it is transposed, the last two strides are swapped. */
static void describe_stack(int rank, const dnnl_dim_t *dims, bool is_transposed,
                           dnnl_memory_desc_t *out)
{
    dnnl_dims_t used, strides = {0};
    dnnl_dim_t stride = 1;

    bp_dnnl_row_major(rank, dims, out);
    if (!is_transposed)
        return;
    for (int i = rank - 1; i >= 0; i--) {
        used[i] = dims[i];
        strides[i] = stride;
        stride *= dims[i];
    }
    used[rank - 2] = dims[rank - 1];
    used[rank - 1] = dims[rank - 2];
    stride = strides[rank - 1];
    strides[rank - 1] = strides[rank - 2];
    strides[rank - 2] = stride;
    memset(out, 0, sizeof *out);
    bp_dnnl.memory_desc_init_by_strides(out, rank, used, dnnl_f32, strides);
}

/*
 * The matrices of a MatMul or FusedMatMul. By one matrix all rows of a stack are one matrix too:
 * one product instead of many.
 */
static void describe_operands(const struct bp_dnnl_builder *b, struct product *p)
{
    const struct bp_dnnl_value *first = bp_dnnl_in(b, p->node, 0);
    const struct bp_dnnl_value *second = bp_dnnl_in(b, p->node, 1);
    bool is_first = bp_node_int(b->graph, p->node, "transA", 0) != 0 && first->rank > 1;
    bool is_second = bp_node_int(b->graph, p->node, "transB", 0) != 0 && second->rank > 1;
    int rank = first->rank > second->rank ? first->rank : second->rank;
    dnnl_dims_t a, w, y;

    if (rank < 2)
        rank = 2;
    pad_rank(first, true, rank, a);
    pad_rank(second, false, rank, w);
    if (second->rank <= 2 && !is_first) { /* one matrix: all rows of the first are one too */
        a[0] = bp_dims_count(a, (uint32_t)rank - 1);
        a[1] = first->dims[first->rank - 1];
        memmove(w, w + rank - 2, 2 * sizeof *w);
        rank = 2;
    }
    describe_stack(rank, a, is_first, &p->a);
    describe_stack(rank, w, is_second, &p->b);
    for (int i = 0; i < rank - 2; i++)
        y[i] = a[i] > w[i] ? a[i] : w[i];
    y[rank - 2] = p->a.dims[rank - 2];
    y[rank - 1] = p->b.dims[rank - 1];
    bp_dnnl_row_major(rank, y, &p->y);
}

/* The chain's addend is oneDNN's bias. */
static bp_rc build_product(struct bp_dnnl_builder *b, const struct bp_dnnl_chain *chain,
                           bp_err *err)
{
    struct product p = {.node = BP_NODE(b->graph, chain->head),
                        .made = BP_NODE(b->graph, chain->last)->out[0]};
    bp_rc rc = BP_OK;

    describe_operands(b, &p);
    p.attr.scale = bp_node_float(b->graph, p.node, "alpha", 1);
    if (chain->other != BP_NONE) {
        dnnl_dims_t dims = {1, p.y.dims[1]};

        bp_dnnl_row_major(2, dims, &p.bias);
        p.has_bias = true;
        rc = bp_dnnl_row_major_of(b, chain->other, &p.bias, &p.c_tensor, err);
    }
    bp_dnnl_add_chain_activation(&p.attr, chain);
    return rc < 0 ? rc : emit(b, &p, err);
}

/* A chain of the node alone. */
static bp_rc build_matmul(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                          const bp_node *node, bp_err *err)
{
    struct bp_dnnl_chain single = {.head = b->node, .last = b->node, .other = BP_NONE};

    (void)op;
    (void)node;
    return build_product(b, &single, err);
}

/* ---- Gemm ------------------------------------------------------------------------------------ */

/* C may be broadcast in both dimensions. */
static bool claim_gemm(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                       double *flops)
{
    const bp_graph *g = query->graph;
    struct bp_dnnl_attr attr = {0};
    const bp_value *a;

    (void)op;
    if (!bp_dnnl_takes_input(query, 0, 2, 2) || !bp_dnnl_takes_input(query, 1, 2, 2))
        return false;
    if (bp_node_in(g, query->node, 2) && !bp_dnnl_takes_input(query, 2, 0, 2))
        return false;
    if (!bp_dnnl_add_node_activation(g, query->node, &attr))
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "activation",
                              "the activation is not implemented");
    if (query->node->domain[0] != '\0')
        return true; /* a pass made it of nodes of a group */
    a = bp_node_in(g, query->node, 0);
    *flops = 2 * bp_dnnl_elements(bp_node_out(g, query->node, 0)) *
             (double)a->dims[bp_node_int(g, query->node, "transA", 0) ? 0 : 1].value;
    return true;
}

/*
 * alpha * A * B + beta * C. A row C is oneDNN's bias when nothing has to be multiplied; else it is
 * beta * (alpha / beta * A * B + C), with C broadcast as a post-op.
 */
static bp_rc get_c(struct bp_dnnl_builder *b, struct product *p, bp_err *err)
{
    float alpha = bp_node_float(b->graph, p->node, "alpha", 1);
    float beta = bp_node_float(b->graph, p->node, "beta", 1);
    const struct bp_dnnl_value *c = bp_dnnl_in(b, p->node, 2);
    dnnl_dims_t dims;
    bp_rc rc;

    p->attr.scale = alpha;
    if (!c || beta == 0)
        return BP_OK;
    dims[0] = c->rank > 1 ? c->dims[0] : 1;
    dims[1] = c->dims[c->rank - 1];
    bp_dnnl_row_major(2, dims, &p->bias);
    rc = bp_dnnl_row_major_of(b, p->node->in[2], &p->bias, &p->c_tensor, err);
    p->has_bias = alpha == 1 && beta == 1 && dims[0] == 1 && dims[1] == p->y.dims[1];
    p->has_other = !p->has_bias;
    if (p->has_other) {
        p->attr.scale = alpha / beta;
        bp_dnnl_add_post_op(&p->attr, dnnl_binary_add, &p->c_tensor);
        if (beta != 1)
            p->attr.post[p->attr.n_post++] =
                (struct bp_dnnl_post_op){.kind = dnnl_eltwise_linear, .alpha = beta};
    }
    return rc;
}

/* Gemm's own transposition is told to oneDNN by strides: nothing is moved. */
static bp_rc build_gemm(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                        bp_err *err)
{
    struct product p = {.node = node, .made = node->out[0]};
    bp_rc rc;

    (void)op;
    describe_stack(2, bp_dnnl_in(b, node, 0)->dims, bp_node_int(b->graph, node, "transA", 0) != 0,
                   &p.a);
    describe_stack(2, bp_dnnl_in(b, node, 1)->dims, bp_node_int(b->graph, node, "transB", 0) != 0,
                   &p.b);
    bp_dnnl_row_major(2, b->values[node->out[0]].dims, &p.y);
    rc = get_c(b, &p, err);
    if (rc < 0)
        return rc;
    bp_dnnl_add_node_activation(b->graph, node, &p.attr);
    return emit(b, &p, err);
}

const struct bp_dnnl_op bp_dnnl_op_matmul = {
    .name = "MatMul",
    .domain = "",
    .since = 1,
    .until = 13,
    .claim = claim_matmul,
    .build = build_matmul,
    .work = BP_DNNL_PRODUCT,
    .weights = 1,
    .build_chain = build_product,
};

const struct bp_dnnl_op bp_dnnl_op_fused_matmul = {
    .name = "FusedMatMul",
    .domain = "com.microsoft",
    .since = 1,
    .until = 1,
    .claim = claim_matmul,
    .build = build_matmul,
    .work = BP_DNNL_PRODUCT,
    .weights = 1,
    .is_made = true,
};

const struct bp_dnnl_op bp_dnnl_op_gemm = {
    .name = "Gemm",
    .domain = "",
    .since = 7,
    .until = 13,
    .claim = claim_gemm,
    .build = build_gemm,
    .work = BP_DNNL_PRODUCT,
    .weights = 1,
};

const struct bp_dnnl_op bp_dnnl_op_fused_gemm = {
    .name = "FusedGemm",
    .domain = "com.microsoft",
    .since = 1,
    .until = 1,
    .claim = claim_gemm,
    .build = build_gemm,
    .work = BP_DNNL_PRODUCT,
    .weights = 1,
    .is_made = true,
};
