/* SPDX-License-Identifier: MIT */
/*
 * gather_scatter_select.c - Compress, NonZero, OneHot and Unique: output sizes that depend on
 * the values.
 */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_GATHER_SCATTER

/* ---- Compress -------------------------------------------------------------------------------- */

/*
 * ONNX: Compress 9, 11, 28.
 * condition is a vector of bool. The result has rank 1 without axis, else the shape of input,
 * but along axis as many entries as condition has true elements, which the data tells.
 */

static bp_rc infer_compress(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    bool is_flat = !bp_ir_attr(infer->node, "axis");
    struct bp_sym dims[BP_MAX_RANK], some;
    uint32_t axis = 0, rank = 1;
    bp_rc rc = bp_rule_rank(infer, 1, 1, 1);

    if (rc < 0)
        return rc;
    if (!is_flat) {
        if (!bp_rule_ranked(input))
            return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
        rank = input->rank;
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 0), rank, "axis", &axis);
        if (rc < 0)
            return rc;
        for (uint32_t i = 0; i < rank; i++)
            dims[i] = input->dims[i];
    }
    rc = bp_rule_from_data(infer, &some, 1);
    if (rc < 0)
        return rc;
    dims[axis] = some;
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), rank, dims);
}

#define COMPRESS(since, types)                                                                     \
    ROW(Compress, since, INFER(infer_compress),                                                    \
        IN(P("input", 'T', types), P("condition", 0, BP_T(BOOL))), OUT(P("output", 'T', types)),   \
        ATTRS(A_INT_OPT("axis")), .sizes_from_data = true)

COMPRESS(9, ALL3);
COMPRESS(11, ALL3);
COMPRESS(28, ALL4);

/* ---- NonZero --------------------------------------------------------------------------------- */

/*
 * ONNX: NonZero 9, 13.
 * Y is (rank of X, n): a column for each element of X that is not 0. Their number comes with
 * the data.
 */

static bp_rc infer_non_zero(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[2];
    bp_rc rc = bp_rule_from_data(infer, dims, 2);

    if (rc < 0)
        return rc;
    if (bp_rule_ranked(x))
        dims[0] = bp_sym_of(x->rank);
    return bp_rule_set(infer, 0, BP_DTYPE_I64, 2, dims);
}

#define NON_ZERO(since, types)                                                                     \
    ROW(NonZero, since, INFER(infer_non_zero), IN(P("X", 'T', types)), OUT(P("Y", 0, BP_T(I64))),  \
        .sizes_from_data = true)

NON_ZERO(9, ALL3);
NON_ZERO(13, ALL4);

/* ---- OneHot ---------------------------------------------------------------------------------- */

/*
 * ONNX: OneHot 9, 11, 28.
 * The result has the shape of indices with a dimension of size depth put in at axis, -1 for
 * the last one, and the type of values, a pair of off and on. depth is a scalar of any
 * numeric type; without its content the size comes with the data.
 */

static bp_rc read_depth(struct bp_infer *infer, struct bp_sym *out)
{
    const struct bp_fact *depth = bp_rule_in(infer, 1);
    bp_rc rc = bp_rule_scalar(infer, 1);

    if (rc < 0)
        return rc;
    if (depth && depth->content && depth->n_content == 1)
        *out = depth->content[0];
    else if (depth && depth->reals && depth->n_content == 1 && depth->reals[0] >= 0 &&
             depth->reals[0] < 0x1p62)
        *out = bp_sym_of((int64_t)depth->reals[0]);
    else if (depth && depth->reals)
        return bp_fail(infer->err, BP_E_INVALID, "depth is not a size");
    else
        return bp_rule_from_data(infer, out, 1);
    if (bp_sym_known(*out) && out->value < 0)
        return bp_fail(infer->err, BP_E_INVALID, "depth is %" PRId64, out->value);
    return BP_OK;
}

static bp_rc infer_one_hot(struct bp_infer *infer)
{
    const struct bp_fact *indices = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK + 1], depth = bp_sym_of(0);
    uint32_t axis, from = 0;
    bp_rc rc = read_depth(infer, &depth);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 2, 1, 1);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 2, 0, bp_sym_of(2), "a pair of off and on");
    if (rc < 0)
        return rc;
    if (!bp_rule_ranked(indices))
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 2));
    rc = bp_rule_check_rank(infer, (uint64_t)indices->rank + 1);
    if (rc >= 0)
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", -1), indices->rank + 1,
                           "axis", &axis);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i <= indices->rank; i++)
        dims[i] = i == axis ? depth : indices->dims[from++];
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 2), indices->rank + 1, dims);
}

