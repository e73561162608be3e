/* SPDX-License-Identifier: MIT */
/*
 * quantized.c - QuantizeLinear and its inverse, and operators on quantised tensors other than
 * products.
 */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <string.h>

#define FAMILY BP_FAMILY_QUANTIZED

/* ---- QuantizeLinear -------------------------------------------------------------------------- */

/*
 * ONNX: QuantizeLinear 10, 13, 19, 21, 23, 24, 25, 28.
 * y has the shape of x and the type of y_zero_point, of output_dtype (21), or uint8. y_scale
 * is a scalar; from 13 on it may be a vector along axis; from 21 on it may have the rank of
 * x, with an element for each block of block_size along axis. y_zero_point has the shape of
 * y_scale.
 */

/* May both be the same size? */
static bool may_be(struct bp_sym a, struct bp_sym b)
{
    return !bp_sym_known(a) || !bp_sym_known(b) || a.value == b.value;
}

static bool is_single(const struct bp_fact *fact)
{
    for (uint32_t i = 0; i < fact->rank; i++) {
        if (!bp_sym_known(fact->dims[i]) || fact->dims[i].value != 1)
            return false;
    }
    return true;
}

/* The axis, for a scale that needs one; of a vector there is only one. */
static bp_rc read_axis(struct bp_infer *infer, uint32_t rank, uint32_t *out)
{
    *out = 0;
    if (rank == 1)
        return BP_OK;
    return bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 1), rank, "axis", out);
}

