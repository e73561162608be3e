/* SPDX-License-Identifier: MIT */
/*
 * elementwise_binary.c - arithmetic, comparisons, logic and bits of two tensors that are
 * broadcast to one shape.
 */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_ELEMENTWISE

/* ---- arithmetic, comparisons, logic ---------------------------------------------------------- */

/*
 * ONNX: Add 1, 6, 7, 13, 14; Sub 1, 6, 7, 13, 14; Mul 1, 6, 7, 13, 14; Div 1, 6, 7, 13, 14;
 *   Mod 10, 13, 28; Pow 1, 7, 12, 13, 15; And 1, 7; Or 1, 7; Xor 1, 7; Equal 1, 7, 11, 13, 19;
 *   Less 1, 7, 9, 13; Greater 1, 7, 9, 13; LessOrEqual 12, 16; GreaterOrEqual 12, 16.
 * From version 7 on A and B broadcast in both directions, as NumPy does it: dimensions are
 * matched from the last one on, and one of size 1 stretches. Before, with broadcast=1, B
 * stretches over dimensions of A that lie next to each other, from axis on, or the last ones;
 * without, both have one shape.
 * The result has the type of A, for comparisons and logic bool. Pow takes an exponent of its
 * own type from version 12 on. Integer results of small tensors are computed here, as
 * exporters compute shapes with them.
 */

/* A result of bool; *known false where the operands do not tell. */
static bp_rc answer(bool is_known, bool claim, struct bp_sym *out, bool *known)
{
    *known = is_known;
    *out = bp_sym_of(claim);
    return BP_OK;
}

static bool both_known(struct bp_sym a, struct bp_sym b)
{
    return bp_sym_known(a) && bp_sym_known(b);
}

/* A symbol is equal to itself, and a size never to a negative constant. */
static bp_rc equal_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                      bool *known)
{
    struct bp_sym constant = bp_sym_known(a) ? a : b;
    struct bp_sym other = bp_sym_known(a) ? b : a;

    if (both_known(a, b) || bp_sym_equal(a, b))
        return answer(true, bp_sym_equal(a, b), out, known);
    /* a size is not -1, as graphs ask that come from PyTorch's expand() */
    return answer(bp_sym_known(constant) && constant.value < 0 && bp_rule_is_size(infer, other),
                  false, out, known);
}

/* Exact operands, or the same symbol on both sides, which is not less than itself. */
static bp_rc less_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                     bool *known)
{
    (void)infer;
    return answer(both_known(a, b) || bp_sym_equal(a, b), both_known(a, b) && a.value < b.value,
                  out, known);
}

static bp_rc greater_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b,
                        struct bp_sym *out, bool *known)
{
    return less_fn(infer, b, a, out, known);
}

static bp_rc less_equal_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b,
                           struct bp_sym *out, bool *known)
{
    bp_rc rc = less_fn(infer, b, a, out, known);

    out->value = !out->value;
    return rc;
}

static bp_rc greater_equal_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b,
                              struct bp_sym *out, bool *known)
{
    return less_equal_fn(infer, b, a, out, known);
}

/* Bool elements are 0 or 1. */
static bp_rc and_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                    bool *known)
{
    (void)infer;
    return answer(both_known(a, b), a.value && b.value, out, known);
}

static bp_rc or_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                   bool *known)
{
    (void)infer;
    return answer(both_known(a, b), a.value || b.value, out, known);
}

static bp_rc xor_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                    bool *known)
{
    (void)infer;
    return answer(both_known(a, b), !a.value != !b.value, out, known);
}

/* Mod with fmod=1 has the sign of the dividend. */
static bp_rc fmod_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                     bool *known)
{
    if (!both_known(a, b))
        return bp_pair_mod(infer, a, b, out, known);
    *known = b.value != 0;
    *out = bp_sym_of(b.value == 0 || b.value == -1 ? 0 : a.value % b.value);
    return BP_OK;
}

/* A pair of shapes that the version does not broadcast; the message has both. */
static bp_rc refuse_pair(struct bp_infer *infer, const struct bp_fact *a, const struct bp_fact *b,
                         const char *why)
{
    char a_text[160], b_text[160];

    bp_fact_text(a, infer->symbols, a_text, sizeof a_text);
    bp_fact_text(b, infer->symbols, b_text, sizeof b_text);
    return bp_fail(infer->err, BP_E_SHAPE, "A is %s and B is %s, but %s", a_text, b_text, why);
}

