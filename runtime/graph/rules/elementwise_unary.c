/* SPDX-License-Identifier: MIT */
/* elementwise_unary.c - functions of one tensor, tests for NaN and infinity, and casts. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_ELEMENTWISE

/* ---- functions whose integer results are followed -------------------------------------------- */

/*
 * ONNX: Abs 1, 6, 13; Neg 1, 6, 13; Not 1.
 * Y has the shape and type of X. Content of small integer and bool tensors is computed here,
 * as exporters compute shapes and conditions with them.
 */

static bp_rc map_content(struct bp_infer *infer, bp_pair_fn fn)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    const struct bp_sym *v;
    uint32_t n;
    bp_rc rc = bp_rule_like_first(infer);

    if (rc < 0 || !bp_rule_wants(infer, 0))
        return rc;
    rc = bp_content_zip(infer, fn, x, x, &infer->out[0], x ? x->dtype : BP_DTYPE_NONE, &v, &n);
    if (rc < 0 || !v)
        return rc;
    return bp_infer_set_content(infer, 0, v, n);
}

static bp_rc not_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                    bool *known)
{
    (void)infer;
    (void)b;
    *known = bp_sym_known(a);
    *out = bp_sym_of(!a.value);
    return BP_OK;
}

static bp_rc neg_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                    bool *known)
{
    (void)b;
    return bp_pair_sub(infer, bp_sym_of(0), a, out, known);
}

static bp_rc abs_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                    bool *known)
{
    *out = a;
    *known = bp_rule_is_size(infer, a);
    return *known || !bp_sym_known(a) ? BP_OK : neg_fn(infer, a, b, out, known);
}

static bp_rc infer_not(struct bp_infer *infer)
{
    return map_content(infer, not_fn);
}

static bp_rc infer_neg(struct bp_infer *infer)
{
    return map_content(infer, neg_fn);
}

static bp_rc infer_abs(struct bp_infer *infer)
{
    return map_content(infer, abs_fn);
}

#define UNARY(op, since, rule, x, y, types, ...)                                                   \
    ROW(op, since, INFER(rule), IN(P(x, 'T', types)), OUT(P(y, 'T', types)), __VA_ARGS__)
#define SAME(op, since, x, y, types, ...)                                                          \
    UNARY(op, since, bp_rule_like_first, x, y, types, __VA_ARGS__)

/* a hint for in-place execution that version 6 of all operators dropped */
#define OLD A_INTS("consumed_inputs")

UNARY(Abs, 1, infer_abs, "X", "Y", FLOAT3, ATTRS(OLD));
UNARY(Abs, 6, infer_abs, "X", "Y", NUMBER3, NO_ATTRS);
UNARY(Abs, 13, infer_abs, "X", "Y", NUMBER, NO_ATTRS);

UNARY(Neg, 1, infer_neg, "X", "Y", FLOAT3, ATTRS(OLD));
UNARY(Neg, 6, infer_neg, "X", "Y", FLOAT3 | BP_T_INT, NO_ATTRS);
UNARY(Neg, 13, infer_neg, "X", "Y", FLOAT | BP_T_INT, NO_ATTRS);

UNARY(Not, 1, infer_not, "X", "Y", BP_T(BOOL), NO_ATTRS);

/* ---- other functions ------------------------------------------------------------------------- */

/*
 * ONNX: Acos 7, 22; Acosh 9, 22; Asin 7, 22; Asinh 9, 22; Atan 7, 22; Atanh 9, 22; BitwiseNot
 *   18; Ceil 1, 6, 13; Cos 7, 22; Cosh 9, 22; Erf 9, 13; Exp 1, 6, 13; Floor 1, 6, 13; Log 1,
 *   6, 13; Reciprocal 1, 6, 13; Round 11, 22; Sign 9, 13; Sin 7, 22; Sinh 9, 22; Sqrt 1, 6,
 *   13; Tan 7, 22.
 * Y has the shape and type of X; its content is not followed, as shapes are not computed with
 * such functions.
 */

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

