/* SPDX-License-Identifier: MIT */
/* random.c - random tensors, samples and Dropout. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_RANDOM

/* ---- RandomNormal, RandomUniform ------------------------------------------------------------- */

/*
 * ONNX: RandomNormal 1, 22; RandomUniform 1, 22; RandomNormalLike 1, 22; RandomUniformLike 1,
 *   22.
 * The shape is the attribute shape, or that of the input of a ...Like; the type is the
 * attribute dtype, else float32, or that of the input.
 */

/* Attribute dtype where it is given, else `def`; it must be one that the output may have. */
static bp_rc read_dtype(struct bp_infer *infer, uint32_t def, uint32_t *out)
{
    int64_t dtype = bp_ir_attr_int(infer->node, "dtype", def);

    *out = (uint32_t)dtype;
    if (dtype == BP_DTYPE_NONE && !bp_ir_attr(infer->node, "dtype"))
        return BP_OK; /* that of an input of unknown type */
    if (dtype > 0 && dtype < BP_DTYPE_END && (infer->node->schema->out[0].types >> dtype & 1))
        return BP_OK;
    return bp_fail(infer->err, BP_E_INVALID,
                   "dtype is %" PRId64 ", which is not a type of the output", dtype);
}

static bp_rc infer_random(struct bp_infer *infer)
{
    struct bp_list shape;
    uint32_t dtype;
    bp_rc rc = read_dtype(infer, BP_DTYPE_F32, &dtype);

    if (rc >= 0)
        rc = bp_rule_list(infer, "shape", BP_NONE, &shape);
    if (rc >= 0)
        rc = bp_rule_check_rank(infer, shape.n);
    for (uint32_t i = 0; rc >= 0 && i < shape.n; i++) {
        if (shape.v[i].value < 0)
            rc = bp_fail(infer->err, BP_E_INVALID, "shape has %" PRId64 " at %u, below 0",
                         shape.v[i].value, i);
    }
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, dtype, shape.n, shape.v);
}

static bp_rc infer_random_like(struct bp_infer *infer)
{
    uint32_t dtype;
    bp_rc rc = read_dtype(infer, bp_rule_dtype(infer, 0), &dtype);

    if (rc < 0)
        return rc;
    return bp_rule_like(infer, 0, dtype, bp_rule_in(infer, 0));
}

#define SEED A_FLOAT_OPT("seed")
#define NORMAL A_FLOAT("mean", 0.0f), A_FLOAT("scale", 1.0f), SEED
#define UNIFORM A_FLOAT("high", 1.0f), A_FLOAT("low", 0.0f), SEED

#define RANDOM(op, since, types, ...)                                                              \
    ROW(op, since, INFER(infer_random), OUT(P("output", 'T', types)),                              \
        ATTRS(A_INT("dtype", 1), A_INTS_REQ("shape"), __VA_ARGS__))
#define RANDOM_LIKE(op, since, all, types, ...)                                                    \
    ROW(op, since, INFER(infer_random_like), IN(P("input", 'A', all)),                             \
        OUT(P("output", 'T', types)), ATTRS(A_INT_OPT("dtype"), __VA_ARGS__))

RANDOM(RandomNormal, 1, FLOAT3, NORMAL);
RANDOM(RandomNormal, 22, FLOAT, NORMAL);
RANDOM(RandomUniform, 1, FLOAT3, UNIFORM);
RANDOM(RandomUniform, 22, FLOAT, UNIFORM);
RANDOM_LIKE(RandomNormalLike, 1, ALL3, FLOAT3, NORMAL);
RANDOM_LIKE(RandomNormalLike, 22, ALL4, FLOAT, NORMAL);
RANDOM_LIKE(RandomUniformLike, 1, ALL3, FLOAT3, UNIFORM);
RANDOM_LIKE(RandomUniformLike, 22, ALL4, FLOAT, UNIFORM);

/* ---- Multinomial ----------------------------------------------------------------------------- */

/*
 * ONNX: Multinomial 7, 22.
 * input is (batch, classes), unnormalised log probabilities; the result is (batch,
 * sample_size), of int32 or int64 by dtype.
 */

static bp_rc infer_multinomial(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    int64_t samples = bp_ir_attr_int(infer->node, "sample_size", 1);
    struct bp_sym dims[2];
    uint32_t dtype;
    bp_rc rc = bp_rule_rank(infer, 0, 2, 2);

    if (rc >= 0)
        rc = read_dtype(infer, BP_DTYPE_I32, &dtype);
    if (rc < 0)
        return rc;
    if (samples < 0)
        return bp_fail(infer->err, BP_E_INVALID, "sample_size is %" PRId64 ", below 0", samples);
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, dtype);
    dims[0] = x->dims[0];
    dims[1] = bp_sym_of(samples);
    return bp_rule_set(infer, 0, dtype, 2, dims);
}

