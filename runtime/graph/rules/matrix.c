/* SPDX-License-Identifier: MIT */
/* matrix.c - MatMul and Gemm. */

#include "config.h"

#include "graph/rules/products.h"

#include <inttypes.h>

/* ---- MatMul --------------------------------------------------------------------------------- */

static bp_rc refuse_inner(struct bp_infer *infer, struct bp_sym a, struct bp_sym b)
{
    return bp_fail(infer->err, BP_E_SHAPE,
                   "A has %" PRId64 " columns and B has %" PRId64 " rows, but they must be equal",
                   a.value, b.value);
}

/* All dimensions but the last two, broadcast. */
static bp_rc batch_dims(struct bp_infer *infer, const struct bp_fact *a, const struct bp_fact *b,
                        uint32_t *rank, struct bp_sym *dims)
{
    struct bp_fact a_batch = *a;
    struct bp_fact b_batch = *b;

    a_batch.rank = a->rank > 2 ? a->rank - 2 : 0;
    b_batch.rank = b->rank > 2 ? b->rank - 2 : 0;
    return bp_infer_broadcast(infer, &a_batch, &b_batch, rank, dims);
}

bp_rc bp_rule_matmul(struct bp_infer *infer)
{
    const struct bp_fact *a = bp_rule_in(infer, 0);
    const struct bp_fact *b = bp_rule_in(infer, 1);
    uint32_t dtype = bp_rule_dtype(infer, 0);
    struct bp_sym dims[BP_MAX_RANK], a_inner, b_inner, common;
    uint32_t rank;
    bp_rc rc = bp_rule_rank(infer, 0, 1, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 1, BP_MAX_RANK);
    if (rc < 0)
        return rc;
    if (dtype == BP_DTYPE_NONE)
        dtype = bp_rule_dtype(infer, 1);
    if (!bp_rule_ranked(a) || !bp_rule_ranked(b))
        return bp_rule_unknown(infer, 0, dtype);

    a_inner = a->dims[a->rank - 1];
    b_inner = b->dims[b->rank > 1 ? b->rank - 2 : 0];
    if (!bp_rule_unify(a_inner, b_inner, &common))
        return refuse_inner(infer, a_inner, b_inner);
    rc = batch_dims(infer, a, b, &rank, dims);
    if (rc < 0)
        return rc;
    /* a vector counts as a matrix whose dimension of 1 goes again */
    if (a->rank > 1)
        dims[rank++] = a->dims[a->rank - 2];
    if (b->rank > 1)
        dims[rank++] = b->dims[b->rank - 1];
    return bp_rule_set(infer, 0, dtype, rank, dims);
}

/* ---- Gemm ----------------------------------------------------------------------------------- */

/* Versions 1 and 6 broadcast C only when told to; later ones do, and only C. */
static bp_rc check_addend(struct bp_infer *infer, const struct bp_sym *dims)
{
    const struct bp_fact *c = bp_rule_in(infer, 2);
    const struct bp_fact result = {.rank = 2, .dims = dims};
    bp_rc rc;

    if (!bp_rule_ranked(c))
        return BP_OK;
    if (!bp_rule_has_attr(infer, "broadcast") || bp_ir_attr_int(infer->node, "broadcast", 0) != 0)
        return bp_rule_fits_onto(infer, &result, c);
    rc = bp_rule_rank(infer, 2, 2, 2);
    for (uint32_t i = 0; i < 2 && rc >= 0; i++)
        rc = bp_rule_expect(infer, 2, i, dims[i], "the product of A and B (without broadcast=1)");
    return rc;
}

static bp_rc infer_gemm(struct bp_infer *infer)
{
    const struct bp_fact *a = bp_rule_in(infer, 0);
    const struct bp_fact *b = bp_rule_in(infer, 1);
    uint32_t a_rows = bp_ir_attr_int(infer->node, "transA", 0) != 0;
    uint32_t b_rows = bp_ir_attr_int(infer->node, "transB", 0) != 0;
    struct bp_sym dims[2], common;
    bp_rc rc = bp_rule_rank(infer, 0, 2, 2);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 2, 2);
    if (rc >= 0)
        rc = bp_rule_rank(infer, 2, 0, 2);
    if (rc >= 0)
        rc = bp_rule_from_data(infer, dims, bp_rule_ranked(a) && bp_rule_ranked(b) ? 0 : 2);
    if (rc < 0)
        return rc;
    if (bp_rule_ranked(a))
        dims[0] = a->dims[a_rows];
    if (bp_rule_ranked(b))
        dims[1] = b->dims[1 - b_rows];
    if (bp_rule_ranked(a) && bp_rule_ranked(b) &&
        !bp_rule_unify(a->dims[1 - a_rows], b->dims[b_rows], &common))
        return refuse_inner(infer, a->dims[1 - a_rows], b->dims[b_rows]);
    rc = check_addend(infer, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 2, dims);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define MATMUL(since, types)                                                                       \
    ROW(MatMul, since, INFER(bp_rule_matmul), IN(P("A", 'T', types), P("B", 'T', types)),          \
        OUT(P("Y", 'T', types)))

MATMUL(1, FLOAT3);
MATMUL(9, WIDE3);
MATMUL(13, WIDE);

#define GEMM(since, types, c, ...)                                                                 \
    ROW(Gemm, since, INFER(infer_gemm), IN(P("A", 'T', types), P("B", 'T', types), c),             \
        OUT(P("Y", 'T', types)),                                                                   \
        ATTRS(A_FLOAT("alpha", 1.0f), A_FLOAT("beta", 1.0f), A_INT("transA", 0),                   \
              A_INT("transB", 0) __VA_ARGS__))

GEMM(1, FLOAT3, P("C", 'T', FLOAT3), , A_INT("broadcast", 0));
GEMM(6, FLOAT3, P("C", 'T', FLOAT3), , A_INT("broadcast", 0));
GEMM(7, FLOAT3, P("C", 'T', FLOAT3), );
GEMM(9, WIDE3, P("C", 'T', WIDE3), );
GEMM(11, WIDE3, OPT("C", 'T', WIDE3), );
GEMM(13, WIDE, OPT("C", 'T', WIDE), );
