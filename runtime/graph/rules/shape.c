/* SPDX-License-Identifier: MIT */
/* shape.c - Shape and Size, where sizes become elements; Identity and casts, which pass them on. */

#include "config.h"

#include "graph/rules/rules.h"

#include <inttypes.h>

/* ---- rules ---------------------------------------------------------------------------------- */

/* start or end of Shape-15: counted from the back when negative, clamped to 0..rank. */
static uint32_t clamp_axis(int64_t axis, uint32_t rank)
{
    if (axis < 0)
        axis = axis < -(int64_t)rank ? 0 : axis + rank;
    return axis > rank ? rank : (uint32_t)axis;
}

static bp_rc infer_shape(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym count;
    uint32_t start, end;
    bp_rc rc;

    if (!bp_rule_ranked(data)) {
        rc = bp_rule_from_data(infer, &count, 1);
        if (rc < 0)
            return rc;
        return bp_rule_set(infer, 0, BP_DTYPE_I64, 1, &count);
    }
    start = clamp_axis(bp_ir_attr_int(infer->node, "start", 0), data->rank);
    end = clamp_axis(bp_ir_attr_int(infer->node, "end", data->rank), data->rank);
    if (end < start)
        end = start;
    count = bp_sym_of(end - start);
    rc = bp_rule_set(infer, 0, BP_DTYPE_I64, 1, &count);
    if (rc < 0 || !bp_rule_wants(infer, 0))
        return rc;
    return bp_infer_set_content(infer, 0, data->rank ? data->dims + start : &count, end - start);
}

static bp_rc infer_size(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym size;
    bp_rc rc = bp_rule_set(infer, 0, BP_DTYPE_I64, 0, NULL);

    if (rc < 0 || !bp_rule_ranked(data) || !bp_rule_wants(infer, 0))
        return rc;
    rc = bp_rule_product(infer, data->dims, data->rank, &size);
    if (rc < 0)
        return rc;
    return bp_infer_set_content(infer, 0, &size, 1);
}

static bp_rc infer_identity(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), bp_rule_in(infer, 0));

    if (rc < 0)
        return rc;
    return bp_rule_same_content(infer, 0, bp_rule_in(infer, 0));
}

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
            return bp_fail(infer->err, BP_E_INVALID, "attribute to names no element type");
    } else {
        to = bp_ir_attr_int(infer->node, "to", BP_DTYPE_NONE);
    }
    if (to <= 0 || to >= BP_DTYPE_END || !(allowed >> to & 1))
        return bp_fail(infer->err, BP_E_INVALID,
                       "attribute to is %" PRId64 ", no element type that this version casts to",
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

/* ---- rows ----------------------------------------------------------------------------------- */

#define SHAPE(since, types, attrs)                                                                 \
    ROW(Shape, since, INFER(infer_shape), IN(P("data", 'T', types)),                               \
        OUT(P("shape", '1', BP_T(I64))), attrs)
#define PART ATTRS(A_INT("start", 0), A_INT_OPT("end"))

SHAPE(1, ALL3, NO_ATTRS);
SHAPE(13, ALL4, NO_ATTRS);
SHAPE(15, ALL4, PART);
SHAPE(19, ALL9, PART);
SHAPE(21, ALL10, PART);
SHAPE(23, ALL11, PART);
SHAPE(24, ALL12, PART);
SHAPE(25, ALL13, PART);

#define SIZE(since, types)                                                                         \
    ROW(Size, since, INFER(infer_size), IN(P("data", 'T', types)), OUT(P("size", '1', BP_T(I64))))

SIZE(1, ALL3);
SIZE(13, ALL4);
SIZE(19, ALL9);
SIZE(21, ALL10);
SIZE(23, ALL11);
SIZE(24, ALL12);
SIZE(25, ALL13);

/* from version 14 on it takes sequences, from 16 on optionals, too; those have no element type */
#define IDENTITY(since, types)                                                                     \
    ROW(Identity, since, INFER(infer_identity), IN(P("input", 'T', types)),                        \
        OUT(P("output", 'T', types)))

IDENTITY(1, ALL3);
IDENTITY(13, ALL4);
IDENTITY(14, ALL4);
IDENTITY(16, ALL4);
IDENTITY(19, ALL9);
IDENTITY(21, ALL10);
IDENTITY(23, ALL11);
IDENTITY(24, ALL12);
IDENTITY(25, ALL13);

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
