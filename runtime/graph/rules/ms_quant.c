/* SPDX-License-Identifier: MIT */
/* ms_quant.c - quantised operators of com.microsoft: those of ONNX between scales and zero points. */

#include "config.h"

#include "graph/rules/ms.h"

#include <inttypes.h>

/* ---- rules ---------------------------------------------------------------------------------- */

static bp_rc scalars(struct bp_infer *infer, uint32_t first, uint32_t last)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = first; i <= last && rc >= 0; i++)
        rc = bp_rule_scalar(infer, i);
    return rc;
}

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
    bp_rc rc = scalars(infer, 1, 2);

    if (rc >= 0)
        rc = scalars(infer, 4, 7);
    return rc < 0 ? rc : shape_as(infer, &bp_schema_Add_14, in, 2);
}

static bp_rc infer_q_unary(struct bp_infer *infer)
{
    bp_rc rc = scalars(infer, 1, 4);

    return rc < 0 ? rc : bp_rule_like_first(infer);
}

static bp_rc infer_q_softmax(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    int64_t opset = bp_ir_attr_int(infer->node, "opset", 13);
    uint32_t axis;
    bp_rc rc = scalars(infer, 1, 4);

    if (rc >= 0 && bp_rule_ranked(x))
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", opset < 13 ? 1 : -1), x->rank,
                           "axis", &axis);
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

static bp_rc infer_q_where(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 1), bp_rule_in(infer, 4)};
    bp_rc rc = scalars(infer, 2, 3);

    if (rc >= 0)
        rc = scalars(infer, 5, 8);
    return rc < 0 ? rc : shape_as(infer, &bp_schema_Where_16, in, 3);
}

/* Input i goes behind the pieces before it. */
static bp_rc join_piece(struct bp_infer *infer, uint32_t i, uint32_t axis, uint32_t rank,
                        struct bp_sym *dims)
{
    const struct bp_fact *piece = bp_rule_in(infer, i);
    bp_rc rc = bp_rule_rank(infer, i, rank, rank);

    for (uint32_t d = 0; d < rank && rc >= 0; d++) {
        if (d == axis)
            rc = bp_rule_calc(infer, dims[d], '+', piece->dims[d], &dims[d]);
        else
            rc = bp_rule_expect(infer, i, d, dims[d], "the first piece");
    }
    return rc;
}

/* Tensors, scales and zero points of the pieces follow each other. */
static bp_rc infer_q_concat(struct bp_infer *infer)
{
    const struct bp_fact *first = bp_rule_in(infer, 2);
    uint32_t n;
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t axis;
    bp_rc rc = BP_OK;

    if (infer->node->n_in < 5 || (infer->node->n_in - 2) % 3 != 0)
        return bp_fail(infer->err, BP_E_INVALID,
                       "there are %u inputs, not 2 and then 3 for each piece", infer->node->n_in);
    n = (infer->node->n_in - 2) / 3;
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        rc = scalars(infer, 3 + 3 * i, 4 + 3 * i);
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
        rc = join_piece(infer, 2 + 3 * i, axis, first->rank, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 1), first->rank, dims);
}

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
    bp_rc rc = scalars(infer, 1, 4);

    return rc < 0 ? rc
                  : infer_q_image(infer, &bp_schema_AveragePool_11, in, 1, bp_rule_dtype(infer, 0));
}

static bp_rc infer_q_global_pool(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0)};
    bp_rc rc = scalars(infer, 1, 4);

    return rc < 0 ? rc
                  : infer_q_image(infer, &bp_schema_GlobalAveragePool_1, in, 1,
                                  bp_rule_dtype(infer, 0));
}

static bp_rc infer_q_conv(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 3), bp_rule_in(infer, 8)};
    bp_rc rc = scalars(infer, 1, 2);

    if (rc >= 0)
        rc = scalars(infer, 6, 7);
    return rc < 0 ? rc : infer_q_image(infer, &bp_schema_Conv_11, in, 3, bp_rule_dtype(infer, 7));
}

static bp_rc infer_q_reduce(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0)};
    bp_rc rc = scalars(infer, 1, 4);

    return rc < 0 ? rc : shape_as(infer, &bp_schema_ReduceMean_13, in, 1);
}

/* Scale and zero point are scalars, or vectors along `axis`. */
static bp_rc check_scale(struct bp_infer *infer)
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

static bp_rc infer_quantize(struct bp_infer *infer)
{
    uint32_t dtype = bp_rule_dtype(infer, 2);
    bp_rc rc = check_scale(infer);

    dtype = dtype == BP_DTYPE_NONE ? (uint32_t)BP_DTYPE_U8 : dtype;
    return rc < 0 ? rc : bp_rule_like(infer, 0, dtype, bp_rule_in(infer, 0));
}

static bp_rc infer_dequantize(struct bp_infer *infer)
{
    bp_rc rc = check_scale(infer);

    return rc < 0 ? rc : bp_rule_like(infer, 0, bp_rule_dtype(infer, 1), bp_rule_in(infer, 0));
}

