/* SPDX-License-Identifier: MIT */
/*
 * random.c - RandomNormal, RandomUniform and their ...Like, Multinomial, Bernoulli. Shapes alone:
 * what is drawn is up to the provider.
 */

#include "config.h"

#include "graph/rules/rules.h"

#include <inttypes.h>

/* ---- rules ---------------------------------------------------------------------------------- */

/* Attribute dtype where it is given, else `def`; it must be one that the output may have. */
static bp_rc read_dtype(struct bp_infer *infer, uint32_t def, uint32_t *out)
{
    int64_t dtype = bp_ir_attr_int(infer->node, "dtype", def);

    *out = (uint32_t)dtype;
    if (dtype == BP_DTYPE_NONE && !bp_ir_attr(infer->node, "dtype"))
        return BP_OK; /* that of an input of unknown type */
    if (dtype > 0 && dtype < BP_DTYPE_END && (infer->node->schema->out[0].types >> dtype & 1))
        return BP_OK;
    return bp_fail(infer->err, BP_E_INVALID, "dtype is %" PRId64 ", no type of the output", dtype);
}

static bp_rc infer_random(struct bp_infer *infer)
{
    struct bp_list shape;
    uint32_t dtype;
    bp_rc rc = read_dtype(infer, BP_DTYPE_F32, &dtype);

    if (rc >= 0)
        rc = bp_rule_list(infer, "shape", BP_NONE, &shape);
    if (rc >= 0)
        rc = bp_rule_room(infer, shape.n);
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

/* ---- rows ----------------------------------------------------------------------------------- */

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

#define MULTINOMIAL(since, types)                                                                  \
    ROW(Multinomial, since, INFER(infer_multinomial), IN(P("input", 'S', types)),                  \
        OUT(P("output", 'T', INDEX)), ATTRS(A_INT("dtype", 6), A_INT("sample_size", 1), SEED))

MULTINOMIAL(7, FLOAT3);
MULTINOMIAL(22, FLOAT);

#define BERNOULLI(since, types)                                                                    \
    ROW(Bernoulli, since, INFER(infer_random_like), IN(P("input", 'S', types)),                    \
        OUT(P("output", 'T', NUMBER | BP_T(BOOL))), ATTRS(A_INT_OPT("dtype"), SEED))

BERNOULLI(15, FLOAT3);
BERNOULLI(22, FLOAT);