#define INTEGER (BP_T_INT | BP_T_UINT)

SAME(BitwiseNot, 18, "X", "Y", INTEGER, NO_ATTRS);

SAME(Ceil, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Ceil, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Ceil, 13, "X", "Y", FLOAT, NO_ATTRS);

SAME(Cos, 7, "input", "output", FLOAT3, NO_ATTRS);
SAME(Cos, 22, "input", "output", FLOAT, NO_ATTRS);

SAME(Erf, 9, "input", "output", NUMBER3, NO_ATTRS);
SAME(Erf, 13, "input", "output", NUMBER, NO_ATTRS);

SAME(Exp, 1, "input", "output", FLOAT3, ATTRS(OLD));
SAME(Exp, 6, "input", "output", FLOAT3, NO_ATTRS);
SAME(Exp, 13, "input", "output", FLOAT, NO_ATTRS);

SAME(Floor, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Floor, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Floor, 13, "X", "Y", FLOAT, NO_ATTRS);

SAME(Log, 1, "input", "output", FLOAT3, ATTRS(OLD));
SAME(Log, 6, "input", "output", FLOAT3, NO_ATTRS);
SAME(Log, 13, "input", "output", FLOAT, NO_ATTRS);

SAME(Reciprocal, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Reciprocal, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Reciprocal, 13, "X", "Y", FLOAT, NO_ATTRS);

SAME(Round, 11, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Round, 22, "X", "Y", FLOAT, NO_ATTRS);

SAME(Sign, 9, "input", "output", NUMBER3, NO_ATTRS);
SAME(Sign, 13, "input", "output", NUMBER, NO_ATTRS);

SAME(Sin, 7, "input", "output", FLOAT3, NO_ATTRS);
SAME(Sin, 22, "input", "output", FLOAT, NO_ATTRS);

SAME(Sqrt, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Sqrt, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Sqrt, 13, "X", "Y", FLOAT, NO_ATTRS);

/* ---- Clip ------------------------------------------------------------------------------------ */

/*
 * ONNX: Clip 1, 6, 11, 12, 13.
 * The result has the shape and type of input. min and max are attributes up to version 6 and
 * scalars, both optional, from 11 on.
 */

/* Clip: the limits are attributes up to version 6, then inputs. */
static bp_rc infer_clip(struct bp_infer *infer)
{
    for (uint32_t i = 1; i < infer->node->n_in; i++) {
        bp_rc rc = bp_rule_scalar(infer, i);

        if (rc < 0)
            return rc;
    }
    return bp_rule_like_first(infer);
}

UNARY(Clip, 1, infer_clip, "input", "output", FLOAT3,
      ATTRS(A_FLOAT_OPT("max"), A_FLOAT_OPT("min"), OLD));
UNARY(Clip, 6, infer_clip, "input", "output", FLOAT3,
      ATTRS(A_FLOAT("max", 3.4028234663852886e38f), A_FLOAT("min", -3.4028234663852886e38f)));

#define CLIP(since, types)                                                                         \
    ROW(Clip, since, INFER(infer_clip),                                                            \
        IN(P("input", 'T', types), OPT("min", 'T', types), OPT("max", 'T', types)),                \
        OUT(P("output", 'T', types)))

CLIP(11, FLOAT3);
CLIP(12, NUMBER3);
CLIP(13, NUMBER);

/* ---- IsInf, IsNaN ---------------------------------------------------------------------------- */

/*
 * ONNX: IsInf 10, 20; IsNaN 9, 13, 20.
 * Y is bool and has the shape of X.
 */

static bp_rc infer_test(struct bp_infer *infer)
{
    return bp_rule_like(infer, 0, BP_DTYPE_BOOL, bp_rule_in(infer, 0));
}

#define TEST(op, since, types, attrs)                                                              \
    ROW(op, since, INFER(infer_test), IN(P("X", '1', types)), OUT(P("Y", '2', BP_T(BOOL))), attrs)
