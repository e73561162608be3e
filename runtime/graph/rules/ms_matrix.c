/* SPDX-License-Identifier: MIT */
/* ms_matrix.c - products and convolutions of com.microsoft: with an activation, or quantised. */

#include "config.h"

#include "graph/rules/ms.h"

#include <inttypes.h>

/* ---- convolutions --------------------------------------------------------------------------- */

/* Z is added to Y and has its shape. */
static bp_rc check_residual(struct bp_infer *infer)
{
    bp_rc rc = BP_OK;

    if (!bp_rule_in(infer, 3) || !bp_rule_wants(infer, 0) || !bp_rule_ranked(&infer->out[0]))
        return BP_OK;
    rc = bp_rule_rank(infer, 3, infer->out[0].rank, infer->out[0].rank);
    for (uint32_t d = 0; d < infer->out[0].rank && rc >= 0; d++)
        rc = bp_rule_expect(infer, 3, d, infer->out[0].dims[d], "the convolution");
    return rc;
}

static bp_rc infer_fused_conv(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 1), bp_rule_in(infer, 2)};
    bp_rc rc = bp_rule_as(infer, &bp_schema_Conv_22, in, 3);

    return rc < 0 ? rc : check_residual(infer);
}

/* The rule of an ONNX operator whose first input and output have their channels at the end. */
static bp_rc channels_last(struct bp_infer *infer, const struct bp_schema *schema, uint32_t n_in)
{
    const struct bp_fact *in[3] = {NULL}, *moved;
    bp_rc rc = bp_rule_rank(infer, 0, 3, BP_MAX_RANK);

    for (uint32_t i = 0; i < n_in; i++)
        in[i] = bp_rule_in(infer, i);
    if (rc >= 0)
        rc = bp_rule_move_channels(infer, &in[0], false);
    if (rc >= 0)
        rc = bp_rule_as(infer, schema, in, n_in);
    if (rc < 0 || !bp_rule_wants(infer, 0) || !bp_rule_ranked(&infer->out[0]))
        return rc;
    moved = &infer->out[0];
    rc = bp_rule_move_channels(infer, &moved, true);
    if (rc >= 0)
        infer->out[0].dims = moved->dims;
    return rc;
}

static bp_rc infer_nhwc_conv(struct bp_infer *infer)
{
    bp_rc rc = channels_last(infer, &bp_schema_Conv_22, 3);

    return rc < 0 ? rc : check_residual(infer);
}

static bp_rc infer_nhwc_max_pool(struct bp_infer *infer)
{
    return channels_last(infer, &bp_schema_MaxPool_12, 1);
}

/* Pads are an input, and decide the size. */
static bp_rc infer_dynamic_pads(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 1), bp_rule_in(infer, 3)};
    const struct bp_fact *pads = bp_rule_in(infer, 2);
    bp_attr *attrs;
    struct bp_ir_node node = *infer->node;
    struct bp_infer inner = *infer;
    int64_t *values;
    uint32_t n = pads ? pads->n_content : 0;

    if (pads && (!pads->content || !bp_content_is_whole(pads)))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    attrs = bp_region_array(infer->region, node.n_attrs + 1, sizeof *attrs);
    values = bp_region_array(infer->region, n + 1, sizeof *values);
    if (!attrs || !values)
        return bp_fail_nomem(infer->err, "pads");
    for (uint32_t i = 0; i < n; i++) {
        if (!bp_sym_known(pads->content[i]))
            return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
        values[i] = pads->content[i].value;
    }
    memcpy(attrs, node.attrs, node.n_attrs * sizeof *attrs);
    attrs[node.n_attrs] = (bp_attr){
        .name = "pads", .type = BP_ATTR_INT, .flags = BP_ATTR_LIST, .count = n, .data = values};
    node.attrs = attrs;
    node.n_attrs += n > 0;
    inner.node = &node;
    return bp_rule_as(&inner, &bp_schema_ConvTranspose_22, in, 3);
}

/* ---- products ------------------------------------------------------------------------------- */

