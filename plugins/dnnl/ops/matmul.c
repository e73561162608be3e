/* SPDX-License-Identifier: MIT */
/* matmul.c - MatMul (1, 9, 13), Gemm (7 to 13) and com.microsoft.FusedGemm. */

#include "../post.h"

/* A product in the making, with all matrices seen as of one rank. */
struct product {
    const bp_node *node;
    dnnl_memory_desc_t a, b, y; /* as they lie */
    dnnl_memory_desc_t bias;
    struct bp_dnnl_attr attr;
    struct bp_dnnl_form a_form, b_form, y_form, c_form;
    bool has_bias;  /* C is a row that is added to each */
    bool has_other; /* C is added behind the product; the second of attr's numbers */
};

static bool is_constant(const struct bp_dnnl_build *b, uint32_t value)
{
    return BP_VALUE(b->graph, value)->flags & BP_VALUE_CONSTANT;
}

static bp_rc describe(struct bp_dnnl_build *b, struct product *p, dnnl_primitive_desc_t *out,
                      bp_err *err)
{
    dnnl_memory_desc_t weights = p->b;
    dnnl_matmul_desc_t desc;
    dnnl_status_t status;

    if (is_constant(b, p->node->in[1])) /* oneDNN may pack it, once */
        bp_dnnl_any(p->b.ndims, p->b.dims, &weights);
    status = bp_dnnl.matmul_desc_init(&desc, &p->a, &weights, p->has_bias ? &p->bias : NULL, &p->y);
    if (status != dnnl_success)
        return bp_dnnl_fail(err, status, "%s '%s'", p->node->op, p->node->name);
    return bp_dnnl_describe(b, &desc, &p->attr, out, err);
}

/* The row-major value, seen as md. */
static bp_rc take_as(struct bp_dnnl_build *b, uint32_t value, const dnnl_memory_desc_t *md,
                     struct bp_dnnl_form *out, bp_err *err)
{
    const struct bp_dnnl_value *v = &b->values[value];
    dnnl_memory_desc_t plain;
    bp_rc rc;

    bp_dnnl_plain(v->rank, v->dims, &plain);
    rc = bp_dnnl_form_of(b, value, &plain, out, err);
    out->md = *md;
    return rc;
}

static bp_rc make_result(struct bp_dnnl_build *b, struct product *p, bp_err *err)
{
    const struct bp_dnnl_value *y = &b->values[p->node->out[0]];
    dnnl_memory_desc_t plain;
    bp_rc rc;

    bp_dnnl_plain(y->rank, y->dims, &plain);
    rc = bp_dnnl_make(b, p->node->out[0], &plain, &p->y_form, err);
    p->y_form.md = p->y;
    return rc;
}

static bp_rc emit(struct bp_dnnl_build *b, struct product *p, bp_err *err)
{
    struct bp_dnnl_arg args[4] = {
        {DNNL_ARG_SRC, &p->a_form}, {DNNL_ARG_WEIGHTS, &p->b_form}, {DNNL_ARG_DST, &p->y_form}};
    uint32_t n = 3;
    dnnl_primitive_desc_t pd;
    bp_rc rc = describe(b, p, &pd, err);

    if (rc < 0)
        return rc;
    rc = take_as(b, p->node->in[0], &p->a, &p->a_form, err);
    if (rc >= 0)
        rc = bp_dnnl_weights(b, p->node->in[1], &p->b, bp_dnnl_query(pd, dnnl_query_weights_md),
                             &p->b_form, err);
    if (rc >= 0)
        rc = make_result(b, p, err);
    if (rc < 0) {
        bp_dnnl.primitive_desc_destroy(pd);
        return rc;
    }
    if (p->has_bias)
        args[n++] = (struct bp_dnnl_arg){DNNL_ARG_BIAS, &p->c_form};
    else if (p->has_other)
        args[n++] =
            (struct bp_dnnl_arg){DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1, &p->c_form};
    return bp_dnnl_emit(b, pd, n, args, err);
}

/* ---- MatMul ---------------------------------------------------------------------------------- */

static bool claim_matmul(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                         double *flops)
{
    const bp_value *a;

    (void)op;
    if (!bp_dnnl_takes_input(query, 0, 1, BP_DNNL_MAX_RANK - 1) ||
        !bp_dnnl_takes_input(query, 1, 1, BP_DNNL_MAX_RANK - 1))
        return false;
    a = bp_node_in(query->graph, query->node, 0);
    *flops = 2 * bp_dnnl_elements(bp_node_out(query->graph, query->node, 0)) *
             (double)a->dims[a->rank - 1].value;
    return true;
}

/* Dims of an input as a matrix, or a stack of them, behind ones up to `rank`. */
static void widen(const struct bp_dnnl_value *value, bool is_first, int rank, dnnl_dim_t *dims)
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

