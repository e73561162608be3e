/* SPDX-License-Identifier: MIT */
/* ms_elements.c - activations with a bias, and normalizations of com.microsoft. */

#include "config.h"

#include "graph/rules/ms.h"

#include <inttypes.h>

/* ---- activations ---------------------------------------------------------------------------- */

/* Input 1, where it is there, has one number for each element of the last dimension. */
static bp_rc infer_biased(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym last;
    bp_rc rc = bp_rule_in(infer, 1) ? bp_rule_rank(infer, 0, 1, BP_MAX_RANK) : BP_OK;

    if (rc >= 0 && bp_rule_in(infer, 1) && bp_rule_ranked(x)) {
        rc = bp_rule_dim(infer, x, -1, &last);
        if (rc >= 0)
            rc = bp_rule_vector(infer, 1, last, "the last dimension of the input");
    }
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

static bp_rc infer_bias_split_gelu(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc = infer_biased(infer);

    if (rc < 0 || !bp_rule_ranked(x) || x->rank < 1)
        return rc;
    memcpy(dims, x->dims, x->rank * sizeof *dims);
    if (bp_sym_known(dims[x->rank - 1]) && dims[x->rank - 1].value % 2 != 0)
        return bp_fail(infer->err, BP_E_SHAPE, "X has an odd last dimension, %" PRId64,
                       dims[x->rank - 1].value);
    rc = bp_rule_calc(infer, dims[x->rank - 1], '/', bp_sym_of(2), &dims[x->rank - 1]);
    return rc < 0 ? rc : bp_rule_set(infer, 0, x->dtype, x->rank, dims);
}

static bp_rc infer_bias_add(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bp_rc rc = infer_biased(infer);

    for (uint32_t d = 0; rc >= 0 && bp_rule_ranked(x) && d < x->rank; d++)
        rc = bp_rule_expect(infer, 2, d, x->dims[d], "X");
    return rc;
}

static bp_rc infer_bias_dropout(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bp_rc rc = bp_rule_fits_onto(infer, x, bp_rule_in(infer, 1));

    if (rc >= 0)
        rc = bp_rule_fits_onto(infer, x, bp_rule_in(infer, 2));
    if (rc >= 0)
        rc = bp_rule_scalar(infer, 3);
    if (rc >= 0)
        rc = bp_rule_scalar(infer, 4);
    if (rc >= 0)
        rc = bp_rule_like_first(infer);
    return rc < 0 ? rc : bp_rule_like(infer, 1, BP_DTYPE_BOOL, x);
}

static bp_rc infer_bias_softmax(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    uint32_t axis;
    bp_rc rc = BP_OK;

    if (bp_rule_ranked(x))
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 1), x->rank, "axis", &axis);
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

/* ---- normalizations ------------------------------------------------------------------------- */

/* The outputs mean and inv_std_var: one number a row. */
static bp_rc set_statistics(struct bp_infer *infer, uint32_t first, uint32_t last, uint32_t axis)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    uint32_t dtype = x && x->dtype == BP_DTYPE_F64 ? BP_DTYPE_F64 : BP_DTYPE_F32;
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc = BP_OK;

    for (uint32_t i = first; i <= last && rc >= 0; i++) {
        if (!bp_rule_ranked(x)) {
            rc = bp_rule_unknown(infer, i, dtype);
            continue;
        }
        for (uint32_t d = 0; d < x->rank; d++)
            dims[d] = d < axis ? x->dims[d] : bp_sym_of(1);
        rc = bp_rule_set(infer, i, dtype, x->rank, dims);
    }
    return rc;
}

static bp_rc skip_norm(struct bp_infer *infer, uint32_t last_vector)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bp_rc rc = bp_rule_rank(infer, 0, 1, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_fits_onto(infer, x, bp_rule_in(infer, 1));
    for (uint32_t i = 2; i <= last_vector && rc >= 0 && bp_rule_ranked(x); i++)
        rc = bp_rule_vector(infer, i, x->dims[x->rank - 1], "the last dimension of input");
    if (rc >= 0)
        rc = bp_rule_like_first(infer);
    if (rc >= 0)
        rc = set_statistics(infer, 1, 2, bp_rule_ranked(x) ? x->rank - 1 : 0);
    return rc < 0 ? rc : bp_rule_like(infer, 3, bp_rule_dtype(infer, 0), x);
}

static bp_rc infer_skip_layer_normalization(struct bp_infer *infer)
{
    return skip_norm(infer, 4);
}

