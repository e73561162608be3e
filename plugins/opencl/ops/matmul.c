/* SPDX-License-Identifier: MIT */
/* matmul.c - MatMul, Gemm and what passes of the host make of them. */

#include "ops/gemm.h"

/* ---- MatMul ---------------------------------------------------------------------------------- */

static bool claim_matmul(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 1, BP_OPENCL_MAX_RANK) &&
           bp_opencl_takes(query, 1, op->types, 1, BP_OPENCL_MAX_RANK) &&
           bp_opencl_same_type(query, 1);
}

/* FusedMatMul transposes the last two axes; batches of transposed ones are not implemented. */
static bool claim_fused_matmul(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    if (bp_node_int(query->graph, query->node, "transBatchA", 0) ||
        bp_node_int(query->graph, query->node, "transBatchB", 0))
        return bp_opencl_refuse(query, BP_R_ATTRIBUTE, "transBatchA", "batches are not transposed");
    return bp_opencl_takes(query, 0, op->types, 2, BP_OPENCL_MAX_RANK) &&
           bp_opencl_takes(query, 1, op->types, 2, BP_OPENCL_MAX_RANK) &&
           bp_opencl_same_type(query, 1);
}

/* The tensor as a batch of matrices: its batch dimensions, each of a matrix's size in elements. */
static struct bp_opencl_tensor batch_of(const struct bp_opencl_tensor *x)
{
    struct bp_opencl_tensor batch = *x;

    batch.rank = x->rank > 2 ? x->rank - 2 : 0;
    return batch;
}

static void scale_strides(struct bp_opencl_walk *walk, uint32_t k, int64_t by)
{
    for (int32_t d = 0; d < walk->rank; d++)
        walk->strides[k][d] *= (int32_t)by;
}

/* A vector is one row of A, or one column of B. */
static void build_matmul(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                         const bp_node *node)
{
    const struct bp_opencl_tensor *y = bp_opencl_out(b, node, 0);
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *w = bp_opencl_in(b, node, 1);
    bool trans_a = bp_node_int(b->graph, node, "transA", 0) != 0 && x->rank > 1;
    bool trans_b = bp_node_int(b->graph, node, "transB", 0) != 0 && w->rank > 1;
    int64_t x_rows = x->rank > 1 ? x->dims[x->rank - 2] : 1, x_columns = x->dims[x->rank - 1];
    int64_t w_rows = w->rank > 1 ? w->dims[w->rank - 2] : w->dims[0];
    int64_t w_columns = w->rank > 1 ? w->dims[w->rank - 1] : 1;
    struct bp_opencl_gemm gemm = {.y = y, .a = x, .b = w, .alpha = 1};
    struct bp_opencl_tensor in[] = {batch_of(x), batch_of(w)};
    const struct bp_opencl_tensor *batches[] = {&in[0], &in[1]};
    uint32_t lacks = (x->rank == 1 ? 1u : 0) + (w->rank == 1 ? 1u : 0);
    uint32_t rank = y->rank + lacks - 2;

    (void)op;
    gemm.alpha = bp_node_float(b->graph, node, "alpha", 1);
    gemm.m = trans_a ? x_columns : x_rows;
    gemm.k = trans_a ? x_rows : x_columns;
    gemm.n = trans_b ? w_rows : w_columns;
    gemm.am = trans_a ? 1 : x_columns;
    gemm.ak = trans_a ? x_columns : 1;
    gemm.bk = trans_b ? 1 : w_columns;
    gemm.bn = trans_b ? w_columns : 1;
    gemm.n_batches = y->count / (gemm.m * gemm.n);
    if (!bp_opencl_make_walk(b, rank, y->dims, batches, 2, &gemm.batches))
        return;
    /* one matrix for all rows of A is one large product */
    if (!trans_a && w->count == w_rows * w_columns) {
        gemm.m *= gemm.n_batches;
        gemm.n_batches = 1;
        gemm.batches = (struct bp_opencl_walk){0};
    }
    scale_strides(&gemm.batches, 0, x_rows * x_columns);
    scale_strides(&gemm.batches, 1, w_rows * w_columns);
    bp_opencl_gemm_output(b, &gemm);
}

/* ---- Gemm ------------------------------------------------------------------------------------ */

static bool claim_gemm(const struct bp_opencl_op *op, const struct bp_opencl_query *query)
{
    return bp_opencl_takes(query, 0, op->types, 2, 2) &&
           bp_opencl_takes(query, 1, op->types, 2, 2) &&
           bp_opencl_takes_optional(query, 2, op->types, 0, 2) && bp_opencl_same_type(query, 1) &&
           bp_opencl_same_type(query, 2) && bp_opencl_takes_activation(query);
}

/* C is broadcast to the rows and columns of Y. */
static void set_bias(struct bp_opencl_gemm *gemm, const struct bp_opencl_tensor *c)
{
    int64_t rows = c->rank > 1 ? c->dims[0] : 1, columns = c->rank > 0 ? c->dims[c->rank - 1] : 1;

    gemm->bias = c;
    gemm->cm = rows > 1 ? columns : 0;
    gemm->cn = columns > 1 ? 1 : 0;
}

static void build_gemm(struct bp_opencl_builder *b, const struct bp_opencl_op *op,
                       const bp_node *node)
{
    const struct bp_opencl_tensor *y = bp_opencl_out(b, node, 0), *c = bp_opencl_in(b, node, 2);
    const struct bp_opencl_tensor *x = bp_opencl_in(b, node, 0), *w = bp_opencl_in(b, node, 1);
    bool trans_a = bp_node_int(b->graph, node, "transA", 0) != 0;
    bool trans_b = bp_node_int(b->graph, node, "transB", 0) != 0;
    char activation[512];
    struct bp_opencl_gemm gemm = {.y = y,
                                  .a = x,
                                  .b = w,
                                  .m = y->dims[0],
                                  .n = y->dims[1],
                                  .k = x->dims[trans_a ? 0 : 1],
                                  .n_batches = 1,
                                  .am = trans_a ? 1 : x->dims[1],
                                  .ak = trans_a ? x->dims[1] : 1,
                                  .bk = trans_b ? 1 : w->dims[1],
                                  .bn = trans_b ? w->dims[1] : 1,
                                  .alpha = bp_node_float(b->graph, node, "alpha", 1),
                                  .beta = bp_node_float(b->graph, node, "beta", 1),
                                  .activation = activation};

    (void)op;
    bp_opencl_activation(b->graph, node, activation, sizeof activation);
    if (c)
        set_bias(&gemm, c);
    bp_opencl_gemm_output(b, &gemm);
}

#define ROW(onnx, of, from, claims, builds)                                                        \
    {                                                                                              \
        .name = onnx, .domain = of, .since = from, .until = BP_OPENCL_LATEST, .claim = claims,     \
        .build = builds, .types = BP_OPENCL_FLOATS, .chain = BP_OPENCL_PRODUCT                     \
    }

const struct bp_opencl_op bp_opencl_matmul_ops[] = {
    ROW("FusedGemm", "com.microsoft", 1, claim_gemm, build_gemm),
    ROW("FusedMatMul", "com.microsoft", 1, claim_fused_matmul, build_matmul),
    ROW("Gemm", NULL, 7, claim_gemm, build_gemm),
    ROW("MatMul", NULL, 1, claim_matmul, build_matmul),
    {.name = NULL},
};