/* A scale of x's rank, with one element for each block along the axis. */
static bp_rc check_blocks(struct bp_infer *infer, const struct bp_fact *x,
                          const struct bp_fact *scale, int64_t block)
{
    uint32_t axis;
    bp_rc rc = read_axis(infer, x->rank, &axis);

    if (rc < 0)
        return rc;
    if (scale->rank != x->rank)
        return bp_fail(infer->err, BP_E_SHAPE, "%s has rank %u, but blocks ask for that of %s, %u",
                       bp_rule_name(infer, 1), scale->rank, bp_rule_name(infer, 0), x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        struct bp_sym want = x->dims[i];

        if (i == axis && bp_sym_known(want))
            want = bp_sym_of(want.value / block + (want.value % block != 0));
        else if (i == axis)
            continue;
        rc = bp_rule_expect(infer, 1, i, want, i == axis ? "the number of blocks" : "the input");
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* One scale, one for each slice along the axis, or with block_size one for each block. */
static bp_rc check_scale(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *scale = bp_rule_in(infer, 1);
    int64_t block = bp_ir_attr_int(infer->node, "block_size", 0);
    uint32_t axis;
    bp_rc rc;

    if (block < 0)
        return bp_fail(infer->err, BP_E_INVALID, "block_size is %" PRId64, block);
    if (!bp_rule_has_attr(infer, "axis"))
        return bp_rule_scalar(infer, 1);
    if (!bp_rule_ranked(x) || !bp_rule_ranked(scale) || is_single(scale))
        return BP_OK;
    if (block > 0)
        return check_blocks(infer, x, scale, block);
    rc = bp_rule_rank(infer, 1, 0, 1);
    if (rc >= 0 && x->rank > 0)
        rc = read_axis(infer, x->rank, &axis);
    if (rc < 0)
        return rc;
    if (x->rank == 0)
        return bp_rule_scalar(infer, 1);
    return bp_rule_expect(infer, 1, 0, x->dims[axis], "the size along axis");
}

static bp_rc check_zero(struct bp_infer *infer)
{
    const struct bp_fact *scale = bp_rule_in(infer, 1), *zero = bp_rule_in(infer, 2);
    bool fits;

    if (!bp_rule_ranked(zero) || !bp_rule_ranked(scale) || (is_single(zero) && is_single(scale)))
        return BP_OK;
    fits = zero->rank == scale->rank;
    for (uint32_t i = 0; fits && i < zero->rank; i++)
        fits = may_be(zero->dims[i], scale->dims[i]);
    if (!fits)
        return bp_fail(infer->err, BP_E_SHAPE, "%s does not have the shape of %s",
                       bp_rule_name(infer, 2), bp_rule_name(infer, 1));
    return BP_OK;
}

/* An element type that an attribute names, one of `allowed`; NONE when it is not there. */
static bp_rc dtype_attr(struct bp_infer *infer, const char *name, uint64_t allowed, uint32_t *out)
{
    int64_t dtype = bp_ir_attr_int(infer->node, name, BP_DTYPE_NONE);

    *out = BP_DTYPE_NONE;
    if (dtype == BP_DTYPE_NONE)
        return BP_OK;
    if (bp_dtype_is_missing(dtype))
        return bp_fail_dtype(infer->err, name, dtype);
    if (dtype < 0 || dtype >= BP_DTYPE_END || !(allowed >> dtype & 1))
        return bp_fail(infer->err, BP_E_INVALID,
                       "attribute %s is %" PRId64
                       ", which is not an element type that is allowed here",
                       name, dtype);
    *out = (uint32_t)dtype;
    return BP_OK;
}

static bp_rc infer_quantize(struct bp_infer *infer)
{
    uint32_t dtype, zero = bp_rule_dtype(infer, 2), precision;
    bool has_zero = bp_rule_in(infer, 2) != NULL;
    bp_rc rc =
        dtype_attr(infer, "output_dtype", bp_schema_out(infer->node->schema, 0)->types, &dtype);

    if (rc >= 0)
        rc = dtype_attr(infer, "precision", FLOAT, &precision);
    if (rc >= 0)
        rc = check_scale(infer);
    if (rc >= 0)
        rc = check_zero(infer);
    if (rc < 0)
        return rc;
    if (has_zero && dtype != BP_DTYPE_NONE && zero != BP_DTYPE_NONE && dtype != zero)
        return bp_fail(infer->err, BP_E_INVALID, "output_dtype is %s, but y_zero_point is %s",
                       bp_dtype_name(dtype), bp_dtype_name(zero));
    if (dtype == BP_DTYPE_NONE)
        dtype = has_zero ? zero : BP_DTYPE_U8;
    return bp_rule_like(infer, 0, dtype, bp_rule_in(infer, 0));
}

#define BYTES (BP_T(I8) | BP_T(U8))
#define BYTES19 (BYTES | FLOAT8)
#define BYTES21 (BYTES19 | BP_T(I16) | BP_T(U16) | BP_T(I4) | BP_T(U4))
#define BYTES23 (BYTES21 | BP_T(F4E2M1))
#define BYTES25 (BYTES23 | BP_T(I2) | BP_T(U2))
#define REAL (BP_T(F32) | BP_T(F16) | BP_T(BF16))
#define REAL_OR_INT (REAL | BP_T(I32))

#define QUANTIZE(since, x_types, scale_var, scale_types, y_types, ...)                             \
    ROW(QuantizeLinear, since, INFER(infer_quantize),                                              \
        IN(P("x", '1', x_types), P("y_scale", scale_var, scale_types),                             \
           OPT("y_zero_point", '3', y_types)),                                                     \
        OUT(P("y", '3', y_types)), __VA_ARGS__)
#define AXIS A_INT("axis", 1)
#define SATURATE A_INT("saturate", 1)
#define BLOCKS A_INT("block_size", 0), A_INT("output_dtype", 0)

QUANTIZE(10, BP_T(F32) | BP_T(I32), 0, BP_T(F32), BYTES, NO_ATTRS);
QUANTIZE(13, BP_T(F32) | BP_T(I32), 0, BP_T(F32), BYTES, ATTRS(AXIS));
QUANTIZE(19, REAL_OR_INT, '1', REAL_OR_INT, BYTES19, ATTRS(AXIS, SATURATE));
QUANTIZE(21, REAL_OR_INT, '1', REAL_OR_INT, BYTES21, ATTRS(AXIS, SATURATE, BLOCKS));
QUANTIZE(23, REAL_OR_INT, '2', REAL_OR_INT, BYTES23,
         ATTRS(AXIS, SATURATE, BLOCKS, A_INT("precision", 0)));
QUANTIZE(24, REAL_OR_INT, '2', REAL_OR_INT | BP_T(F8E8M0), BYTES23,
         ATTRS(AXIS, SATURATE, BLOCKS, A_INT("precision", 0)));
QUANTIZE(25, REAL_OR_INT, '2', REAL_OR_INT | BP_T(F8E8M0), BYTES25,
         ATTRS(AXIS, SATURATE, BLOCKS, A_INT("precision", 0)));
QUANTIZE(28, REAL_OR_INT, '2', REAL_OR_INT | BP_T(F8E8M0), BYTES25,
         ATTRS(AXIS, SATURATE, BLOCKS, A_INT("precision", 0)));

/* ---- DequantizeLinear ------------------------------------------------------------------------ */

/*
 * ONNX: DequantizeLinear 10, 13, 19, 21, 23, 24, 25, 28.
 * y has the shape of x and the type of x_scale, or of output_dtype (23). Scale and zero point
 * are as in QuantizeLinear. Scales of float8e8m0 (24) need output_dtype, as they are not a type
 * of y.
 */

static bp_rc infer_dequantize(struct bp_infer *infer)
{
    uint64_t allowed = bp_schema_out(infer->node->schema, 0)->types;
    uint32_t dtype, scale = bp_rule_dtype(infer, 1);
    bp_rc rc = dtype_attr(infer, "output_dtype", allowed, &dtype);

    if (rc >= 0)
        rc = check_scale(infer);
    if (rc >= 0)
        rc = check_zero(infer);
    if (rc < 0)
        return rc;
    if (dtype == BP_DTYPE_NONE && scale != BP_DTYPE_NONE && !(allowed >> scale & 1))
        return bp_fail(infer->err, BP_E_INVALID, "with scales of %s, output_dtype must be given",
                       bp_dtype_name(scale));
    return bp_rule_like(infer, 0, dtype == BP_DTYPE_NONE ? scale : dtype, bp_rule_in(infer, 0));
}

#define DEQUANTIZE(since, x_types, scale_types, y_var, y_types, ...)                               \
    ROW(DequantizeLinear, since, INFER(infer_dequantize),                                          \
        IN(P("x", '1', x_types), P("x_scale", '2', scale_types),                                   \
           OPT("x_zero_point", '1', x_types)),                                                     \
        OUT(P("y", y_var, y_types)), __VA_ARGS__)

DEQUANTIZE(10, BYTES | BP_T(I32), BP_T(F32), '2', BP_T(F32), NO_ATTRS);
DEQUANTIZE(13, BYTES | BP_T(I32), BP_T(F32), '2', BP_T(F32), ATTRS(AXIS));
DEQUANTIZE(19, BYTES19 | BP_T(I32), REAL, '2', REAL, ATTRS(AXIS));
DEQUANTIZE(21, BYTES21 | BP_T(I32), REAL, '2', REAL, ATTRS(AXIS, A_INT("block_size", 0)));
DEQUANTIZE(23, BYTES23 | BP_T(I32), REAL, '3', REAL, ATTRS(AXIS, BLOCKS));
DEQUANTIZE(24, BYTES23 | BP_T(I32), REAL | BP_T(F8E8M0), '3', REAL, ATTRS(AXIS, BLOCKS));
DEQUANTIZE(25, BYTES25 | BP_T(I32), REAL | BP_T(F8E8M0), '3', REAL, ATTRS(AXIS, BLOCKS));
DEQUANTIZE(28, BYTES25 | BP_T(I32), REAL | BP_T(F8E8M0), '3', REAL, ATTRS(AXIS, BLOCKS));

/* ---- DynamicQuantizeLinear ------------------------------------------------------------------- */

/*
 * ONNX: DynamicQuantizeLinear 11.
 * y is uint8 and has the shape of x; y_scale and y_zero_point, which are computed from its
 * range, are scalars.
 */

static bp_rc infer_dynamic_quantize(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_like(infer, 0, BP_DTYPE_U8, bp_rule_in(infer, 0));

    if (rc >= 0)
        rc = bp_rule_set(infer, 1, BP_DTYPE_F32, 0, NULL);
    if (rc >= 0)
        rc = bp_rule_set(infer, 2, BP_DTYPE_U8, 0, NULL);
    return rc;
}

ROW(DynamicQuantizeLinear, 11, INFER(infer_dynamic_quantize), IN(P("x", '1', BP_T(F32))),
    OUT(P("y", '2', BP_T(U8)), P("y_scale", 0, BP_T(F32)), P("y_zero_point", '2', BP_T(U8))));

/* ---- com.microsoft QuantizeLinear ------------------------------------------------------------ */

/*
 * com.microsoft: QuantizeLinear 1; DequantizeLinear 1.
 * As in ONNX, but with 16-bit types before ONNX had them: the scale is a scalar or a vector
 * along axis, 1 by default.
 */

/* Scale and zero point are bp_rule_scalars, or vectors along `axis`. */
static bp_rc check_ms_scale(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *scale = bp_rule_in(infer, 1);
    uint32_t axis;
    bp_rc rc = bp_rule_rank(infer, 1, 0, 1);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 2, 0, 1);
    if (rc < 0 || !bp_rule_ranked(scale) || scale->rank == 0 || !bp_rule_ranked(x) ||
        (bp_sym_known(scale->dims[0]) && scale->dims[0].value == 1))
        return rc;
    rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 1), x->rank, "axis", &axis);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 1, 0, x->dims[axis], "the axis");
    return rc < 0 ? rc : bp_rule_expect(infer, 2, 0, x->dims[axis], "the axis");
}