static bp_rc infer_skip_simplified(struct bp_infer *infer)
{
    return skip_norm(infer, 3);
}

static bp_rc infer_simplified(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    uint32_t axis = 0, dtype = bp_rule_dtype(infer, 1);
    bp_rc rc = BP_OK;

    if (bp_rule_ranked(x))
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", -1), x->rank, "axis", &axis);
    if (rc >= 0)
        rc = bp_rule_fits_onto(infer, x, bp_rule_in(infer, 1));
    if (rc >= 0)
        rc = bp_rule_like(infer, 0, dtype == BP_DTYPE_NONE ? bp_rule_dtype(infer, 0) : dtype, x);
    return rc < 0 ? rc : set_statistics(infer, 1, 1, axis);
}

/* ids, segment ids, then `tables` and vectors that end in the hidden size. */
static bp_rc embed(struct bp_infer *infer, uint32_t dtype, uint32_t mask)
{
    const struct bp_fact *ids = bp_rule_in(infer, 0), *words = bp_rule_in(infer, 2);
    struct bp_sym dims[3];
    bp_rc rc = bp_rule_rank(infer, 0, 2, 2);

    for (uint32_t i = 2; i <= 4 && rc >= 0; i++)
        rc = bp_rule_rank(infer, i, 2, 2);
    if (rc >= 0)
        rc = bp_rule_from_data(infer, dims, bp_rule_ranked(ids) && bp_rule_ranked(words) ? 0 : 3);
    if (rc < 0)
        return rc;
    if (bp_rule_ranked(ids))
        memcpy(dims, ids->dims, 2 * sizeof *dims);
    if (bp_rule_ranked(words))
        dims[2] = words->dims[1];
    for (uint32_t i = 3; i <= 4 && rc >= 0; i++)
        rc = bp_rule_expect(infer, i, 1, dims[2], "word_embedding");
    for (uint32_t i = 5; i <= 6 && rc >= 0; i++)
        rc = bp_rule_vector(infer, i, dims[2], "word_embedding");
    for (uint32_t d = 0; d < 2 && rc >= 0; d++) {
        rc = bp_rule_expect(infer, 1, d, dims[d], "input_ids");
        if (rc >= 0)
            rc = bp_rule_expect(infer, mask, d, dims[d], "input_ids");
    }
    if (rc >= 0)
        rc = bp_rule_set(infer, 0, dtype, 3, dims);
    if (rc >= 0)
        rc = bp_rule_set(infer, 1, BP_DTYPE_I32, 1, dims);
    return rc < 0 ? rc : bp_rule_set(infer, 2, dtype, 3, dims);
}

static bp_rc infer_embed(struct bp_infer *infer)
{
    return embed(infer, bp_rule_dtype(infer, 2), 7);
}

