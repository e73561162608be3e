/* SPDX-License-Identifier: MIT */
/*
 * elements.c - further operators on elements: trigonometry, activations, bits, tests for NaN and
 * infinity; and those that know where an element lies: CumSum, CumProd, Trilu, EyeLike, Hardmax.
 */

#include "config.h"

#include "graph/rules/rules.h"

#include <inttypes.h>

/* ---- rules ---------------------------------------------------------------------------------- */

static bp_rc infer_same(struct bp_infer *infer)
{
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), bp_rule_in(infer, 0));
}

static bp_rc infer_test(struct bp_infer *infer)
{
    return bp_rule_like(infer, 0, BP_DTYPE_BOOL, bp_rule_in(infer, 0));
}

/* Attribute `name` must be one of two words. */
static bp_rc check_word(struct bp_infer *infer, const char *name, const char *a, const char *b)
{
    const bp_attr *attr = bp_ir_attr(infer->node, name);
    const bp_span *word;

    if (!attr || attr->type != BP_ATTR_STRING || attr->count != 1)
        return BP_OK;
    word = attr->data;
    if (word->size == strlen(a) && memcmp(word->data, a, word->size) == 0)
        return BP_OK;
    if (word->size == strlen(b) && memcmp(word->data, b, word->size) == 0)
        return BP_OK;
    return bp_fail(infer->err, BP_E_INVALID, "%s is neither %s nor %s", name, a, b);
}

static bp_rc infer_gelu(struct bp_infer *infer)
{
    bp_rc rc = check_word(infer, "approximate", "none", "tanh");

    return rc < 0 ? rc : infer_same(infer);
}

/* The type of the first input whose type is known. */
static uint32_t either_dtype(const struct bp_infer *infer)
{
    uint32_t dtype = bp_rule_dtype(infer, 0);

    return dtype != BP_DTYPE_NONE ? dtype : bp_rule_dtype(infer, 1);
}

static bp_rc infer_bits(struct bp_infer *infer)
{
    const struct bp_fact *a = bp_rule_in(infer, 0), *b = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t rank;
    bp_rc rc;

    if (!bp_rule_ranked(a) || !bp_rule_ranked(b))
        return bp_rule_unknown(infer, 0, either_dtype(infer));
    rc = bp_infer_broadcast(infer, a, b, &rank, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, either_dtype(infer), rank, dims);
}

static bp_rc infer_shift(struct bp_infer *infer)
{
    bp_rc rc = check_word(infer, "direction", "LEFT", "RIGHT");

    return rc < 0 ? rc : infer_bits(infer);
}

/* Two inputs of one shape, without broadcasting. */
static bp_rc infer_swiglu(struct bp_infer *infer)
{
    const struct bp_fact *a = bp_rule_in(infer, 0), *b = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];

    if (!bp_rule_ranked(a) || !bp_rule_ranked(b))
        return bp_rule_like(infer, 0, either_dtype(infer), bp_rule_ranked(a) ? a : b);
    if (a->rank != b->rank)
        return bp_fail(infer->err, BP_E_SHAPE, "A has rank %u and B has rank %u, but both must "
                       "have one shape", a->rank, b->rank);
    for (uint32_t i = 0; i < a->rank; i++) {
        if (!bp_rule_unify(a->dims[i], b->dims[i], &dims[i]))
            return bp_fail(infer->err, BP_E_SHAPE,
                           "at dimension %u A has %" PRId64 " and B has %" PRId64
                           ", but both must have one shape",
                           i, a->dims[i].value, b->dims[i].value);
    }
    return bp_rule_set(infer, 0, either_dtype(infer), a->rank, dims);
}