static bp_rc infer_ms_quantize(struct bp_infer *infer)
{
    uint32_t dtype = bp_rule_dtype(infer, 2);
    bp_rc rc = check_ms_scale(infer);

    dtype = dtype == BP_DTYPE_NONE ? (uint32_t)BP_DTYPE_U8 : dtype;
    return rc < 0 ? rc : bp_rule_like(infer, 0, dtype, bp_rule_in(infer, 0));
}

static bp_rc infer_ms_dequantize(struct bp_infer *infer)
{
    bp_rc rc = check_ms_scale(infer);

    return rc < 0 ? rc : bp_rule_like(infer, 0, bp_rule_dtype(infer, 1), bp_rule_in(infer, 0));
}

#define SMALL (BYTE8 | BP_T(I16) | BP_T(U16) | BP_T(I4) | BP_T(U4))

MS_ROW(QuantizeLinear, 1, INFER(infer_ms_quantize),
       IN(P("x", 'F', HALF_FLOAT), P("y_scale", 'F', HALF_FLOAT), OPT("y_zero_point", 'T', SMALL)),
       OUT(P("y", 'T', SMALL)), ATTRS(A_INT_OPT("axis")));
MS_ROW(DequantizeLinear, 1, INFER(infer_ms_dequantize),
       IN(P("x", 'T', SMALL | BP_T(I32)), P("x_scale", 'F', HALF_FLOAT),
          OPT("x_zero_point", 'T', SMALL | BP_T(I32))),
       OUT(P("y", 'F', HALF_FLOAT)), ATTRS(A_INT_OPT("axis")));