/* A matrix product's operand as it is after transBatch and trans. */
static bp_rc turn_operand(struct bp_infer *infer, uint32_t i, const char *trans, const char *batch,
                          const struct bp_fact **out)
{
    const struct bp_fact *fact = bp_rule_in(infer, i);
    uint32_t perm[BP_MAX_RANK], rank;

    *out = fact;
    if (!bp_rule_ranked(fact) || fact->rank < 2)
        return BP_OK;
    rank = fact->rank;
    for (uint32_t d = 0; d < rank; d++)
        perm[d] = d;
    if (bp_ir_attr_int(infer->node, batch, 0) != 0) {
        for (uint32_t d = 0; d + 2 < rank; d++)
            perm[d] = d + 1;
        perm[rank - 2] = 0;
    }
    if (bp_ir_attr_int(infer->node, trans, 0) != 0) {
        uint32_t last = perm[rank - 1];

        perm[rank - 1] = perm[rank - 2];
        perm[rank - 2] = last;
    }
    *out = bp_rule_turned(infer, fact, perm);
    return *out ? BP_OK : bp_fail_nomem(infer->err, "a shape");
}

static bp_rc infer_fused_matmul(struct bp_infer *infer)
{
    const struct bp_fact *in[2];
    bp_rc rc = turn_operand(infer, 0, "transA", "transBatchA", &in[0]);

    if (rc >= 0)
        rc = turn_operand(infer, 1, "transB", "transBatchB", &in[1]);
    return rc < 0 ? rc : bp_rule_as(infer, &bp_schema_MatMul_13, in, 2);
}

static bp_rc infer_fused_gemm(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 1), bp_rule_in(infer, 2)};

    return bp_rule_as(infer, &bp_schema_Gemm_13, in, 3);
}

/* Y is float where it has no scale. */
static bp_rc infer_q_gemm(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 3), bp_rule_in(infer, 6)};
    uint32_t zero_point = bp_rule_dtype(infer, 8);
    bp_rc rc = bp_rule_as(infer, &bp_schema_Gemm_13, in, 3);

    if (rc >= 0 && bp_rule_wants(infer, 0))
        infer->out[0].dtype = !bp_rule_in(infer, 7)         ? (uint32_t)BP_DTYPE_F32
                              : zero_point == BP_DTYPE_NONE ? bp_rule_dtype(infer, 0)
                                                            : zero_point;
    return rc;
}

static bp_rc product_of_type(struct bp_infer *infer, uint32_t dtype)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 1)};
    bp_rc rc = bp_rule_as(infer, &bp_schema_MatMul_13, in, 2);

    if (rc >= 0 && bp_rule_wants(infer, 0))
        infer->out[0].dtype = dtype;
    return rc;
}

static bp_rc infer_scaled_product(struct bp_infer *infer)
{
    return product_of_type(infer, bp_rule_dtype(infer, 2));
}

static bp_rc infer_product_16(struct bp_infer *infer)
{
    bool is_unsigned =
        bp_rule_dtype(infer, 0) == BP_DTYPE_U16 && bp_rule_dtype(infer, 1) == BP_DTYPE_U16;

    return product_of_type(infer, is_unsigned ? BP_DTYPE_U32 : BP_DTYPE_I32);
}