/* One number a direction, or one for each column of its weights. */
static bp_rc check_lstm_numbers(struct bp_infer *infer, uint32_t i, const struct bp_fact *r)
{
    bp_rc rc = bp_rule_rank(infer, i, 1, 2);

    if (rc < 0 || !bp_rule_ranked(r))
        return rc;
    rc = bp_rule_expect(infer, i, 0, r->dims[0], "direction");
    return rc < 0 ? rc : bp_rule_expect(infer, i, 1, r->dims[2], "the width of R");
}

/* W and R are transposed against ONNX's LSTM: directions x input x 4 * hidden. */
static bp_rc infer_q_lstm(struct bp_infer *infer)
{
    const uint32_t perm[] = {0, 2, 1};
    const struct bp_fact *in[8];
    bp_rc rc = bp_rule_rank(infer, 1, 3, 3);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 2, 3, 3);
    for (uint32_t i = 8; i < 12 && rc >= 0; i++)
        rc = check_lstm_numbers(infer, i, bp_rule_in(infer, 2));
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < 8; i++) {
        in[i] = bp_rule_in(infer, i);
        if ((i == 1 || i == 2) && bp_rule_ranked(in[i])) {
            in[i] = bp_rule_turned(infer, in[i], perm);
            if (!in[i])
                return bp_fail_nomem(infer->err, "a shape");
        }
    }
    return bp_rule_as(infer, &bp_schema_LSTM_7, in, 8);
}

/* ---- rows ----------------------------------------------------------------------------------- */

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
MS_ROW(QLinearGlobalAveragePool, 1, INFER(infer_q_global_pool), Q_IN, YQ,
       ATTRS(A_INT("channels_last", 0)));
MS_ROW(QLinearAveragePool, 1, INFER(infer_q_average_pool), Q_IN, YQ,
       ATTRS(A_STRING("auto_pad", "NOTSET"), A_INT("ceil_mode", 0), A_INT("channels_last", 0),
             A_INT("count_include_pad", 0), A_INTS_REQ("kernel_shape"), A_INTS("pads"),
             A_INTS("strides")));
MS_ROW(QLinearReduceMean, 1, INFER(infer_q_reduce), Q_IN, YQ,
       ATTRS(A_INTS_REQ("axes"), A_INT_REQ("keepdims")));
MS_ROW(QLinearConcat, 1, INFER(infer_q_concat),
       IN(S("Y_scale"), P("Y_zero_point", 'T', BYTE8),
          {"inputs", BYTE8 | BP_T(F32), BP_PARAM_VARIADIC | BP_PARAM_HETEROGENEOUS, 0, 0}),
       YQ, ATTRS(A_INT_REQ("axis")));
MS_ROW(QLinearWhere, 1, INFER(infer_q_where),
       IN(P("condition", 0, BP_T(BOOL)), Q("X"), S("x_scale"), Q("x_zero_point"), Q("Y"),
          S("y_scale"), Q("y_zero_point"), S("z_scale"), Q("z_zero_point")),
       OUT(P("Z", 'T', BYTE8)), NO_ATTRS);
MS_ROW(QLinearConv, 1, INFER(infer_q_conv),
       IN(P("x", '1', BYTE8), S("x_scale"), P("x_zero_point", '1', BYTE8), P("w", '2', BYTE8),
          S("w_scale"), P("w_zero_point", '2', BYTE8), S("y_scale"), P("y_zero_point", '3', BYTE8),
          OPT("B", 0, BP_T(I32))),
       OUT(P("y", '3', BYTE8)),
       ATTRS(A_STRING("auto_pad", "NOTSET"), A_INT("channels_last", 0), A_INTS("dilations"),
             A_INT("group", 1), A_INTS("kernel_shape"), A_INTS("pads"), A_INTS("strides")));

#define SMALL (BYTE8 | BP_T(I16) | BP_T(U16) | BP_T(I4) | BP_T(U4))

MS_ROW(QuantizeLinear, 1, INFER(infer_quantize),
       IN(P("x", 'F', HALF_FLOAT), P("y_scale", 'F', HALF_FLOAT), OPT("y_zero_point", 'T', SMALL)),
       OUT(P("y", 'T', SMALL)), ATTRS(A_INT_OPT("axis")));
MS_ROW(DequantizeLinear, 1, INFER(infer_dequantize),
       IN(P("x", 'T', SMALL | BP_T(I32)), P("x_scale", 'F', HALF_FLOAT),
          OPT("x_zero_point", 'T', SMALL | BP_T(I32))),
       OUT(P("y", 'F', HALF_FLOAT)), ATTRS(A_INT_OPT("axis")));

#define F(name) OPT(name, 'T', BP_T(F32))

MS_ROW(DynamicQuantizeLSTM, 1, INFER(infer_q_lstm),
       IN(P("X", 'T', BP_T(F32)), P("W", 'W', BYTE8), P("R", 'W', BYTE8), F("B"),
          OPT("sequence_lens", 0, BP_T(I32)), F("initial_h"), F("initial_c"), F("P"), S("W_scale"),
          P("W_zero_point", 'W', BYTE8), S("R_scale"), P("R_zero_point", 'W', BYTE8)),
       OUT(F("Y"), F("Y_h"), F("Y_c")),
       ATTRS(A_FLOATS("activation_alpha"), A_FLOATS("activation_beta"), A_STRINGS("activations"),
             A_FLOAT_OPT("clip"), A_STRING("direction", "forward"), A_INT_OPT("hidden_size"),
             A_INT("input_forget", 0)));