#define F(name) OPT(name, 'T', BP_T(F32))

/* ---- element by element ---------------------------------------------------------------------- */

/*
 * com.microsoft: QLinearAdd 1; QLinearMul 1; QLinearWhere 1; QLinearLeakyRelu 1;
 *   QLinearSigmoid 1; QLinearSoftmax 1.
 * Each tensor is followed by its scale and zero point, which are scalars. The shape is that
 * of ONNX's operator without quantisation, whose rule is run: Add for QLinearAdd and
 * QLinearMul, Where for QLinearWhere. Others have the shape of X. axis of QLinearSoftmax
 * means what it does in the opset that an attribute names.
 */

/*
 * The shape that operator of ONNX would give. Its elements are computed from the quantised ones as if
 * those had no scales: they are forgotten.
 */
static bp_rc shape_as(struct bp_infer *infer, const struct bp_schema *schema,
                      const struct bp_fact *const *in, uint32_t n_in)
{
    bp_rc rc = bp_rule_as(infer, schema, in, n_in);

    if (rc < 0 || !bp_rule_wants(infer, 0))
        return rc;
    infer->out[0].content = NULL;
    infer->out[0].reals = NULL;
    infer->out[0].n_content = 0;
    return rc;
}

static bp_rc infer_q_binary(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 3)};
    bp_rc rc = bp_rule_scalars(infer, 1, 2);

    if (rc >= 0)
        rc = bp_rule_scalars(infer, 4, 7);
    return rc < 0 ? rc : shape_as(infer, &bp_schema_Add_14, in, 2);
}

