/* SPDX-License-Identifier: MIT */
/* gemm.c - constant weights of Gemm and of MatMul of matrices; see gemm.h. */

#include "config.h"

#include "optimize/patterns/gemm.h"

#include "optimize/patterns/conv.h"

/* An attribute that is absent or 1. */
static bool is_one(const struct bp_ir_node *node, const char *name)
{
    const bp_attr *attr = bp_ir_attr(node, name);
    float scalar = attr && attr->type == BP_ATTR_FLOAT ? *(const float *)attr->data : 1;

    return scalar >= 1 && scalar <= 1;
}

/*
 * Before opset 7, Gemm broadcasts C only with `broadcast` = 1, so older ones are left alone. beta
 * scales C: it must be 1, as the bias is rewritten.
 */
static bool is_product(const struct bp_rewrite *rw, uint32_t n)
{
    const struct bp_ir_node *node = bp_rw_node(rw, n);

    if (node->domain[0] || node->opset < 7)
        return false;
    return bp_rw_is(rw, n, "Gemm")
               ? is_one(node, "beta")
               : bp_rw_is(rw, n, "MatMul") && bp_rw_has_op("Gemm", "", node->opset);
}

bool bp_gemm_find(struct bp_rewrite *rw, uint32_t value, struct bp_gemm *out)
{
    uint32_t n = bp_rw_producer(rw, value);
    const struct bp_ir_node *node = n == BP_NONE ? NULL : bp_rw_node(rw, n);
    const struct bp_ir_data *w;

    if (!node || bp_rw_only_user(rw, value) == BP_NONE || node->n_in < 2 || !is_product(rw, n) ||
        rw->facts[node->in[0]].rank != 2 || !bp_rw_is_constant(rw, node->in[1]))
        return false;
    w = rw->ir->values[node->in[1]].data;
    if (w->rank != 2 || (w->dtype != BP_DTYPE_F32 && w->dtype != BP_DTYPE_F64) || w->size == 0)
        return false;
    *out = (struct bp_gemm){.node = n, .dtype = w->dtype, .dims = {w->dims[0], w->dims[1]}};
    out->is_transposed = bp_ir_attr_int(node, "transB", 0) != 0;
    out->rows = (uint64_t)w->dims[out->is_transposed ? 1 : 0];
    out->columns = (uint64_t)w->dims[out->is_transposed ? 0 : 1];
    return bp_rw_in(node, 2) == BP_NONE || bp_rw_is_constant(rw, node->in[2]);
}

bool bp_gemm_load(struct bp_rewrite *rw, struct bp_gemm *gemm)
{
    const struct bp_ir_node *node = bp_rw_node(rw, gemm->node);
    uint32_t bias = bp_rw_in(node, 2);
    size_t n;

    gemm->bias = bias == BP_NONE ? bp_region_array(rw->scratch, gemm->columns, sizeof *gemm->bias)
                                 : bp_conv_channels(rw, bias, 2, gemm->columns);
    gemm->weights = gemm->bias ? bp_rw_floats(rw, node->in[1], &n) : NULL;
    return gemm->weights != NULL;
}

/* A column of B, or a row with transB. */
void bp_gemm_scale(struct bp_gemm *gemm, size_t column, double factor, double offset)
{
    size_t first = gemm->is_transposed ? column * gemm->rows : column;
    size_t stride = gemm->is_transposed ? 1 : gemm->columns;

    for (size_t i = 0; i < gemm->rows; i++)
        gemm->weights[first + i * stride] *= factor;
    gemm->bias[column] = gemm->bias[column] * factor + offset;
}

/* A MatMul becomes a Gemm, because it gets a bias now. */
bp_rc bp_gemm_replace(struct bp_rewrite *rw, struct bp_gemm *gemm, uint32_t last, bp_err *err)
{
    const struct bp_ir_node *node = bp_rw_node(rw, gemm->node);
    uint32_t w = node->in[1], bias = bp_rw_in(node, 2), in[3] = {node->in[0]};
    uint32_t opset = node->opset;
    bool is_gemm = bp_rw_is(rw, gemm->node, "Gemm");
    int64_t columns = (int64_t)gemm->columns;
    bp_rc rc = bp_rw_make_floats(rw, w, gemm->dtype, 2, gemm->dims, gemm->weights, &in[1], err);

    if (rc >= 0)
        rc = bp_rw_make_floats(rw, bias == BP_NONE ? w : bias, gemm->dtype, 1, &columns, gemm->bias,
                               &in[2], err);
    if (rc >= 0)
        rc = bp_rw_become(rw, last, gemm->node, err);
    if (rc >= 0 && !is_gemm)
        rc = bp_rw_set_op(rw, last, "Gemm", "", opset, err);
    if (rc >= 0)
        rc = bp_rw_set_inputs(rw, last, 3, in, err);
    if (rc >= 0 && !is_gemm)
        rc = bp_rw_check(rw, last, err);
    rw->n_matches += rc >= 0;
    return rc;
}