/* Versions 1 and 6: with broadcast=1, B lies over A from `axis` on, or over its last dimensions. */
static bp_rc check_old_broadcast(struct bp_infer *infer, const struct bp_fact *a,
                                 const struct bp_fact *b)
{
    bool may = bp_ir_attr_int(infer->node, "broadcast", 0) != 0;
    uint32_t first = a->rank - b->rank;

    if (!may && a->rank != b->rank)
        return refuse_pair(infer, a, b, "without broadcast=1 they must have one shape");
    if (may && bp_ir_attr(infer->node, "axis")) {
        bp_rc rc =
            bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 0), a->rank, "axis", &first);

        if (rc < 0)
            return rc;
    }
    if (b->rank > a->rank || first > a->rank - b->rank)
        return refuse_pair(infer, a, b, "B must lie within the dimensions of A");
    for (uint32_t i = 0; i < b->rank; i++) {
        struct bp_sym common;

        if (may && bp_sym_known(b->dims[i]) && b->dims[i].value == 1)
            continue;
        if (!bp_rule_unify(a->dims[first + i], b->dims[i], &common))
            return bp_fail(infer->err, BP_E_SHAPE,
                           "cannot broadcast %" PRId64 " to %" PRId64 " at dimension %u",
                           b->dims[i].value, a->dims[first + i].value, first + i);
    }
    return BP_OK;
}

/* Sets output 0 to the shape that inputs 0 and 1 have together. */
static bp_rc broadcast_shape(struct bp_infer *infer, uint32_t dtype)
{
    const struct bp_fact *a = bp_rule_in(infer, 0);
    const struct bp_fact *b = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t rank;
    bp_rc rc;

    if (bp_rule_has_attr(infer, "broadcast")) {
        if (bp_rule_ranked(a) && bp_rule_ranked(b)) {
            rc = check_old_broadcast(infer, a, b);
            if (rc < 0)
                return rc;
        }
        return bp_rule_like(infer, 0, dtype, a);
    }
    if (!bp_rule_ranked(a) || !bp_rule_ranked(b))
        return bp_rule_unknown(infer, 0, dtype);
    rc = bp_infer_broadcast(infer, a, b, &rank, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, dtype, rank, dims);
}

/* The shape, then the content where the operator has a function for it. */
static bp_rc binary(struct bp_infer *infer, uint32_t dtype, bp_pair_fn fn)
{
    const struct bp_sym *v;
    uint32_t n;
    bp_rc rc = broadcast_shape(infer, dtype);

    if (rc < 0 || !fn || !bp_rule_wants(infer, 0))
        return rc;
    /* elements are matched from the last dimension on, which an axis of version 6 may not do */
    if (bp_rule_has_attr(infer, "broadcast") && bp_ir_attr(infer->node, "axis"))
        return BP_OK;
    rc = bp_content_zip(infer, fn, bp_rule_in(infer, 0), bp_rule_in(infer, 1), &infer->out[0],
                        dtype, &v, &n);
    if (rc < 0 || !v)
        return rc;
    return bp_infer_set_content(infer, 0, v, n);
}

/* The type of A, or of B where only that is known and both share it. */
static bp_rc arithmetic(struct bp_infer *infer, bp_pair_fn fn)
{
    const struct bp_schema *schema = infer->node->schema;
    uint32_t dtype = bp_rule_dtype(infer, 0);

    if (dtype == BP_DTYPE_NONE && schema->in[0].type_var == schema->in[1].type_var)
        dtype = bp_rule_dtype(infer, 1);
    return binary(infer, dtype, fn);
}

static bp_rc infer_add(struct bp_infer *infer)
{
    return arithmetic(infer, bp_pair_add);
}

static bp_rc infer_sub(struct bp_infer *infer)
{
    return arithmetic(infer, bp_pair_sub);
}

static bp_rc infer_mul(struct bp_infer *infer)
{
    return arithmetic(infer, bp_pair_mul);
}

static bp_rc infer_div(struct bp_infer *infer)
{
    return arithmetic(infer, bp_pair_div);
}

/* No content: shapes are not computed with powers. */
static bp_rc infer_pow(struct bp_infer *infer)
{
    return arithmetic(infer, NULL);
}

/* fmod=1 takes the sign of the dividend, as C does, else that of the divisor. */
static bp_rc infer_mod(struct bp_infer *infer)
{
    return arithmetic(infer, bp_ir_attr_int(infer->node, "fmod", 0) ? fmod_fn : bp_pair_mod);
}