static bp_rc infer_q_unary(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_scalars(infer, 1, 4);

    return rc < 0 ? rc : bp_rule_like_first(infer);
}

static bp_rc infer_q_softmax(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    int64_t opset = bp_ir_attr_int(infer->node, "opset", 13);
    uint32_t axis;
    bp_rc rc = bp_rule_scalars(infer, 1, 4);

    if (rc >= 0 && bp_rule_ranked(x))
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", opset < 13 ? 1 : -1), x->rank,
                           "axis", &axis);
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

static bp_rc infer_q_where(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 1), bp_rule_in(infer, 4)};
    bp_rc rc = bp_rule_scalars(infer, 2, 3);

    if (rc >= 0)
        rc = bp_rule_scalars(infer, 5, 8);
    return rc < 0 ? rc : shape_as(infer, &bp_schema_Where_16, in, 3);
}

#define Q(name) P(name, 'T', BYTE8)
#define OPT_Q(name) OPT(name, 'T', BYTE8)
#define S(name) P(name, 0, BP_T(F32))
#define YQ OUT(P("Y", 'T', BYTE8))

#define Q_BINARY(op)                                                                               \
    MS_ROW(op, 1, INFER(infer_q_binary),                                                           \
           IN(Q("A"), S("A_scale"), OPT_Q("A_zero_point"), Q("B"), S("B_scale"),                   \
              OPT_Q("B_zero_point"), S("C_scale"), OPT_Q("C_zero_point")),                         \
           OUT(P("C", 'T', BYTE8)), NO_ATTRS)

Q_BINARY(QLinearAdd);
Q_BINARY(QLinearMul);

#define Q_IN IN(Q("X"), S("X_scale"), OPT_Q("X_zero_point"), S("Y_scale"), OPT_Q("Y_zero_point"))

MS_ROW(QLinearLeakyRelu, 1, INFER(infer_q_unary), Q_IN, YQ, ATTRS(A_FLOAT("alpha", 0.01f)));
MS_ROW(QLinearSigmoid, 1, INFER(infer_q_unary), Q_IN, YQ, NO_ATTRS);
MS_ROW(QLinearSoftmax, 1, INFER(infer_q_softmax), Q_IN, YQ,
       ATTRS(A_INT_OPT("axis"), A_INT_REQ("opset")));

MS_ROW(QLinearWhere, 1, INFER(infer_q_where),
       IN(P("condition", 0, BP_T(BOOL)), Q("X"), S("x_scale"), Q("x_zero_point"), Q("Y"),
          S("y_scale"), Q("y_zero_point"), S("z_scale"), Q("z_zero_point")),
       OUT(P("Z", 'T', BYTE8)), NO_ATTRS);

/* ---- QLinearConcat --------------------------------------------------------------------------- */

/*
 * com.microsoft: QLinearConcat 1.
 * Inputs are scale and zero point of the result, then tensor, scale and zero point for each
 * tensor. The tensors have one rank, and one size in each dimension but axis, along which the
 * result has the sum.
 */

/* Appends input i along the axis. */
static bp_rc concat_input(struct bp_infer *infer, uint32_t i, uint32_t axis, uint32_t rank,
                          struct bp_sym *dims)
{
    const struct bp_fact *input = bp_rule_in(infer, i);
    bp_rc rc = bp_rule_rank(infer, i, rank, rank);