static bp_rc build_matmul(struct bp_dnnl_build *b, const struct bp_dnnl_op *op, const bp_node *node,
                          bp_err *err)
{
    const struct bp_dnnl_value *first = bp_dnnl_in(b, node, 0), *second = bp_dnnl_in(b, node, 1);
    int rank = first->rank > second->rank ? first->rank : second->rank;
    struct product p = {.node = node};
    dnnl_dims_t a, w, y;

    (void)op;
    if (rank < 2)
        rank = 2;
    widen(first, true, rank, a);
    widen(second, false, rank, w);
    if (second->rank <= 2) { /* one matrix: all rows of the first are one too */
        a[0] = bp_dims_count(a, (uint32_t)rank - 1);
        a[1] = first->dims[first->rank - 1];
        memmove(w, w + rank - 2, 2 * sizeof *w);
        rank = 2;
    }
    for (int i = 0; i < rank - 2; i++)
        y[i] = a[i] > w[i] ? a[i] : w[i];
    y[rank - 2] = a[rank - 2];
    y[rank - 1] = w[rank - 1];
    bp_dnnl_plain(rank, a, &p.a);
    bp_dnnl_plain(rank, w, &p.b);
    bp_dnnl_plain(rank, y, &p.y);
    return emit(b, &p, err);
}

/* ---- Gemm ------------------------------------------------------------------------------------ */

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
    if (!bp_dnnl_activation_of(g, query->node, &attr))
        return bp_dnnl_refuse(query, BP_R_ATTRIBUTE, "activation",
                              "the activation is not implemented");
    if (query->node->domain[0] != '\0')
        return true; /* made by a pass for whoever takes its parts: never a group of its own */
    a = bp_node_in(g, query->node, 0);
    *flops = 2 * bp_dnnl_elements(bp_node_out(g, query->node, 0)) *
             (double)a->dims[bp_node_int(g, query->node, "transA", 0) ? 0 : 1].value;
    return true;
}

/* A matrix as it lies, its dims as they are used. */
static void see_matrix(const struct bp_dnnl_value *value, bool is_transposed,
                       dnnl_memory_desc_t *out)
{
    dnnl_dims_t dims = {value->dims[1], value->dims[0]}, strides = {1, value->dims[1]};

    if (!is_transposed) {
        bp_dnnl_plain(2, value->dims, out);
        return;
    }
    memset(out, 0, sizeof *out);
    bp_dnnl.memory_desc_init_by_strides(out, 2, dims, dnnl_f32, strides);
}

/*
 * alpha * A * B + beta * C. A row C is oneDNN's bias when there is nothing to multiply; else it is
 * beta * (alpha / beta * A * B + C), with C repeated as needed.
 */
static bp_rc take_c(struct bp_dnnl_build *b, struct product *p, bp_err *err)
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
    bp_dnnl_plain(2, dims, &p->bias);
    rc = take_as(b, p->node->in[2], &p->bias, &p->c_form, err);
    p->has_bias = alpha == 1 && beta == 1 && dims[0] == 1 && dims[1] == p->y.dims[1];
    p->has_other = !p->has_bias;
    if (p->has_other) {
        p->attr.scale = alpha / beta;
        bp_dnnl_then(&p->attr, dnnl_binary_add, &p->c_form);
        if (beta != 1)
            p->attr.post[p->attr.n_post++] =
                (struct bp_dnnl_post){.kind = dnnl_eltwise_linear, .alpha = beta};
    }
    return rc;
}

static bp_rc build_gemm(struct bp_dnnl_build *b, const struct bp_dnnl_op *op, const bp_node *node,
                        bp_err *err)
{
    struct product p = {.node = node};
    bp_rc rc;

    (void)op;
    see_matrix(bp_dnnl_in(b, node, 0), bp_node_int(b->graph, node, "transA", 0) != 0, &p.a);
    see_matrix(bp_dnnl_in(b, node, 1), bp_node_int(b->graph, node, "transB", 0) != 0, &p.b);
    bp_dnnl_plain(2, b->values[node->out[0]].dims, &p.y);
    rc = take_c(b, &p, err);
    if (rc < 0)
        return rc;
    bp_dnnl_activation_of(b->graph, node, &p.attr);
    return emit(b, &p, err);
}

const struct bp_dnnl_op bp_dnnl_op_matmul = {
    .name = "MatMul",
    .domain = "",
    .since = 1,
    .until = 13,
    .claim = claim_matmul,
    .build = build_matmul,
};

const struct bp_dnnl_op bp_dnnl_op_gemm = {
    .name = "Gemm",
    .domain = "",
    .since = 7,
    .until = 13,
    .claim = claim_gemm,
    .build = build_gemm,
};

const struct bp_dnnl_op bp_dnnl_op_fused_gemm = {
    .name = "FusedGemm",
    .domain = "com.microsoft",
    .since = 1,
    .until = 1,
    .claim = claim_gemm,
    .build = build_gemm,
};