static bp_rc infer_matmul_n_bits(struct bp_infer *infer)
{
    const struct bp_fact *a = bp_rule_in(infer, 0);
    int64_t k = bp_ir_attr_int(infer->node, "K", 0), n = bp_ir_attr_int(infer->node, "N", 0);
    int64_t block = bp_ir_attr_int(infer->node, "block_size", 0);
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc = bp_rule_rank(infer, 0, 1, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (k < 1 || n < 1 || k > INT32_MAX || n > INT32_MAX)
        return bp_fail(infer->err, BP_E_INVALID, "K is %" PRId64 " and N %" PRId64, k, n);
    if (block < 16 || (block & (block - 1)) != 0 || block > INT32_MAX)
        return bp_fail(infer->err, BP_E_INVALID,
                       "block_size is %" PRId64 ", not a power of two from 16 on", block);
    if (!bp_rule_ranked(a))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    rc = bp_rule_expect(infer, 0, a->rank - 1, bp_sym_of(k), "K");
    if (rc >= 0)
        rc = bp_rule_vector(infer, 5, bp_sym_of(n), "N");
    if (rc < 0)
        return rc;
    memcpy(dims, a->dims, a->rank * sizeof *dims);
    dims[a->rank - 1] = bp_sym_of(n);
    return bp_rule_set(infer, 0, a->dtype, a->rank, dims);
}

/* Dimension i of a sparse matrix, where the model says a number: others come with the data. */
static bp_rc sparse_dim(struct bp_infer *infer, const struct bp_fact *sparse, uint32_t i,
                        struct bp_sym *out)
{
    const struct bp_fact *dense = bp_fact_innermost(sparse);

    if (bp_rule_ranked(dense) && i < dense->rank && bp_sym_known(dense->dims[i])) {
        *out = dense->dims[i];
        return BP_OK;
    }
    return bp_rule_from_data(infer, out, 1);
}

static bp_rc infer_sparse_matmul(struct bp_infer *infer)
{
    bool turn_a = bp_ir_attr_int(infer->node, "transA", 0) != 0;
    bool turn_b = bp_ir_attr_int(infer->node, "transB", 0) != 0;
    const struct bp_fact *a = bp_fact_innermost(bp_rule_in(infer, 0)), *b = bp_rule_in(infer, 1);
    struct bp_sym dims[2], inner;
    bp_rc rc = bp_rule_rank(infer, 1, 2, 2);

    if (rc >= 0 && bp_rule_ranked(a) && a->rank != 2)
        return bp_fail(infer->err, BP_E_SHAPE, "A has rank %u, but rank 2 is needed", a->rank);
    if (rc >= 0)
        rc = sparse_dim(infer, bp_rule_in(infer, 0), turn_a, &dims[0]);
    if (rc >= 0)
        rc = sparse_dim(infer, bp_rule_in(infer, 0), !turn_a, &inner);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 1, turn_b, inner, "A");
    if (rc >= 0 && bp_rule_ranked(b))
        dims[1] = b->dims[!turn_b];
    else if (rc >= 0)
        rc = bp_rule_from_data(infer, &dims[1], 1);
    return rc < 0 ? rc : bp_rule_set(infer, 0, bp_rule_dtype(infer, 1), 2, dims);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define WINDOW                                                                                     \
    A_STRING("auto_pad", "NOTSET"), A_INTS("dilations"), A_INTS("kernel_shape"), A_INTS("strides")
#define CONV WINDOW, A_INTS("pads"), A_INT("group", 1)
#define ACTIVATION A_STRING("activation", ""), A_FLOATS("activation_params")
#define X_W_B P("X", 'T', FLOAT), P("W", 'T', FLOAT), OPT("B", 'T', FLOAT)

MS_ROW(FusedConv, 1, INFER(infer_fused_conv), IN(X_W_B, OPT("Z", 'T', FLOAT)),
       OUT(P("Y", 'T', FLOAT)), ATTRS(CONV, ACTIVATION));
MS_ROW(NhwcConv, 1, INFER(infer_nhwc_conv), IN(X_W_B), OUT(P("Y", 'T', FLOAT)), ATTRS(CONV));
MS_ROW(NhwcFusedConv, 1, INFER(infer_nhwc_conv), IN(X_W_B, OPT("Z", 'T', FLOAT)),
       OUT(P("Y", 'T', FLOAT)), ATTRS(CONV, ACTIVATION));
MS_ROW(NhwcMaxPool, 1, INFER(infer_nhwc_max_pool), IN(P("x", 'T', FLOAT | BYTE8)),
       OUT(P("y", 'T', FLOAT | BYTE8)), ATTRS(WINDOW, A_INTS("pads"), A_INT("ceil_mode", 0)));
MS_ROW(ConvTransposeWithDynamicPads, 1, INFER(infer_dynamic_pads),
       IN(P("X", 'T', FLOAT3), P("W", 'T', FLOAT3), OPT_READ("Pads", 0, BP_T(I64)),
          OPT("B", 'T', FLOAT3)),
       OUT(P("Y", 'T', FLOAT3)), ATTRS(WINDOW, A_INT("group", 1), A_INTS("output_padding")));

#define TRANS A_INT("transA", 0), A_INT("transB", 0)
#define ALPHA A_FLOAT("alpha", 1.0f)
#define TRANS_BATCH A_INT("transBatchA", 0), A_INT("transBatchB", 0)
#define PRODUCT(op, ...)                                                                           \
    MS_ROW(op, 1, INFER(infer_fused_matmul), IN(P("A", 'T', FLOAT), P("B", 'T', FLOAT)),           \
           OUT(P("Y", 'T', FLOAT)), ATTRS(ALPHA, TRANS __VA_ARGS__))

PRODUCT(FusedMatMul, , TRANS_BATCH);
PRODUCT(TransposeMatMul, );
MS_ROW(FusedGemm, 1, INFER(infer_fused_gemm),
       IN(P("A", 'T', WIDE), P("B", 'T', WIDE), OPT("C", 'T', WIDE)), OUT(P("Y", 'T', WIDE)),
       ATTRS(ALPHA, A_FLOAT("beta", 1.0f), TRANS, A_STRING("activation", ""),
             A_FLOAT_OPT("activation_alpha"), A_FLOAT_OPT("activation_beta"),
             A_FLOAT_OPT("activation_gamma")));
MS_ROW(QGemm, 1, INFER(infer_q_gemm),
       IN(P("A", 'A', BYTE8), P("a_scale", 0, BP_T(F32)), P("a_zero_point", 'A', BYTE8),
          P("B", 'B', BYTE8), P("b_scale", 0, BP_T(F32)), P("b_zero_point", 'B', BYTE8),
          OPT("C", 0, BP_T(I32)), OPT("y_scale", 0, BP_T(F32)), OPT("y_zero_point", 0, BYTE8)),
       OUT(P("Y", 0, BP_T(F32) | BYTE8)), ATTRS(ALPHA, TRANS));
MS_ROW(MatMulInteger16, 1, INFER(infer_product_16),
       IN(P("A", 0, BP_T(I16) | BP_T(U16)), P("B", 0, BP_T(I16) | BP_T(U16))),
       OUT(P("Y", 0, BP_T(I32) | BP_T(U32))), NO_ATTRS);
MS_ROW(DynamicQuantizeMatMul, 1, INFER(infer_scaled_product),
       IN(P("A", 'T', BP_T(F32)), P("B", 'B', BYTE8), P("b_scale", 'T', BP_T(F32)),
          OPT("b_zero_point", 'B', BYTE8), OPT("bias", 'T', BP_T(F32))),
       OUT(P("Y", 'T', BP_T(F32))), NO_ATTRS);
MS_ROW(MatMulIntegerToFloat, 1, INFER(infer_scaled_product),
       IN(P("A", 'A', BYTE8), P("B", 'B', BYTE8), P("a_scale", 'T', HALF_FLOAT),
          P("b_scale", 'T', HALF_FLOAT), OPT("a_zero_point", 'A', BYTE8),
          OPT("b_zero_point", 'B', BYTE8), OPT("bias", 'T', HALF_FLOAT)),
       OUT(P("Y", 'T', HALF_FLOAT)), NO_ATTRS);
#define SPARSE_TYPES (BP_T(F32) | BP_T(F64) | BP_T(I32) | BP_T(I64) | BP_T(U32) | BP_T(U64))

MS_ROW(SparseToDenseMatMul, 1, INFER(infer_sparse_matmul),
       IN(P_KINDS("A", 'T', SPARSE_TYPES, K_SPARSE), P("B", 'T', SPARSE_TYPES)),
       OUT(P("Y", 'T', SPARSE_TYPES)),
       ATTRS(A_FLOAT("alpha", 1), A_INT("transA", 0), A_INT("transB", 0)), .is_hosted = true,
       .sizes_from_data = true);
MS_ROW(MatMulNBits, 1, INFER(infer_matmul_n_bits),
       IN(P("A", 'T', FLOAT_NO_F64), P("B", 0, BP_T(U8)), P("scales", 'T', FLOAT_NO_F64),
          OPT("zero_points", 0, BP_T(U8) | FLOAT_NO_F64), OPT("g_idx", 0, BP_T(I32)),
          OPT("bias", 'T', FLOAT_NO_F64)),
       OUT(P("Y", 'T', FLOAT_NO_F64)),
       ATTRS(A_INT_REQ("K"), A_INT_REQ("N"), A_INT("accuracy_level", 0), A_INT("bits", 4),
             A_INT_REQ("block_size"), A_INT("weight_prepacked", 0)));