    for (uint32_t d = 0; d < rank && rc >= 0; d++) {
        if (d == axis)
            rc = bp_rule_calc(infer, dims[d], '+', input->dims[d], &dims[d]);
        else
            rc = bp_rule_expect(infer, i, d, dims[d], "the first input");
    }
    return rc;
}

/* Tensors, scales and zero points of the inputs follow each other. */
static bp_rc infer_q_concat(struct bp_infer *infer)
{
    const struct bp_fact *first = bp_rule_in(infer, 2);
    uint32_t n;
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t axis;
    bp_rc rc = BP_OK;

    if (infer->node->n_in < 5 || (infer->node->n_in - 2) % 3 != 0)
        return bp_fail(infer->err, BP_E_INVALID,
                       "there are %u inputs, not 2 and then 3 for each tensor", infer->node->n_in);
    n = (infer->node->n_in - 2) / 3;
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        rc = bp_rule_scalars(infer, 3 + 3 * i, 4 + 3 * i);
        if (!bp_rule_ranked(bp_rule_in(infer, 2 + 3 * i)))
            return rc < 0 ? rc : bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 1));
    }
    if (rc >= 0)
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 0), first->rank, "axis",
                           &axis);
    if (rc < 0)
        return rc;
    memcpy(dims, first->dims, first->rank * sizeof *dims);
    for (uint32_t i = 1; i < n && rc >= 0; i++)
        rc = concat_input(infer, 2 + 3 * i, axis, first->rank, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 1), first->rank, dims);
}

MS_ROW(QLinearConcat, 1, INFER(infer_q_concat),
       IN(S("Y_scale"), P("Y_zero_point", 'T', BYTE8),
          {"inputs", BYTE8 | BP_T(F32), BP_PARAM_VARIADIC | BP_PARAM_HETEROGENEOUS, 0, 0}),
       YQ, ATTRS(A_INT_REQ("axis")));

/* ---- reduction ------------------------------------------------------------------------------- */

/*
 * com.microsoft: QLinearReduceMean 1.
 * The shape is that of ReduceMean-13 with the same axes and keepdims.
 */

static bp_rc infer_q_reduce(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0)};
    bp_rc rc = bp_rule_scalars(infer, 1, 4);

    return rc < 0 ? rc : shape_as(infer, &bp_schema_ReduceMean_13, in, 1);
}

MS_ROW(QLinearReduceMean, 1, INFER(infer_q_reduce), Q_IN, YQ,
       ATTRS(A_INTS_REQ("axes"), A_INT_REQ("keepdims")));

/* ---- pooling --------------------------------------------------------------------------------- */

/*
 * com.microsoft: QLinearAveragePool 1; QLinearGlobalAveragePool 1.
 * The shapes are those of AveragePool, GlobalAveragePool and Conv of ONNX. Under
 * channels_last X and Y have their channels at the end, and W does not.
 */

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

static bp_rc infer_q_average_pool(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0)};
    bp_rc rc = bp_rule_scalars(infer, 1, 4);

    return rc < 0 ? rc
                  : infer_q_image(infer, &bp_schema_AveragePool_11, in, 1, bp_rule_dtype(infer, 0));
}

static bp_rc infer_q_global_pool(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0)};
    bp_rc rc = bp_rule_scalars(infer, 1, 4);

    return rc < 0 ? rc
                  : infer_q_image(infer, &bp_schema_GlobalAveragePool_1, in, 1,
                                  bp_rule_dtype(infer, 0));
}

MS_ROW(QLinearGlobalAveragePool, 1, INFER(infer_q_global_pool), Q_IN, YQ,
       ATTRS(A_INT("channels_last", 0)));
MS_ROW(QLinearAveragePool, 1, INFER(infer_q_average_pool), Q_IN, YQ,
       ATTRS(A_STRING("auto_pad", "NOTSET"), A_INT("ceil_mode", 0), A_INT("channels_last", 0),
             A_INT("count_include_pad", 0), A_INTS_REQ("kernel_shape"), A_INTS("pads"),
             A_INTS("strides")));