#define SIGNS ATTRS(A_INT("detect_negative", 1), A_INT("detect_positive", 1))

TEST(IsInf, 10, BP_T(F32) | BP_T(F64), SIGNS);
TEST(IsInf, 20, FLOAT | FLOAT8, SIGNS);
TEST(IsNaN, 9, FLOAT3, NO_ATTRS);
TEST(IsNaN, 13, FLOAT, NO_ATTRS);
TEST(IsNaN, 20, FLOAT | FLOAT8, NO_ATTRS);

/* ---- Cast, CastLike, BitCast ----------------------------------------------------------------- */

/*
 * ONNX: Cast 1, 6, 9, 13, 19, 21, 23, 24, 25, 28; CastLike 15, 19, 21, 23, 24, 25; BitCast 26.
 * The result has the shape of input. Cast has its type in the attribute to, a name in version
 * 1 and a number from 6 on; CastLike has that of its second input, whose elements are not
 * read. BitCast keeps the bits, so both types have one width.
 * Content passes on where the new type holds each element; what would change is not followed.
 */

/* Version 1 of Cast names the type. */
static uint32_t dtype_by_name(const struct bp_ir_node *node)
{
    static const struct {
        const char *name;
        uint32_t dtype;
    } names[] = {
        {"FLOAT", BP_DTYPE_F32},  {"DOUBLE", BP_DTYPE_F64}, {"FLOAT16", BP_DTYPE_F16},
        {"INT8", BP_DTYPE_I8},    {"INT16", BP_DTYPE_I16},  {"INT32", BP_DTYPE_I32},
        {"INT64", BP_DTYPE_I64},  {"UINT8", BP_DTYPE_U8},   {"UINT16", BP_DTYPE_U16},
        {"UINT32", BP_DTYPE_U32}, {"UINT64", BP_DTYPE_U64}, {"BOOL", BP_DTYPE_BOOL},
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (bp_ir_attr_is(node, "to", "", names[i].name))
            return names[i].dtype;
    }
    return BP_DTYPE_NONE;
}

static bp_rc cast_target(struct bp_infer *infer, uint32_t *out)
{
    uint64_t allowed = bp_schema_out(infer->node->schema, 0)->types;
    int64_t to;

    if (infer->node->schema->since < 6) {
        to = dtype_by_name(infer->node);
        if (to == BP_DTYPE_NONE)
            return bp_fail(infer->err, BP_E_INVALID, "attribute to does not name an element type");
    } else {
        to = bp_ir_attr_int(infer->node, "to", BP_DTYPE_NONE);
    }
    if (bp_dtype_is_missing(to))
        return bp_fail_dtype(infer->err, "attribute to", to);
    if (to <= 0 || to >= BP_DTYPE_END || !(allowed >> to & 1))
        return bp_fail(infer->err, BP_E_INVALID,
                       "attribute to is %" PRId64
                       ", which is not an element type that this version casts to",
                       to);
    *out = (uint32_t)to;
    return BP_OK;
}

/* Elements that change when they are cast (too large, or names made bool) are not followed. */
static bp_rc cast_content(struct bp_infer *infer, uint32_t to)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym *v;

    if (!x || !x->content || !bp_rule_wants(infer, 0))
        return BP_OK;
    v = bp_region_array(infer->region, x->n_content, sizeof *v);
    if (!v)
        return bp_fail_nomem(infer->err, "a content");
    for (uint32_t i = 0; i < x->n_content; i++) {
        v[i] = x->content[i];
        if (bp_sym_known(v[i]) && to == BP_DTYPE_BOOL)
            v[i].value = v[i].value != 0;
        if (bp_sym_known(v[i]) ? !bp_dtype_holds(to, v[i].value)
                               : to != BP_DTYPE_I64 && to != BP_DTYPE_I32)
            return BP_OK;
        if (bp_sym_known(v[i]) && !bp_dtype_holds(x->dtype, x->content[i].value))
            return BP_OK;
    }
    return bp_infer_set_content(infer, 0, v, x->n_content);
}