/* An axis of input 0 that is an input; checked where its value is known. */
static bp_rc infer_cumulative(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *given = bp_rule_in(infer, 1);
    uint32_t axis;
    bp_rc rc = bp_rule_scalar(infer, 1);

    if (rc >= 0 && bp_rule_ranked(x) && given && given->content && given->n_content == 1 &&
        bp_sym_known(given->content[0]))
        rc = bp_infer_axis(infer, given->content[0].value, x->rank, "axis", &axis);
    return rc < 0 ? rc : infer_same(infer);
}

static bp_rc infer_trilu(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_scalar(infer, 1);
    return rc < 0 ? rc : infer_same(infer);
}

static bp_rc infer_eye_like(struct bp_infer *infer)
{
    int64_t dtype = bp_ir_attr_int(infer->node, "dtype", bp_rule_dtype(infer, 0));
    bp_rc rc = bp_rule_rank(infer, 0, 2, 2);

    if (rc < 0)
        return rc;
    if (dtype < 0 || dtype >= BP_DTYPE_END)
        return bp_fail(infer->err, BP_E_INVALID, "dtype %" PRId64 " is no element type", dtype);
    return bp_rule_like(infer, 0, (uint32_t)dtype, bp_rule_in(infer, 0));
}

/* Before version 13 axis may also lie behind the last dimension: an axis of one element. */
static bp_rc infer_hardmax(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bool is_old = infer->node->schema->since < 13;
    int64_t axis = bp_ir_attr_int(infer->node, "axis", is_old ? 1 : -1);
    uint32_t found;
    bp_rc rc = BP_OK;

    if (bp_rule_ranked(x) && x->rank > 0 && !(is_old && axis == (int64_t)x->rank))
        rc = bp_infer_axis(infer, axis, x->rank, "axis", &found);
    return rc < 0 ? rc : infer_same(infer);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define SAME(op, since, x, y, types, attrs)                                                        \
    ROW(op, since, INFER(infer_same), IN(P(x, 'T', types)), OUT(P(y, 'T', types)), attrs)

SAME(Acos, 7, "input", "output", FLOAT3, NO_ATTRS);
SAME(Acos, 22, "input", "output", FLOAT, NO_ATTRS);
SAME(Acosh, 9, "input", "output", FLOAT3, NO_ATTRS);
SAME(Acosh, 22, "input", "output", FLOAT, NO_ATTRS);
SAME(Asin, 7, "input", "output", FLOAT3, NO_ATTRS);
SAME(Asin, 22, "input", "output", FLOAT, NO_ATTRS);
SAME(Asinh, 9, "input", "output", FLOAT3, NO_ATTRS);
SAME(Asinh, 22, "input", "output", FLOAT, NO_ATTRS);
SAME(Atan, 7, "input", "output", FLOAT3, NO_ATTRS);
SAME(Atan, 22, "input", "output", FLOAT, NO_ATTRS);
SAME(Atanh, 9, "input", "output", FLOAT3, NO_ATTRS);
SAME(Atanh, 22, "input", "output", FLOAT, NO_ATTRS);
SAME(Cosh, 9, "input", "output", FLOAT3, NO_ATTRS);
SAME(Cosh, 22, "input", "output", FLOAT, NO_ATTRS);
SAME(Sinh, 9, "input", "output", FLOAT3, NO_ATTRS);
SAME(Sinh, 22, "input", "output", FLOAT, NO_ATTRS);
SAME(Tan, 7, "input", "output", FLOAT3, NO_ATTRS);
SAME(Tan, 22, "input", "output", FLOAT, NO_ATTRS);

SAME(Celu, 12, "X", "Y", BP_T(F32), ATTRS(A_FLOAT("alpha", 1.0f)));
SAME(Celu, 28, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 1.0f)));
SAME(HardSwish, 14, "X", "Y", FLOAT3, NO_ATTRS);
SAME(HardSwish, 22, "X", "Y", FLOAT, NO_ATTRS);
SAME(Mish, 18, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Mish, 22, "X", "Y", FLOAT, NO_ATTRS);
SAME(Shrink, 9, "input", "output", NUMBER3, ATTRS(A_FLOAT("bias", 0.0f), A_FLOAT("lambd", 0.5f)));
SAME(Swish, 24, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 1.0f)));
SAME(ThresholdedRelu, 10, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 1.0f)));
SAME(ThresholdedRelu, 22, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 1.0f)));

