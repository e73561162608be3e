/* SPDX-License-Identifier: MIT */
/* quantized_products.c - products and convolutions of quantised tensors. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <string.h>

#define FAMILY BP_FAMILY_QUANTIZED

/* ---- MatMulInteger, QLinearMatMul ------------------------------------------------------------ */

/*
 * ONNX: MatMulInteger 10; QLinearMatMul 10, 21.
 * The shapes are those of MatMul. A scale or zero point is a scalar, or has an element for
 * each row of A or each column of B. MatMulInteger gives int32, QLinearMatMul the type of
 * y_zero_point.
 */

enum { MAX_OPERANDS = 3 };

/* Runs the rule of another row over the inputs picked; output 0 gets the type given. */
static bp_rc run_inner(struct bp_infer *infer, const struct bp_schema *schema, uint32_t n,
                       const uint32_t *picked, uint32_t dtype)
{
    const struct bp_fact *in[MAX_OPERANDS];
    bp_rc rc;

    for (uint32_t i = 0; i < n; i++)
        in[i] = bp_rule_in(infer, picked[i]);
    rc = bp_rule_as(infer, schema, in, n);
    if (rc >= 0 && bp_rule_wants(infer, 0))
        infer->out[0].dtype = dtype;
    return rc;
}

/* Scales or zero points: one, or one for each row, column or output channel (`whose`). */
static bp_rc check_each(struct bp_infer *infer, uint32_t i, const struct bp_fact *of, uint32_t axis,
                        uint32_t max_rank, const char *whose)
{
    const struct bp_fact *fact = bp_rule_in(infer, i);
    bp_rc rc = bp_rule_rank(infer, i, 0, max_rank);

    if (rc < 0 || !bp_rule_ranked(fact) || fact->rank != 1 || !bp_rule_ranked(of) ||
        (bp_sym_known(fact->dims[0]) && fact->dims[0].value == 1))
        return rc;
    return bp_rule_expect(infer, i, 0, of->dims[axis], whose);
}

/* Inputs a and b with their scales and zero points, n of each, from a_scale and b_scale on. */
static bp_rc check_matrices(struct bp_infer *infer, uint32_t a, uint32_t a_scale, uint32_t b,
                            uint32_t b_scale, uint32_t n)
{
    const struct bp_fact *x = bp_rule_in(infer, a), *y = bp_rule_in(infer, b);
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        if (bp_rule_ranked(x) && x->rank > 1)
            rc = check_each(infer, a_scale + i, x, x->rank - 2, BP_MAX_RANK, "the rows of A");
        if (rc >= 0 && bp_rule_ranked(y) && y->rank > 1)
            rc = check_each(infer, b_scale + i, y, y->rank - 1, BP_MAX_RANK, "the columns of B");
    }
    return rc;
}

static bp_rc infer_matmul_integer(struct bp_infer *infer)
{
    bp_rc rc = check_matrices(infer, 0, 2, 1, 3, 1);

    if (rc < 0)
        return rc;
    return run_inner(infer, &bp_schema_MatMul_13, 2, (const uint32_t[]){0, 1}, BP_DTYPE_I32);
}

static bp_rc infer_qlinear_matmul(struct bp_infer *infer)
{
    bp_rc rc = check_matrices(infer, 0, 1, 3, 4, 2);

    if (rc >= 0)
        rc = run_inner(infer, &bp_schema_MatMul_13, 2, (const uint32_t[]){0, 3},
                       bp_rule_dtype(infer, 7));
    return rc;
}

#define BYTES (BP_T(I8) | BP_T(U8))

ROW(MatMulInteger, 10, INFER(infer_matmul_integer),
    IN(P("A", '1', BYTES), P("B", '2', BYTES), OPT("a_zero_point", '1', BYTES),
       OPT("b_zero_point", '2', BYTES)),
    OUT(P("Y", '3', BP_T(I32))));