static bp_rc infer_cast(struct bp_infer *infer)
{
    uint32_t to = BP_DTYPE_NONE;
    bp_rc rc = cast_target(infer, &to);

    if (rc < 0)
        return rc;
    rc = bp_rule_like(infer, 0, to, bp_rule_in(infer, 0));
    if (rc < 0)
        return rc;
    return cast_content(infer, to);
}

/* CastLike: the type of the second input, whose elements do not count. */
static bp_rc infer_cast_like(struct bp_infer *infer)
{
    uint32_t to = bp_rule_dtype(infer, 1);
    bp_rc rc = bp_rule_like(infer, 0, to, bp_rule_in(infer, 0));

    if (rc < 0 || to == BP_DTYPE_NONE)
        return rc;
    return cast_content(infer, to);
}

static bp_rc infer_bit_cast(struct bp_infer *infer)
{
    uint32_t from = bp_rule_dtype(infer, 0), to;
    bp_rc rc = cast_target(infer, &to);

    if (rc < 0)
        return rc;
    if (from != BP_DTYPE_NONE && bp_dtype_width(from) != bp_dtype_width(to))
        return bp_fail(infer->err, BP_E_INVALID, "%s has %u bits, %s has %u", bp_dtype_name(from),
                       bp_dtype_width(from), bp_dtype_name(to), bp_dtype_width(to));
    return bp_rule_like(infer, 0, to, bp_rule_in(infer, 0));
}

#define CAST(since, types, ...)                                                                    \
    ROW(Cast, since, INFER(infer_cast), IN(P("input", '1', types)), OUT(P("output", '2', types)),  \
        ATTRS(__VA_ARGS__))
#define TO A_INT_REQ("to")
#define SATURATE A_INT("saturate", 1)

CAST(1, NUMBER3 | BP_T(BOOL), A_STRING_REQ("to"));
CAST(6, NUMBER3 | BP_T(BOOL), TO);
CAST(9, NUMBER3 | BP_T(BOOL) | BP_T(STRING), TO);
CAST(13, ALL4 & ~BP_T_COMPLEX, TO);
CAST(19, ALL9 & ~BP_T_COMPLEX, TO, SATURATE);
CAST(21, ALL10 & ~BP_T_COMPLEX, TO, SATURATE);
CAST(23, ALL11 & ~BP_T_COMPLEX, TO, SATURATE);
CAST(24, ALL12 & ~BP_T_COMPLEX, TO, SATURATE, A_STRING("round_mode", "up"));
CAST(25, ALL13 & ~BP_T_COMPLEX, TO, SATURATE, A_STRING("round_mode", "up"));
CAST(28, ALL13 & ~BP_T_COMPLEX, TO, SATURATE, A_STRING("round_mode", "up"));

#define CAST_LIKE(since, types, ...)                                                               \
    ROW(CastLike, since, INFER(infer_cast_like),                                                   \
        IN(P("input", '1', types), P("target_type", '2', types)), OUT(P("output", '2', types)),    \
        __VA_ARGS__)

CAST_LIKE(15, ALL4 & ~BP_T_COMPLEX, NO_ATTRS);
CAST_LIKE(19, ALL9 & ~BP_T_COMPLEX, ATTRS(SATURATE));
CAST_LIKE(21, ALL10 & ~BP_T_COMPLEX, ATTRS(SATURATE));
CAST_LIKE(23, ALL11 & ~BP_T_COMPLEX, ATTRS(SATURATE));
CAST_LIKE(24, ALL12 & ~BP_T_COMPLEX, ATTRS(SATURATE, A_STRING("round_mode", "up")));
CAST_LIKE(25, ALL13 & ~BP_T_COMPLEX, ATTRS(SATURATE, A_STRING("round_mode", "up")));

ROW(BitCast, 26, INFER(infer_bit_cast), IN(P("input", '1', ALL13 & ~BP_T(STRING))),
    OUT(P("output", '2', ALL13 & ~BP_T(STRING))), ATTRS(TO));