ROW(Gelu, 20, INFER(infer_gelu), IN(P("X", 'T', FLOAT)), OUT(P("Y", 'T', FLOAT)),
    ATTRS(A_STRING("approximate", "none")));
ROW(SwiGLU, 28, INFER(infer_swiglu), IN(P("A", 'T', FLOAT), P("B", 'T', FLOAT)),
    OUT(P("Y", 'T', FLOAT)), ATTRS(A_FLOAT("alpha", 1.0f)));

#define TEST(op, since, types, attrs)                                                              \
    ROW(op, since, INFER(infer_test), IN(P("X", '1', types)), OUT(P("Y", '2', BP_T(BOOL))), attrs)
#define SIGNS ATTRS(A_INT("detect_negative", 1), A_INT("detect_positive", 1))

TEST(IsInf, 10, BP_T(F32) | BP_T(F64), SIGNS);
TEST(IsInf, 20, FLOAT | FLOAT8, SIGNS);
TEST(IsNaN, 9, FLOAT3, NO_ATTRS);
TEST(IsNaN, 13, FLOAT, NO_ATTRS);
TEST(IsNaN, 20, FLOAT | FLOAT8, NO_ATTRS);

#define BITWISE(op)                                                                                \
    ROW(op, 18, INFER(infer_bits), IN(P("A", 'T', INTEGER), P("B", 'T', INTEGER)),                 \
        OUT(P("C", 'T', INTEGER)))
#define INTEGER (BP_T_INT | BP_T_UINT)

BITWISE(BitwiseAnd);
BITWISE(BitwiseOr);
BITWISE(BitwiseXor);
SAME(BitwiseNot, 18, "X", "Y", INTEGER, NO_ATTRS);
ROW(BitShift, 11, INFER(infer_shift), IN(P("X", 'T', BP_T_UINT), P("Y", 'T', BP_T_UINT)),
    OUT(P("Z", 'T', BP_T_UINT)), ATTRS(A_STRING_REQ("direction")));

#define CUMULATIVE(op, since, types)                                                               \
    ROW(op, since, INFER(infer_cumulative), IN(P("x", 'T', types), P("axis", '2', INDEX)),         \
        OUT(P("y", 'T', types)), ATTRS(A_INT("exclusive", 0), A_INT("reverse", 0)))

CUMULATIVE(CumSum, 11, BP_T(F32) | BP_T(F64) | INDEX | BP_T(U32) | BP_T(U64));
CUMULATIVE(CumSum, 14, WIDE);
CUMULATIVE(CumProd, 26, WIDE);

ROW(Trilu, 14, INFER(infer_trilu), IN(P("input", 'T', ALL4), OPT("k", 0, BP_T(I64))),
    OUT(P("output", 'T', ALL4)), ATTRS(A_INT("upper", 1)));

#define EYE_LIKE(since, types)                                                                     \
    ROW(EyeLike, since, INFER(infer_eye_like), IN(P("input", '1', types)),                         \
        OUT(P("output", '2', types)), ATTRS(A_INT_OPT("dtype"), A_INT("k", 0)))

EYE_LIKE(9, NUMBER3 | BP_T(BOOL));
EYE_LIKE(22, NUMBER | BP_T(BOOL));

#define HARDMAX(since, types, axis)                                                                \
    ROW(Hardmax, since, INFER(infer_hardmax), IN(P("input", 'T', types)),                          \
        OUT(P("output", 'T', types)), ATTRS(A_INT("axis", axis)))

HARDMAX(1, FLOAT3, 1);
HARDMAX(11, FLOAT3, 1);
HARDMAX(13, FLOAT, -1);