#define QLINEAR_MATMUL(since, bytes, var, scales)                                                  \
    ROW(QLinearMatMul, since, INFER(infer_qlinear_matmul),                                         \
        IN(P("a", '1', bytes), P("a_scale", var, scales), P("a_zero_point", '1', bytes),           \
           P("b", '2', bytes), P("b_scale", var, scales), P("b_zero_point", '2', bytes),           \
           P("y_scale", var, scales), P("y_zero_point", '3', bytes)),                              \
        OUT(P("y", '3', bytes)))

QLINEAR_MATMUL(10, BYTES, 0, BP_T(F32));
QLINEAR_MATMUL(21, BYTES | FLOAT8, 'S', BP_T(F32) | BP_T(F16) | BP_T(BF16));

/* ---- ConvInteger, QLinearConv ---------------------------------------------------------------- */

/*
 * ONNX: ConvInteger 10; QLinearConv 10.
 * com.microsoft: QLinearConv 1.
 * The shapes are those of Conv. Scale and zero point of w are scalars, or have an element for
 * each output channel; the others are scalars. ConvInteger gives int32, QLinearConv the type
 * of y_zero_point.
 */

static bp_rc infer_conv_integer(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_scalar(infer, 2);

    if (rc >= 0)
        rc = check_each(infer, 3, bp_rule_in(infer, 1), 0, 1, "the output channels");
    if (rc < 0)
        return rc;
    return run_inner(infer, &bp_schema_Conv_11, 2, (const uint32_t[]){0, 1}, BP_DTYPE_I32);
}

static bp_rc infer_qlinear_conv(struct bp_infer *infer)
{
    static const uint32_t single[] = {1, 2, 6, 7};
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < sizeof single / sizeof *single && rc >= 0; i++)
        rc = bp_rule_scalar(infer, single[i]);
    for (uint32_t i = 4; i < 6 && rc >= 0; i++)
        rc = check_each(infer, i, bp_rule_in(infer, 3), 0, 1, "the output channels");
    if (rc < 0)
        return rc;
    return run_inner(infer, &bp_schema_Conv_11, 3, (const uint32_t[]){0, 3, 8},
                     bp_rule_dtype(infer, 7));
}

#define SCALE(name) P(name, 0, BP_T(F32))
#define WINDOW                                                                                     \
    ATTRS(A_STRING("auto_pad", "NOTSET"), A_INTS("dilations"), A_INT("group", 1),                  \
          A_INTS("kernel_shape"), A_INTS("pads"), A_INTS("strides"))

ROW(ConvInteger, 10, INFER(infer_conv_integer),
    IN(P("x", '1', BYTES), P("w", '2', BYTES), OPT("x_zero_point", '1', BYTES),
       OPT("w_zero_point", '2', BYTES)),
    OUT(P("y", '3', BP_T(I32))), WINDOW);

ROW(QLinearConv, 10, INFER(infer_qlinear_conv),
    IN(P("x", '1', BYTES), SCALE("x_scale"), P("x_zero_point", '1', BYTES), P("w", '2', BYTES),
       SCALE("w_scale"), P("w_zero_point", '2', BYTES), SCALE("y_scale"),
       P("y_zero_point", '3', BYTES), OPT("B", '4', BP_T(I32))),
    OUT(P("y", '3', BYTES)), WINDOW);

static bp_rc infer_q_image(struct bp_infer *infer, const struct bp_schema *schema,
                           const struct bp_fact **in, uint32_t n_in, uint32_t dtype)
{
    bool is_last = bp_ir_attr_int(infer->node, "channels_last", 0) != 0;
    const struct bp_fact *out;
    bp_rc rc = is_last ? bp_rule_move_channels(infer, &in[0], false) : BP_OK;

    if (rc >= 0)
        rc = bp_rule_as(infer, schema, in, n_in);
    if (rc < 0 || !bp_rule_wants(infer, 0))
        return rc;
    infer->out[0].dtype = dtype;
    out = &infer->out[0];
    rc = is_last ? bp_rule_move_channels(infer, &out, true) : BP_OK;
    if (rc >= 0)
        infer->out[0].dims = out->dims;
    return rc;
}

