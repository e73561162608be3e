/* SPDX-License-Identifier: MIT */
/* matmul.c - matrix products, Einsum, and Det, Inverse and CDist, which are computed as such. */

#include "config.h"

#include "graph/rules/common.h"

#include <bp/einsum.h>
#include <inttypes.h>

#define FAMILY BP_FAMILY_MATMUL

/* ---- MatMul ---------------------------------------------------------------------------------- */

/*
 * ONNX: MatMul 1, 9, 13.
 * com.microsoft: FusedMatMul 1; TransposeMatMul 1; SparseToDenseMatMul 1.
 * As numpy.matmul: of A (..., m, k) and B (..., k, n) the result is (..., m, n), with the
 * dimensions before the last two broadcast in both directions. A vector counts as a matrix of
 * one row (A) or column (B), and that dimension is dropped again.
 * FusedMatMul and TransposeMatMul first exchange the last two dimensions (transA, transB);
 * transBatch moves the first dimension before the last one. SparseToDenseMatMul takes a
 * sparse A of rank 2, whose sizes are known where the model declares them.
 */

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

static bp_rc infer_matmul(struct bp_infer *infer)
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

#define MATMUL(since, types)                                                                       \
    ROW(MatMul, since, INFER(infer_matmul), IN(P("A", 'T', types), P("B", 'T', types)),            \
        OUT(P("Y", 'T', types)))

MATMUL(1, FLOAT3);
MATMUL(9, WIDE3);
MATMUL(13, WIDE);

/* A matrix product's operand as it is after transBatch and trans. */
static bp_rc transpose_operand(struct bp_infer *infer, uint32_t i, const char *trans,
                               const char *batch, const struct bp_fact **out)
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
    *out = bp_rule_transposed(infer, fact, perm);
    return *out ? BP_OK : bp_fail_nomem(infer->err, "a shape");
}

static bp_rc infer_fused_matmul(struct bp_infer *infer)
{
    const struct bp_fact *in[2];
    bp_rc rc = transpose_operand(infer, 0, "transA", "transBatchA", &in[0]);

    if (rc >= 0)
        rc = transpose_operand(infer, 1, "transB", "transBatchB", &in[1]);
    return rc < 0 ? rc : bp_rule_as(infer, &bp_schema_MatMul_13, in, 2);
}

/* Dimension i of a sparse matrix, where the model declares it: others come with the data. */
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
    bool transpose_a = bp_ir_attr_int(infer->node, "transA", 0) != 0;
    bool transpose_b = bp_ir_attr_int(infer->node, "transB", 0) != 0;
    const struct bp_fact *a = bp_fact_innermost(bp_rule_in(infer, 0)), *b = bp_rule_in(infer, 1);
    struct bp_sym dims[2], inner;
    bp_rc rc = bp_rule_rank(infer, 1, 2, 2);

    if (rc >= 0 && bp_rule_ranked(a) && a->rank != 2)
        return bp_fail(infer->err, BP_E_SHAPE, "A has rank %u, but rank 2 is needed", a->rank);
    if (rc >= 0)
        rc = sparse_dim(infer, bp_rule_in(infer, 0), transpose_a, &dims[0]);
    if (rc >= 0)
        rc = sparse_dim(infer, bp_rule_in(infer, 0), !transpose_a, &inner);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 1, transpose_b, inner, "A");
    if (rc >= 0 && bp_rule_ranked(b))
        dims[1] = b->dims[!transpose_b];
    else if (rc >= 0)
        rc = bp_rule_from_data(infer, &dims[1], 1);
    return rc < 0 ? rc : bp_rule_set(infer, 0, bp_rule_dtype(infer, 1), 2, dims);
}

#define TRANS A_INT("transA", 0), A_INT("transB", 0)
#define ALPHA A_FLOAT("alpha", 1.0f)
#define TRANS_BATCH A_INT("transBatchA", 0), A_INT("transBatchB", 0)
#define PRODUCT(op, ...)                                                                           \
    MS_ROW(op, 1, INFER(infer_fused_matmul), IN(P("A", 'T', FLOAT), P("B", 'T', FLOAT)),           \
           OUT(P("Y", 'T', FLOAT)), ATTRS(ALPHA, TRANS __VA_ARGS__))