static bp_rc infer_equal(struct bp_infer *infer)
{
    return binary(infer, BP_DTYPE_BOOL, equal_fn);
}

static bp_rc infer_less(struct bp_infer *infer)
{
    return binary(infer, BP_DTYPE_BOOL, less_fn);
}

static bp_rc infer_greater(struct bp_infer *infer)
{
    return binary(infer, BP_DTYPE_BOOL, greater_fn);
}

static bp_rc infer_less_equal(struct bp_infer *infer)
{
    return binary(infer, BP_DTYPE_BOOL, less_equal_fn);
}

static bp_rc infer_greater_equal(struct bp_infer *infer)
{
    return binary(infer, BP_DTYPE_BOOL, greater_equal_fn);
}

static bp_rc infer_and(struct bp_infer *infer)
{
    return binary(infer, BP_DTYPE_BOOL, and_fn);
}

static bp_rc infer_or(struct bp_infer *infer)
{
    return binary(infer, BP_DTYPE_BOOL, or_fn);
}

static bp_rc infer_xor(struct bp_infer *infer)
{
    return binary(infer, BP_DTYPE_BOOL, xor_fn);
}

#define BINARY(op, since, rule, types, attrs)                                                      \
    ROW(op, since, INFER(rule), IN(P("A", 'T', types), P("B", 'T', types)),                        \
        OUT(P("C", 'T', types)), attrs)
#define COMPARISON(op, since, rule, types, attrs)                                                  \
    ROW(op, since, INFER(rule), IN(P("A", 'T', types), P("B", 'T', types)),                        \
        OUT(P("C", '1', BP_T(BOOL))), attrs)

#define OLD_BROADCAST A_INT_OPT("axis"), A_INT("broadcast", 0)
#define OLDEST OLD_BROADCAST, A_INTS("consumed_inputs")

BINARY(Add, 1, infer_add, FLOAT3, ATTRS(OLDEST));
BINARY(Add, 6, infer_add, WIDE3, ATTRS(OLD_BROADCAST));
BINARY(Add, 7, infer_add, WIDE3, NO_ATTRS);
BINARY(Add, 13, infer_add, WIDE, NO_ATTRS);
BINARY(Add, 14, infer_add, NUMBER, NO_ATTRS);

BINARY(Sub, 1, infer_sub, FLOAT3, ATTRS(OLDEST));
BINARY(Sub, 6, infer_sub, WIDE3, ATTRS(OLD_BROADCAST));
BINARY(Sub, 7, infer_sub, WIDE3, NO_ATTRS);
BINARY(Sub, 13, infer_sub, WIDE, NO_ATTRS);
BINARY(Sub, 14, infer_sub, NUMBER, NO_ATTRS);

BINARY(Mul, 1, infer_mul, FLOAT3, ATTRS(OLDEST));
BINARY(Mul, 6, infer_mul, WIDE3, ATTRS(OLD_BROADCAST));
BINARY(Mul, 7, infer_mul, WIDE3, NO_ATTRS);
BINARY(Mul, 13, infer_mul, WIDE, NO_ATTRS);
BINARY(Mul, 14, infer_mul, NUMBER, NO_ATTRS);

BINARY(Div, 1, infer_div, FLOAT3, ATTRS(OLDEST));
BINARY(Div, 6, infer_div, WIDE3, ATTRS(OLD_BROADCAST));
BINARY(Div, 7, infer_div, WIDE3, NO_ATTRS);
BINARY(Div, 13, infer_div, WIDE, NO_ATTRS);
BINARY(Div, 14, infer_div, NUMBER, NO_ATTRS);

BINARY(Mod, 10, infer_mod, NUMBER3, ATTRS(A_INT("fmod", 0)));
BINARY(Mod, 13, infer_mod, NUMBER, ATTRS(A_INT("fmod", 0)));
BINARY(Mod, 28, infer_mod, NUMBER, ATTRS(A_INT("fmod", 0)));

COMPARISON(And, 1, infer_and, BP_T(BOOL), ATTRS(OLD_BROADCAST));
COMPARISON(And, 7, infer_and, BP_T(BOOL), NO_ATTRS);
COMPARISON(Or, 1, infer_or, BP_T(BOOL), ATTRS(OLD_BROADCAST));
COMPARISON(Or, 7, infer_or, BP_T(BOOL), NO_ATTRS);
COMPARISON(Xor, 1, infer_xor, BP_T(BOOL), ATTRS(OLD_BROADCAST));
COMPARISON(Xor, 7, infer_xor, BP_T(BOOL), NO_ATTRS);

