/* SPDX-License-Identifier: MIT */
/* quantize.c - QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear. */

#include "config.h"

#include "graph/rules/rules.h"

#include <inttypes.h>

/* ---- scales and zero points ------------------------------------------------------------------ */

/* May both be the same size? */
static bool may_be(struct bp_sym a, struct bp_sym b)
{
    return !bp_sym_known(a) || !bp_sym_known(b) || a.value == b.value;
}

static bool is_single(const struct bp_fact *fact)
{
    for (uint32_t i = 0; i < fact->rank; i++) {
        if (!bp_sym_known(fact->dims[i]) || fact->dims[i].value != 1)
            return false;
    }
    return true;
}

/* The axis, for a scale that needs one; of a vector there is only one. */
static bp_rc read_axis(struct bp_infer *infer, uint32_t rank, uint32_t *out)
{
    *out = 0;
    if (rank == 1)
        return BP_OK;
    return bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 1), rank, "axis", out);
}

/* A scale of x's rank, with one number for each block along the axis. */
static bp_rc check_blocks(struct bp_infer *infer, const struct bp_fact *x,
                          const struct bp_fact *scale, int64_t block)
{
    uint32_t axis;
    bp_rc rc = read_axis(infer, x->rank, &axis);

    if (rc < 0)
        return rc;
    if (scale->rank != x->rank)
        return bp_fail(infer->err, BP_E_SHAPE, "%s has rank %u, but blocks ask for that of %s, %u",
                       bp_rule_name(infer, 1), scale->rank, bp_rule_name(infer, 0), x->rank);
    for (uint32_t i = 0; i < x->rank; i++) {
        struct bp_sym want = x->dims[i];

        if (i == axis && bp_sym_known(want))
            want = bp_sym_of(want.value / block + (want.value % block != 0));
        else if (i == axis)
            continue;
        rc = bp_rule_expect(infer, 1, i, want, i == axis ? "the number of blocks" : "the input");
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

/* One scale, one for each slice along the axis, or with block_size one for each block. */
static bp_rc check_scale(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *scale = bp_rule_in(infer, 1);
    int64_t block = bp_ir_attr_int(infer->node, "block_size", 0);
    uint32_t axis;
    bp_rc rc;

    if (block < 0)
        return bp_fail(infer->err, BP_E_INVALID, "block_size is %" PRId64, block);
    if (!bp_rule_has_attr(infer, "axis"))
        return bp_rule_scalar(infer, 1);
    if (!bp_rule_ranked(x) || !bp_rule_ranked(scale) || is_single(scale))
        return BP_OK;
    if (block > 0)
        return check_blocks(infer, x, scale, block);
    rc = bp_rule_rank(infer, 1, 0, 1);
    if (rc >= 0 && x->rank > 0)
        rc = read_axis(infer, x->rank, &axis);
    if (rc < 0)
        return rc;
    if (x->rank == 0)
        return bp_rule_scalar(infer, 1);
    return bp_rule_expect(infer, 1, 0, x->dims[axis], "the size along axis");
}

static bp_rc check_zero(struct bp_infer *infer)
{
    const struct bp_fact *scale = bp_rule_in(infer, 1), *zero = bp_rule_in(infer, 2);
    bool fits;

    if (!bp_rule_ranked(zero) || !bp_rule_ranked(scale) || (is_single(zero) && is_single(scale)))
        return BP_OK;
    fits = zero->rank == scale->rank;
    for (uint32_t i = 0; fits && i < zero->rank; i++)
        fits = may_be(zero->dims[i], scale->dims[i]);
    if (!fits)
        return bp_fail(infer->err, BP_E_SHAPE, "%s does not have the shape of %s",
                       bp_rule_name(infer, 2), bp_rule_name(infer, 1));
    return BP_OK;
}

/* An element type that an attribute names, one of `allowed`; NONE when it is not there. */
static bp_rc dtype_attr(struct bp_infer *infer, const char *name, uint64_t allowed, uint32_t *out)
{
    int64_t dtype = bp_ir_attr_int(infer->node, name, BP_DTYPE_NONE);

    *out = BP_DTYPE_NONE;
    if (dtype == BP_DTYPE_NONE)
        return BP_OK;
    if (dtype < 0 || dtype >= BP_DTYPE_END || !(allowed >> dtype & 1))
        return bp_fail(infer->err, BP_E_INVALID,
                       "attribute %s is %" PRId64 ", no element type that is allowed here", name,
                       dtype);
    *out = (uint32_t)dtype;
    return BP_OK;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bp_rc infer_quantize(struct bp_infer *infer)
{
    uint32_t dtype, zero = bp_rule_dtype(infer, 2), precision;
    bool has_zero = bp_rule_in(infer, 2) != NULL;
    bp_rc rc =
        dtype_attr(infer, "output_dtype", bp_schema_out(infer->node->schema, 0)->types, &dtype);

    if (rc >= 0)
        rc = dtype_attr(infer, "precision", FLOAT, &precision);
    if (rc >= 0)
        rc = check_scale(infer);
    if (rc >= 0)
        rc = check_zero(infer);
    if (rc < 0)
        return rc;
    if (has_zero && dtype != BP_DTYPE_NONE && zero != BP_DTYPE_NONE && dtype != zero)
        return bp_fail(infer->err, BP_E_INVALID, "output_dtype is %s, but y_zero_point is %s",
                       bp_dtype_name(dtype), bp_dtype_name(zero));
    if (dtype == BP_DTYPE_NONE)
        dtype = has_zero ? zero : BP_DTYPE_U8;
    return bp_rule_like(infer, 0, dtype, bp_rule_in(infer, 0));
}

static bp_rc infer_dequantize(struct bp_infer *infer)
{
    uint64_t allowed = bp_schema_out(infer->node->schema, 0)->types;
    uint32_t dtype, scale = bp_rule_dtype(infer, 1);
    bp_rc rc = dtype_attr(infer, "output_dtype", allowed, &dtype);

    if (rc >= 0)
        rc = check_scale(infer);
    if (rc >= 0)
        rc = check_zero(infer);
    if (rc < 0)
        return rc;
    if (dtype == BP_DTYPE_NONE && scale != BP_DTYPE_NONE && !(allowed >> scale & 1))
        return bp_fail(infer->err, BP_E_INVALID, "with scales of %s, output_dtype must be given",
                       bp_dtype_name(scale));
    return bp_rule_like(infer, 0, dtype == BP_DTYPE_NONE ? scale : dtype, bp_rule_in(infer, 0));
}

static bp_rc infer_dynamic_quantize(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_like(infer, 0, BP_DTYPE_U8, bp_rule_in(infer, 0));

    if (rc >= 0)
        rc = bp_rule_set(infer, 1, BP_DTYPE_F32, 0, NULL);
    if (rc >= 0)
        rc = bp_rule_set(infer, 2, BP_DTYPE_U8, 0, NULL);
    return rc;
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define BYTES (BP_T(I8) | BP_T(U8))
#define BYTES19 (BYTES | FLOAT8)
#define BYTES21 (BYTES19 | BP_T(I16) | BP_T(U16) | BP_T(I4) | BP_T(U4))
#define BYTES23 (BYTES21 | BP_T(F4E2M1))
#define BYTES25 (BYTES23 | BP_T(I2) | BP_T(U2))
#define REAL (BP_T(F32) | BP_T(F16) | BP_T(BF16))
#define REAL_OR_INT (REAL | BP_T(I32))

#define QUANTIZE(since, x_types, scale_var, scale_types, y_types, ...)                             \
    ROW(QuantizeLinear, since, INFER(infer_quantize),                                              \
        IN(P("x", '1', x_types), P("y_scale", scale_var, scale_types),                             \
           OPT("y_zero_point", '3', y_types)),                                                     \
        OUT(P("y", '3', y_types)), __VA_ARGS__)
#define AXIS A_INT("axis", 1)
#define SATURATE A_INT("saturate", 1)
#define BLOCKS A_INT("block_size", 0), A_INT("output_dtype", 0)

QUANTIZE(10, BP_T(F32) | BP_T(I32), 0, BP_T(F32), BYTES, NO_ATTRS);
QUANTIZE(13, BP_T(F32) | BP_T(I32), 0, BP_T(F32), BYTES, ATTRS(AXIS));
QUANTIZE(19, REAL_OR_INT, '1', REAL_OR_INT, BYTES19, ATTRS(AXIS, SATURATE));
QUANTIZE(21, REAL_OR_INT, '1', REAL_OR_INT, BYTES21, ATTRS(AXIS, SATURATE, BLOCKS));
QUANTIZE(23, REAL_OR_INT, '2', REAL_OR_INT, BYTES23,
         ATTRS(AXIS, SATURATE, BLOCKS, A_INT("precision", 0)));
QUANTIZE(24, REAL_OR_INT, '2', REAL_OR_INT | BP_T(F8E8M0), BYTES23,
         ATTRS(AXIS, SATURATE, BLOCKS, A_INT("precision", 0)));
QUANTIZE(25, REAL_OR_INT, '2', REAL_OR_INT | BP_T(F8E8M0), BYTES25,
         ATTRS(AXIS, SATURATE, BLOCKS, A_INT("precision", 0)));

#define DEQUANTIZE(since, x_types, scale_types, y_var, y_types, ...)                               \
    ROW(DequantizeLinear, since, INFER(infer_dequantize),                                          \
        IN(P("x", '1', x_types), P("x_scale", '2', scale_types),                                   \
           OPT("x_zero_point", '1', x_types)),                                                     \
        OUT(P("y", y_var, y_types)), __VA_ARGS__)

DEQUANTIZE(10, BYTES | BP_T(I32), BP_T(F32), '2', BP_T(F32), NO_ATTRS);
DEQUANTIZE(13, BYTES | BP_T(I32), BP_T(F32), '2', BP_T(F32), ATTRS(AXIS));
DEQUANTIZE(19, BYTES19 | BP_T(I32), REAL, '2', REAL, ATTRS(AXIS));
DEQUANTIZE(21, BYTES21 | BP_T(I32), REAL, '2', REAL, ATTRS(AXIS, A_INT("block_size", 0)));
DEQUANTIZE(23, BYTES23 | BP_T(I32), REAL, '3', REAL, ATTRS(AXIS, BLOCKS));
DEQUANTIZE(24, BYTES23 | BP_T(I32), REAL | BP_T(F8E8M0), '3', REAL, ATTRS(AXIS, BLOCKS));
DEQUANTIZE(25, BYTES25 | BP_T(I32), REAL | BP_T(F8E8M0), '3', REAL, ATTRS(AXIS, BLOCKS));

ROW(DynamicQuantizeLinear, 11, INFER(infer_dynamic_quantize), IN(P("x", '1', BP_T(F32))),
    OUT(P("y", '2', BP_T(U8)), P("y_scale", 0, BP_T(F32)), P("y_zero_point", '2', BP_T(U8))));