static bp_rc infer_q_conv(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 3), bp_rule_in(infer, 8)};
    bp_rc rc = bp_rule_scalars(infer, 1, 2);

    if (rc >= 0)
        rc = bp_rule_scalars(infer, 6, 7);
    return rc < 0 ? rc : infer_q_image(infer, &bp_schema_Conv_11, in, 3, bp_rule_dtype(infer, 7));
}

#define S(name) P(name, 0, BP_T(F32))

MS_ROW(QLinearConv, 1, INFER(infer_q_conv),
       IN(P("x", '1', BYTE8), S("x_scale"), P("x_zero_point", '1', BYTE8), P("w", '2', BYTE8),
          S("w_scale"), P("w_zero_point", '2', BYTE8), S("y_scale"), P("y_zero_point", '3', BYTE8),
          OPT("B", 0, BP_T(I32))),
       OUT(P("y", '3', BYTE8)),
       ATTRS(A_STRING("auto_pad", "NOTSET"), A_INT("channels_last", 0), A_INTS("dilations"),
             A_INT("group", 1), A_INTS("kernel_shape"), A_INTS("pads"), A_INTS("strides")));

/* ---- QGemm ----------------------------------------------------------------------------------- */

/*
 * com.microsoft: QGemm 1.
 * Gemm of quantised A and B, with C as int32. Y is float32 without y_scale, else it has the
 * type of y_zero_point.
 */

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

#define TRANS A_INT("transA", 0), A_INT("transB", 0)
#define ALPHA A_FLOAT("alpha", 1.0f)

MS_ROW(QGemm, 1, INFER(infer_q_gemm),
       IN(P("A", 'A', BYTE8), P("a_scale", 0, BP_T(F32)), P("a_zero_point", 'A', BYTE8),
          P("B", 'B', BYTE8), P("b_scale", 0, BP_T(F32)), P("b_zero_point", 'B', BYTE8),
          OPT("C", 0, BP_T(I32)), OPT("y_scale", 0, BP_T(F32)), OPT("y_zero_point", 0, BYTE8)),
       OUT(P("Y", 0, BP_T(F32) | BYTE8)), ATTRS(ALPHA, TRANS));

/* ---- products of com.microsoft --------------------------------------------------------------- */

/*
 * com.microsoft: MatMulInteger16 1; DynamicQuantizeMatMul 1; MatMulIntegerToFloat 1.
 * The shapes are those of MatMul. DynamicQuantizeMatMul and MatMulIntegerToFloat give the
 * type of their scales; MatMulInteger16 gives uint32 for two unsigned operands, else int32.
 */

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

/* ---- MatMulNBits ----------------------------------------------------------------------------- */

/*
 * com.microsoft: MatMulNBits 1.
 * A is (..., K), Y (..., N): the sizes of B are the attributes K and N, as its bytes hold
 * several weights each, in blocks of block_size, a power of two from 16 on, with a scale a
 * block. bias has N elements. How B, scales and zero points are packed is checked by the
 * provider.
 */

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

MS_ROW(MatMulNBits, 1, INFER(infer_matmul_n_bits),
       IN(P("A", 'T', FLOAT_NO_F64), P("B", 0, BP_T(U8)), P("scales", 'T', FLOAT_NO_F64),
          OPT("zero_points", 0, BP_T(U8) | FLOAT_NO_F64), OPT("g_idx", 0, BP_T(I32)),
          OPT("bias", 'T', FLOAT_NO_F64)),
       OUT(P("Y", 'T', FLOAT_NO_F64)),
       ATTRS(A_INT_REQ("K"), A_INT_REQ("N"), A_INT("accuracy_level", 0), A_INT("bits", 4),
             A_INT_REQ("block_size"), A_INT("weight_prepacked", 0)));
