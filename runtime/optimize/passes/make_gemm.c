/* SPDX-License-Identifier: MIT */
/*
 * make_gemm.c - MatMul(A, B) -> Add(C) becomes Gemm(A, B, C).
 *
 * Conditions: A and B are float32 or float64 matrices, C broadcasts to the product, Add is the only
 * reader, opset 7 or later. Value kept; a kernel may add C before or after the sum.
 */

#include "config.h"

#include "optimize/passes.h"

static bool is_matrix(const struct bp_rewrite *rw, uint32_t value)
{
    const struct bp_fact *fact = &rw->facts[value];

    return fact->kind == BP_KIND_TENSOR && fact->rank == 2 &&
           (fact->dtype == BP_DTYPE_F32 || fact->dtype == BP_DTYPE_F64);
}

static bp_rc fuse(struct bp_rewrite *rw, uint32_t matmul, uint32_t add, uint32_t c, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, matmul);
    uint32_t in[3] = {node->in[0], node->in[1], c}, opset = node->opset;
    bp_rc rc;

    rc = bp_rw_become(rw, add, matmul, err);
    if (rc >= 0)
        rc = bp_rw_set_op(rw, add, "Gemm", "", opset, err);
    if (rc >= 0)
        rc = bp_rw_set_inputs(rw, add, 3, in, err);
    if (rc >= 0)
        rc = bp_rw_check(rw, add, err);
    rw->n_matches++;
    return rc;
}

/* Does C broadcast to the product, and not the product to C? */
static bool fits(const struct bp_rewrite *rw, uint32_t product, uint32_t c, uint32_t sum)
{
    return rw->facts[c].kind == BP_KIND_TENSOR && rw->facts[c].rank <= 2 &&
           bp_rw_same_shape(rw, product, sum);
}

static bp_rc find(struct bp_rewrite *rw, uint32_t add, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, add);

    for (uint32_t i = 0; i < 2; i++) {
        uint32_t product = node->in[i], matmul = bp_rw_producer(rw, product);
        const struct bp_ir_node *from =
            bp_rw_is(rw, matmul, "MatMul") ? bp_rw_node(rw, matmul) : NULL;

        if (from && !from->domain[0] && from->opset >= 7 && bp_rw_has_op("Gemm", "", from->opset) &&
            bp_rw_only_user(rw, product) == add && is_matrix(rw, from->in[0]) &&
            is_matrix(rw, from->in[1]) && fits(rw, product, node->in[1 - i], node->out[0]))
            return fuse(rw, matmul, add, node->in[1 - i], err);
    }
    return BP_OK;
}

bp_rc bp_pass_make_gemm(struct bp_rewrite *rw, bp_err *err)
{
    bp_rc rc = BP_OK;

    for (uint32_t n = 0; rc >= 0 && n < rw->ir->n_nodes; n++) {
        if (bp_rw_is(rw, n, "Add") && bp_rw_reads(rw, n, "MatMul") &&
            bp_rw_node(rw, n)->schema->since >= 7)
            rc = find(rw, n, err);
    }
    return rc;
}