#define MULTINOMIAL(since, types)                                                                  \
    ROW(Multinomial, since, INFER(infer_multinomial), IN(P("input", 'S', types)),                  \
        OUT(P("output", 'T', INDEX)), ATTRS(A_INT("dtype", 6), A_INT("sample_size", 1), SEED))

MULTINOMIAL(7, FLOAT3);
MULTINOMIAL(22, FLOAT);

/* ---- Bernoulli ------------------------------------------------------------------------------- */

/*
 * ONNX: Bernoulli 15, 22.
 * The result has the shape of input, whose elements are probabilities, and its type or dtype.
 */

#define BERNOULLI(since, types)                                                                    \
    ROW(Bernoulli, since, INFER(infer_random_like), IN(P("input", 'S', types)),                    \
        OUT(P("output", 'T', NUMBER | BP_T(BOOL))), ATTRS(A_INT_OPT("dtype"), SEED))

BERNOULLI(15, FLOAT3);
BERNOULLI(22, FLOAT);

/* ---- Dropout --------------------------------------------------------------------------------- */

/*
 * ONNX: Dropout 1, 6, 7, 10, 12, 13, 22.
 * com.microsoft: BiasDropout 1.
 * output has the shape and type of data, as has mask, which is bool from version 10 on. ratio
 * is an attribute up to 10 and a scalar input from 12 on, as is training_mode. BiasDropout
 * adds a bias and a residual first, which broadcast to data in that direction alone.
 */

static bp_rc infer_dropout(struct bp_infer *infer)
{
    const struct bp_param *mask = bp_schema_out(infer->node->schema, 1);
    bp_rc rc = BP_OK;

    if (infer->node->n_in > 1) /* ratio and training_mode */
        rc = bp_rule_scalars(infer, 1, infer->node->n_in - 1);
    if (rc >= 0)
        rc = bp_rule_like_first(infer);
    if (rc < 0)
        return rc;
    return bp_rule_like(infer, 1,
                        mask->types == BP_T(BOOL) ? BP_DTYPE_BOOL : bp_rule_dtype(infer, 0),
                        bp_rule_in(infer, 0));
}

/* a hint for in-place execution that version 6 of all operators dropped */
#define OLD A_INTS("consumed_inputs")

/* Dropout's mask was of the data's type before it was boolean. */
#define DROPOUT(since, types, mask_var, mask, attrs)                                               \
    ROW(Dropout, since, INFER(infer_dropout), IN(P("data", 'T', types)),                           \
        OUT(P("output", 'T', types), OPT("mask", mask_var, mask)), attrs)
#define DROPOUT_BY_INPUT(since, types, ratio)                                                      \
    ROW(Dropout, since, INFER(infer_dropout),                                                      \
        IN(P("data", 'T', types), OPT("ratio", '1', ratio),                                        \
           OPT("training_mode", '2', BP_T(BOOL))),                                                 \
        OUT(P("output", 'T', types), OPT("mask", '2', BP_T(BOOL))), ATTRS(A_INT_OPT("seed")))

DROPOUT(1, FLOAT3, 'T', FLOAT3, ATTRS(A_FLOAT("ratio", 0.5f), A_INT("is_test", 0), OLD));
DROPOUT(6, FLOAT3, 'T', FLOAT3, ATTRS(A_FLOAT("ratio", 0.5f), A_INT("is_test", 0)));
DROPOUT(7, FLOAT3, 'T', FLOAT3, ATTRS(A_FLOAT("ratio", 0.5f)));
DROPOUT(10, FLOAT3, '1', BP_T(BOOL), ATTRS(A_FLOAT("ratio", 0.5f)));
DROPOUT_BY_INPUT(12, FLOAT3, FLOAT3);
DROPOUT_BY_INPUT(13, FLOAT, FLOAT3);
DROPOUT_BY_INPUT(22, FLOAT | FLOAT8, FLOAT | FLOAT8);

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

MS_ROW(BiasDropout, 1, INFER(infer_bias_dropout),
       IN(P("data", 'T', FLOAT), P("bias", 'T', FLOAT), OPT("residual", 'T', FLOAT),
          OPT("ratio", 'R', FLOAT), OPT("training_mode", 0, BP_T(BOOL))),
       OUT(P("output", 'T', FLOAT), OPT("mask", 0, BP_T(BOOL))), ATTRS(A_INT_OPT("seed")));