PRODUCT(FusedMatMul, , TRANS_BATCH);
PRODUCT(TransposeMatMul, );

#define SPARSE_TYPES (BP_T(F32) | BP_T(F64) | BP_T(I32) | BP_T(I64) | BP_T(U32) | BP_T(U64))

MS_ROW(SparseToDenseMatMul, 1, INFER(infer_sparse_matmul),
       IN(P_KINDS("A", 'T', SPARSE_TYPES, K_SPARSE), P("B", 'T', SPARSE_TYPES)),
       OUT(P("Y", 'T', SPARSE_TYPES)),
       ATTRS(A_FLOAT("alpha", 1), A_INT("transA", 0), A_INT("transB", 0)), .is_host_op = true,
       .sizes_from_data = true);

/* ---- Gemm ------------------------------------------------------------------------------------ */

/*
 * ONNX: Gemm 1, 6, 7, 9, 11, 13.
 * com.microsoft: FusedGemm 1.
 * A is (M, K), or (K, M) with transA; B is (K, N), or (N, K) with transB; Y is (M, N). C
 * broadcasts to Y in that direction alone: in versions 1 and 6 only with broadcast=1. It is
 * optional from 11 on. FusedGemm adds an activation.
 */

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

static bp_rc infer_fused_gemm(struct bp_infer *infer)
{
    const struct bp_fact *in[] = {bp_rule_in(infer, 0), bp_rule_in(infer, 1), bp_rule_in(infer, 2)};

    return bp_rule_as(infer, &bp_schema_Gemm_13, in, 3);
}

MS_ROW(FusedGemm, 1, INFER(infer_fused_gemm),
       IN(P("A", 'T', WIDE), P("B", 'T', WIDE), OPT("C", 'T', WIDE)), OUT(P("Y", 'T', WIDE)),
       ATTRS(ALPHA, A_FLOAT("beta", 1.0f), TRANS, A_STRING("activation", ""),
             A_FLOAT_OPT("activation_alpha"), A_FLOAT_OPT("activation_beta"),
             A_FLOAT_OPT("activation_gamma")));

/* ---- Einsum ---------------------------------------------------------------------------------- */

/*
 * ONNX: Einsum 12, 28.
 * equation names the dimensions of each operand with letters, after which "->" and those of
 * the result may come; equal letters have equal sizes, where size 1 broadcasts.
 * bp_einsum_parse() reads it for rules and kernels alike.
 */

/* One size for all dimensions with a label, where 1 is broadcast. */
static bp_rc merge_sizes(struct bp_infer *infer, const bp_einsum_term *term,
                         const struct bp_fact *fact, struct bp_sym *sizes)
{
    for (uint32_t d = 0; d < fact->rank; d++) {
        struct bp_sym *size = &sizes[term->labels[d]];
        struct bp_sym mine = fact->dims[d];

        if (bp_sym_known(mine) && mine.value == 1)
            continue;
        if (bp_sym_known(*size) && size->value == 1) {
            *size = mine;
        } else if (!bp_rule_unify(*size, mine, size)) {
            return bp_fail(infer->err, BP_E_SHAPE,
                           "dimension %u of an operand has size %" PRId64
                           ", but equation makes it that of one with %" PRId64,
                           d, mine.value, size->value);
        }
    }
    return BP_OK;
}

static bp_rc set_result(struct bp_infer *infer, const bp_einsum_term *terms)
{
    const bp_einsum_term *out = &terms[infer->node->n_in];
    struct bp_sym sizes[BP_EINSUM_LABELS], dims[BP_EINSUM_RANK];
    bp_rc rc = bp_rule_check_rank(infer, out->rank);

    for (uint32_t i = 0; i < BP_EINSUM_LABELS; i++)
        sizes[i] = bp_sym_of(1);
    for (uint32_t i = 0; i < infer->node->n_in && rc >= 0; i++)
        rc = merge_sizes(infer, &terms[i], bp_rule_in(infer, i), sizes);
    for (uint32_t i = 0; i < out->rank; i++)
        dims[i] = sizes[out->labels[i]];
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), out->rank, dims);
}