static bp_rc infer_q_embed(struct bp_infer *infer)
{
    return embed(infer, BP_DTYPE_F32, 7);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define Y OUT(P("Y", 'T', FLOAT))

MS_ROW(Gelu, 1, INFER(bp_rule_like_first), IN(P("X", 'T', FLOAT)), Y, NO_ATTRS);
MS_ROW(FastGelu, 1, INFER(infer_biased), IN(P("X", 'T', FLOAT), OPT("bias", 'T', FLOAT)), Y,
       NO_ATTRS);
MS_ROW(BiasGelu, 1, INFER(infer_biased), IN(P("A", 'T', FLOAT), P("B", 'T', FLOAT)),
       OUT(P("C", 'T', FLOAT)), NO_ATTRS);
MS_ROW(QuickGelu, 1, INFER(bp_rule_like_first), IN(P("X", 'T', FLOAT)), Y,
       ATTRS(A_FLOAT("alpha", 1.702f)));
MS_ROW(BiasSplitGelu, 1, INFER(infer_bias_split_gelu), IN(P("X", 'T', FLOAT), P("bias", 'T', FLOAT)),
       Y, NO_ATTRS);
MS_ROW(BiasAdd, 1, INFER(infer_bias_add),
       IN(P("X", 'T', FLOAT), P("bias", 'T', FLOAT), P("skip", 'T', FLOAT)), Y, NO_ATTRS);
MS_ROW(BiasDropout, 1, INFER(infer_bias_dropout),
       IN(P("data", 'T', FLOAT), P("bias", 'T', FLOAT), OPT("residual", 'T', FLOAT),
          OPT("ratio", 'R', FLOAT), OPT("training_mode", 0, BP_T(BOOL))),
       OUT(P("output", 'T', FLOAT), OPT("mask", 0, BP_T(BOOL))), ATTRS(A_INT_OPT("seed")));
MS_ROW(BiasSoftmax, 1, INFER(infer_bias_softmax), IN(P("data", 'T', FLOAT), P("bias", 'T', FLOAT)),
       OUT(P("output", 'T', FLOAT)), ATTRS(A_INT("axis", 1), A_INT_REQ("is_inner_broadcast")));

#define EPSILON A_FLOAT("epsilon", 1e-12f)
#define STATISTICS                                                                                 \
    OPT("mean", 'U', BP_T(F32) | BP_T(F64)), OPT("inv_std_var", 'U', BP_T(F32) | BP_T(F64))
#define NORM_OUT                                                                                   \
    OUT(P("output", 'T', FLOAT), STATISTICS, OPT("input_skip_bias_sum", 'T', FLOAT))

MS_ROW(SkipLayerNormalization, 1, INFER(infer_skip_layer_normalization),
       IN(P("input", 'T', FLOAT), P("skip", 'T', FLOAT), P("gamma", 'T', FLOAT),
          OPT("beta", 'T', FLOAT), OPT("bias", 'T', FLOAT)),
       NORM_OUT, ATTRS(EPSILON));
MS_ROW(SkipSimplifiedLayerNormalization, 1, INFER(infer_skip_simplified),
       IN(P("input", 'T', FLOAT), P("skip", 'T', FLOAT), P("gamma", 'T', FLOAT),
          OPT("bias", 'T', FLOAT)),
       NORM_OUT, ATTRS(EPSILON));

#define SIMPLIFIED                                                                                 \
    INFER(infer_simplified), IN(P("X", 'T', FLOAT), P("scale", 'V', FLOAT)),                       \
        OUT(P("Y", 'V', FLOAT), OPT("inv_std_var", 'U', BP_T(F32) | BP_T(F64))),                   \
        ATTRS(A_INT("axis", -1), A_FLOAT("epsilon", 1e-5f), A_INT("stash_type", 1)),               \
        .any_attrs = true

/* exporters write it in ONNX's own domain, where ONNX does not have it */
ROW(SimplifiedLayerNormalization, 1, SIMPLIFIED);
MS_ROW(SimplifiedLayerNormalization, 1, SIMPLIFIED);

#define ID(name) P(name, 'I', INDEX)
#define OPT_ID(name) OPT(name, 'I', INDEX)

MS_ROW(EmbedLayerNormalization, 1, INFER(infer_embed),
       IN(ID("input_ids"), OPT_ID("segment_ids"), P("word_embedding", 'T', FLOAT_NO_F64),
          P("position_embedding", 'T', FLOAT_NO_F64), OPT("segment_embedding", 'T', FLOAT_NO_F64),
          P("gamma", 'T', FLOAT_NO_F64), P("beta", 'T', FLOAT_NO_F64), OPT_ID("mask"),
          OPT_ID("position_ids")),
       OUT(P("output", 'T', FLOAT_NO_F64), OPT("mask_index", 0, BP_T(I32)),
           OPT("embedding_sum", 'T', FLOAT_NO_F64)),
       ATTRS(EPSILON, A_INT("mask_index_type", 1)));

#define SCALE(name) P(name, 'T', BP_T(F32))
#define OPT_SCALE(name) OPT(name, 'T', BP_T(F32))

MS_ROW(QEmbedLayerNormalization, 1, INFER(infer_q_embed),
       IN(ID("input_ids"), OPT_ID("segment_ids"), P("word_embedding_quant", 'Q', BYTE8),
          P("position_embedding_quant", 'Q', BYTE8), OPT("segment_embedding", 'Q', BYTE8),
          P("gamma_quant", 'Q', BYTE8), P("beta_quant", 'Q', BYTE8), OPT_ID("mask"),
          SCALE("word_embedding_scale"), SCALE("position_embedding_scale"),
          OPT_SCALE("segment_embedding_scale"), SCALE("gamma_scale"), SCALE("beta_scale"),
          P("word_embedding_zero_point", 'Q', BYTE8),
          P("position_embedding_zero_point", 'Q', BYTE8),
          OPT("segment_embedding_zero_point", 'Q', BYTE8), P("gamma_zero_point", 'Q', BYTE8),
          P("beta_zero_point", 'Q', BYTE8)),
       OUT(P("layernorm_out", 'T', BP_T(F32)), P("mask_index_out", 0, BP_T(I32))),
       ATTRS(EPSILON));
