/* SPDX-License-Identifier: MIT */
/* product.c - MatMul (ONNX 1, 9, 13) on BatchMatMul, Gemm (7, 9, 11, 13) on GEMM. */

#include "types.h"

/* The documented profile takes a constant B only. */
static bool takes_second(const struct bp_cann_query *query)
{
    return bp_cann_takes(query, 1, UINT32_MAX) && bp_cann_same_type(query, 0, 1) &&
           (query->instance->profile != BP_CANN_DOCUMENTED || bp_cann_is_constant(query, 1, "B"));
}

/* ---- MatMul ---------------------------------------------------------------------------------- */

static bool claim_matmul(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    (void)op;
    return takes_second(query);
}

/*
 * A vector is a matrix of one row on the left, of one column on the right; the result has that
 * dimension of 1 as well, for ACL.
 */
static void build_matmul(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    struct bp_cann_tensor left = *bp_cann_in(b, 0), right = *bp_cann_in(b, 1),
                          y = *bp_cann_out(b, 0);
    int at = y.rank;

    (void)node;
    if (right.rank == 1) {
        right.rank = 2;
        right.dims[1] = 1;
        y.dims[y.rank++] = 1;
    }
    if (left.rank == 1) {
        left.rank = 2;
        left.dims[1] = left.dims[0];
        left.dims[0] = 1;
        at = y.rank - 1;
        y.dims[y.rank++] = y.dims[at];
        y.dims[at] = 1;
    }
    bp_cann_begin_call(b, op->acl);
    bp_cann_set_bool(b, "adj_x1", false);
    bp_cann_set_bool(b, "adj_x2", false);
    bp_cann_add_input(b, &left, ACL_FORMAT_ND);
    bp_cann_add_input(b, &right, ACL_FORMAT_ND);
    bp_cann_add_output(b, &y, ACL_FORMAT_ND);
}

/* ---- Gemm ------------------------------------------------------------------------------------ */

/* C may be absent, or of any shape that broadcasts. */
static bool claim_gemm(const struct bp_cann_op *op, const struct bp_cann_query *query)
{
    const bp_value *c = bp_node_in(query->graph, query->node, 2);

    (void)op;
    return takes_second(query) &&
           (!c || (bp_cann_takes(query, 2, UINT32_MAX) && bp_cann_same_type(query, 0, 2)));
}

/* Scalar 0 is alpha, 1 is beta; without C there is nothing that beta could scale. */
static float factor(const bp_graph *graph, const bp_node *node, uint32_t i)
{
    if (i == 0)
        return bp_node_float(graph, node, "alpha", 1);
    return bp_node_in(graph, node, 2) ? bp_node_float(graph, node, "beta", 1) : 0;
}

/* GEMM has no optional inputs: an absent C is zeros. */
static struct bp_cann_tensor gemm_c(struct bp_cann_build *b, const struct bp_cann_tensor *y)
{
    const struct bp_cann_tensor *c = bp_cann_in(b, 2);
    struct bp_cann_tensor zeros = *y;

    if (c)
        return bp_cann_broadcast(b, c, y);
    bp_cann_scratch(b, &zeros);
    bp_cann_fill(b, &zeros, 0);
    return zeros;
}

/* alpha and beta are tensors for ACL: the program's scalars. */
static void build_gemm(struct bp_cann_build *b, const struct bp_cann_op *op, const bp_node *node)
{
    const struct bp_cann_tensor *y = bp_cann_out(b, 0);
    struct bp_cann_tensor c = gemm_c(b, y), factors[2];

    bp_cann_begin_call(b, op->acl);
    bp_cann_set_bool(b, "transpose_a", bp_node_int(b->graph, node, "transA", 0) != 0);
    bp_cann_set_bool(b, "transpose_b", bp_node_int(b->graph, node, "transB", 0) != 0);
    bp_cann_add_input(b, bp_cann_in(b, 0), ACL_FORMAT_ND);
    bp_cann_add_input(b, bp_cann_in(b, 1), ACL_FORMAT_ND);
    bp_cann_add_input(b, &c, ACL_FORMAT_ND);
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t offset = b->program->scalars[b->node] + (uint64_t)i * BP_CANN_UNIT;

        factors[i] = (struct bp_cann_tensor){
            .location = {.kind = BP_CANN_CONSTANT, .offset = offset}, .dtype = y->dtype, .rank = 0};
        bp_cann_add_input(b, &factors[i], ACL_FORMAT_ND);
    }
    bp_cann_add_output(b, y, ACL_FORMAT_ND);
}

const struct bp_cann_op bp_cann_op_matmul = {
    .name = "MatMul",
    .acl = "BatchMatMul",
    .documented = {1, LATEST, HALF_FLOAT},
    .kernels = {{1, 8, HALF_FLOAT},
                {9, 12, HALF_FLOAT | I32},
                {13, LATEST, HALF_FLOAT | I32 | BF16}},
    .claim = claim_matmul,
    .build = build_matmul,
};

const struct bp_cann_op bp_cann_op_gemm = {
    .name = "Gemm",
    .acl = "GEMM",
    .documented = {7, LATEST, HALF_FLOAT},
    .kernels = {{7, LATEST, F16}},
    .n_scalars = 2,
    .claim = claim_gemm,
    .build = build_gemm,
    .scalar = factor,
};