COMPARISON(Equal, 1, infer_equal, BP_T(BOOL) | INDEX, ATTRS(OLD_BROADCAST));
COMPARISON(Equal, 7, infer_equal, BP_T(BOOL) | INDEX, NO_ATTRS);
COMPARISON(Equal, 11, infer_equal, BP_T(BOOL) | NUMBER3, NO_ATTRS);
COMPARISON(Equal, 13, infer_equal, BP_T(BOOL) | NUMBER, NO_ATTRS);
COMPARISON(Equal, 19, infer_equal, BP_T(BOOL) | NUMBER | BP_T(STRING), NO_ATTRS);

COMPARISON(Less, 1, infer_less, FLOAT3, ATTRS(OLD_BROADCAST));
COMPARISON(Less, 7, infer_less, FLOAT3, NO_ATTRS);
COMPARISON(Less, 9, infer_less, NUMBER3, NO_ATTRS);
COMPARISON(Less, 13, infer_less, NUMBER, NO_ATTRS);

COMPARISON(Greater, 1, infer_greater, FLOAT3, ATTRS(OLD_BROADCAST));
COMPARISON(Greater, 7, infer_greater, FLOAT3, NO_ATTRS);
COMPARISON(Greater, 9, infer_greater, NUMBER3, NO_ATTRS);
COMPARISON(Greater, 13, infer_greater, NUMBER, NO_ATTRS);

COMPARISON(LessOrEqual, 12, infer_less_equal, NUMBER3, NO_ATTRS);
COMPARISON(LessOrEqual, 16, infer_less_equal, NUMBER, NO_ATTRS);
COMPARISON(GreaterOrEqual, 12, infer_greater_equal, NUMBER3, NO_ATTRS);
COMPARISON(GreaterOrEqual, 16, infer_greater_equal, NUMBER, NO_ATTRS);

#define POW(since, types, y_var, y_types, attrs)                                                   \
    ROW(Pow, since, INFER(infer_pow), IN(P("X", 'T', types), P("Y", y_var, y_types)),              \
        OUT(P("Z", 'T', types)), attrs)

POW(1, FLOAT3, 'T', FLOAT3, ATTRS(OLD_BROADCAST));
POW(7, FLOAT3, 'T', FLOAT3, NO_ATTRS);
POW(12, FLOAT3 | INDEX, '1', NUMBER3, NO_ATTRS);
POW(13, FLOAT | INDEX, '1', NUMBER3, NO_ATTRS);
POW(15, FLOAT | INDEX, '1', NUMBER, NO_ATTRS);

/* ---- bits ------------------------------------------------------------------------------------ */

/*
 * ONNX: BitwiseAnd 18; BitwiseOr 18; BitwiseXor 18; BitShift 11, 28.
 * Both inputs broadcast in both directions and have one integer type, that of the result.
 * BitShift takes unsigned integers, from 28 on signed ones too, and a direction that must be LEFT
 * or RIGHT.
 */

/* Versions from 18 on only, so broadcasting is always in both directions. */
static bp_rc infer_bits(struct bp_infer *infer)
{
    const struct bp_fact *a = bp_rule_in(infer, 0), *b = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t rank;
    bp_rc rc;

    if (!bp_rule_ranked(a) || !bp_rule_ranked(b))
        return bp_rule_unknown(infer, 0, bp_rule_either_dtype(infer));
    rc = bp_infer_broadcast(infer, a, b, &rank, dims);
    if (rc < 0)
        return rc;
    return bp_rule_set(infer, 0, bp_rule_either_dtype(infer), rank, dims);
}

static bp_rc infer_shift(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_check_word(infer, "direction", "LEFT", "RIGHT");

    return rc < 0 ? rc : infer_bits(infer);
}

#define BITWISE(op)                                                                                \
    ROW(op, 18, INFER(infer_bits), IN(P("A", 'T', INTEGER), P("B", 'T', INTEGER)),                 \
        OUT(P("C", 'T', INTEGER)))
#define INTEGER (BP_T_INT | BP_T_UINT)

BITWISE(BitwiseAnd);
BITWISE(BitwiseOr);
BITWISE(BitwiseXor);

#define SHIFT(since, types)                                                                        \
    ROW(BitShift, since, INFER(infer_shift), IN(P("X", 'T', types), P("Y", 'T', types)),           \
        OUT(P("Z", 'T', types)), ATTRS(A_STRING_REQ("direction")))

SHIFT(11, BP_T_UINT);
SHIFT(28, INTEGER);