static bp_rc infer_einsum(struct bp_infer *infer)
{
    const bp_attr *equation = bp_ir_attr(infer->node, "equation");
    uint32_t n = infer->node->n_in;
    const bp_span *text;
    const char *wrong;
    bp_einsum_term *terms;
    uint32_t *ranks;

    if (!equation || equation->type != BP_ATTR_STRING || equation->count != 1)
        return bp_fail(infer->err, BP_E_INVALID, "equation is missing");
    text = equation->data;
    terms = bp_region_array(infer->region, (size_t)n + 1, sizeof *terms);
    ranks = bp_region_array(infer->region, (size_t)n + 1, sizeof *ranks);
    if (!terms || !ranks)
        return bp_fail_nomem(infer->err, "the equation");
    for (uint32_t i = 0; i < n; i++) {
        if (!bp_rule_ranked(bp_rule_in(infer, i)))
            return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
        ranks[i] = bp_rule_in(infer, i)->rank;
    }
    wrong = bp_einsum_parse(text->data, text->size, n, ranks, terms);
    if (wrong)
        return bp_fail(infer->err, BP_E_INVALID, "%s", wrong);
    return set_result(infer, terms);
}

#define EINSUM(since, types)                                                                       \
    ROW(Einsum, since, INFER(infer_einsum), IN(MANY("Inputs", 'T', types)),                        \
        OUT(P("Output", 'T', types)), ATTRS(A_STRING_REQ("equation")))

EINSUM(12, NUMBER3);
EINSUM(28, NUMBER);

/* ---- Det, Inverse ---------------------------------------------------------------------------- */

/*
 * ONNX: Det 11, 22.
 * com.microsoft: Inverse 1.
 * X is (..., n, n). Det gives (...), a determinant for each matrix, Inverse the shape of X.
 */

static bp_rc infer_det(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym common;
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(x))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    if (!bp_rule_unify(x->dims[x->rank - 2], x->dims[x->rank - 1], &common))
        return bp_fail(infer->err, BP_E_SHAPE,
                       "a matrix of %" PRId64 " x %" PRId64 " has no determinant",
                       x->dims[x->rank - 2].value, x->dims[x->rank - 1].value);
    return bp_rule_set(infer, 0, x->dtype, x->rank - 2, x->dims);
}

#define DET(since, types)                                                                          \
    ROW(Det, since, INFER(infer_det), IN(P("X", 'T', types)), OUT(P("Y", 'T', types)))

DET(11, FLOAT3);
DET(22, FLOAT);

static bp_rc infer_inverse(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc >= 0 && bp_rule_ranked(x))
        rc = bp_rule_expect(infer, 0, x->rank - 1, x->dims[x->rank - 2], "a square matrix");
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

#define SAME(op, rule, types)                                                                      \
    MS_ROW(op, 1, INFER(rule), IN(P("X", 'T', types)), OUT(P("Y", 'T', types)), NO_ATTRS)

SAME(Inverse, infer_inverse, FLOAT3);

/* ---- CDist ----------------------------------------------------------------------------------- */

/*
 * com.microsoft: CDist 1.
 * A is (m, k), B (n, k); the result is (m, n), a distance for each pair of rows.
 */

static bp_rc infer_cdist(struct bp_infer *infer)
{
    const struct bp_fact *a = bp_rule_in(infer, 0), *b = bp_rule_in(infer, 1);
    struct bp_sym dims[2];
    bp_rc rc = bp_rule_rank(infer, 0, 2, 2);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 2, 2);
    if (rc >= 0)
        rc = bp_rule_dim(infer, a, 0, &dims[0]);
    if (rc >= 0)
        rc = bp_rule_dim(infer, b, 0, &dims[1]);
    if (rc >= 0 && bp_rule_ranked(a))
        rc = bp_rule_expect(infer, 1, 1, a->dims[1], "A");
    return rc < 0 ? rc : bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 2, dims);
}

MS_ROW(CDist, 1, INFER(infer_cdist),
       IN(P("A", 'T', BP_T(F32) | BP_T(F64)), P("B", 'T', BP_T(F32) | BP_T(F64))),
       OUT(P("C", 'T', BP_T(F32) | BP_T(F64))), ATTRS(A_STRING("metric", "sqeuclidean")));