#define ONE_HOT(since, types)                                                                      \
    ROW(OneHot, since, INFER(infer_one_hot),                                                       \
        IN(P("indices", '1', NUMBER3), READ("depth", '2', NUMBER3), P("values", '3', types)),      \
        OUT(P("output", '3', types)), ATTRS(A_INT("axis", -1)))

ONE_HOT(9, ALL3);
ONE_HOT(11, ALL3);
ONE_HOT(28, ALL4);

/* ---- Unique ---------------------------------------------------------------------------------- */

/*
 * ONNX: Unique 11, 28.
 * com.microsoft: Unique 1.
 * Without axis X counts as flat and Y is a vector; with it, Y has the shape of X but along
 * axis. indices and counts have an element for each entry of Y, inverse_indices one for each
 * entry of X. How many entries Y has comes with the data. The operator of com.microsoft takes
 * vectors alone.
 */

/* Y, and how many items there are before the equal ones become one. */
static bp_rc unique_items(struct bp_infer *infer, struct bp_sym some, struct bp_sym *items)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t axis;
    bp_rc rc;

    if (!bp_rule_ranked(x)) {
        rc = bp_rule_from_data(infer, items, 1);
        if (rc < 0)
            return rc;
        if (!bp_ir_attr(infer->node, "axis"))
            return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 1, &some);
        return bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
    }
    if (!bp_ir_attr(infer->node, "axis")) {
        rc = bp_rule_product(infer, x->dims, x->rank, items);
        return rc < 0 ? rc : bp_rule_set(infer, 0, x->dtype, 1, &some);
    }
    rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 0), x->rank, "axis", &axis);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < x->rank; i++)
        dims[i] = i == axis ? some : x->dims[i];
    *items = x->dims[axis];
    return bp_rule_set(infer, 0, x->dtype, x->rank, dims);
}

static bp_rc infer_unique(struct bp_infer *infer)
{
    struct bp_sym some, items = bp_sym_of(0);
    bp_rc rc = bp_rule_from_data(infer, &some, 1);

    if (rc >= 0)
        rc = unique_items(infer, some, &items);
    if (rc >= 0)
        rc = bp_rule_set(infer, 1, BP_DTYPE_I64, 1, &some);
    if (rc >= 0)
        rc = bp_rule_set(infer, 2, BP_DTYPE_I64, 1, &items);
    if (rc >= 0)
        rc = bp_rule_set(infer, 3, BP_DTYPE_I64, 1, &some);
    return rc;
}

#define UNIQUE(since, types)                                                                       \
    ROW(Unique, since, INFER(infer_unique), IN(P("X", 'T', types)),                                \
        OUT(P("Y", 'T', types), OPT("indices", 0, BP_T(I64)),                                      \
            OPT("inverse_indices", 0, BP_T(I64)), OPT("counts", 0, BP_T(I64))),                    \
        ATTRS(A_INT_OPT("axis"), A_INT("sorted", 1)), .sizes_from_data = true)

UNIQUE(11, ALL3);
UNIQUE(28, ALL4);

static bp_rc infer_ms_unique(struct bp_infer *infer)
{
    struct bp_sym size;
    bp_rc rc = bp_rule_rank(infer, 0, 1, 1);

    if (rc >= 0)
        rc = bp_rule_from_data(infer, &size, 1);
    if (rc >= 0)
        rc = bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 1, &size);
    if (rc >= 0)
        rc = bp_rule_set(infer, 2, BP_DTYPE_I64, 1, &size);
    return rc < 0 ? rc : bp_rule_like(infer, 1, BP_DTYPE_I64, bp_rule_in(infer, 0));
}

MS_ROW(Unique, 1, INFER(infer_ms_unique), .sizes_from_data = true, IN(P("x", 'T', ALL4)),
       OUT(P("y", 'T', ALL4), P("idx", 0, BP_T(I64)), P("counts", 0, BP_T(I64))), NO_ATTRS);
