/* SPDX-License-Identifier: MIT */
/*
 * choose.c - TopK, Compress, NonZero, Unique, NonMaxSuppression and OneHot: elements that are
 * chosen, and choices that become elements. How many there are often comes with the data alone.
 */

#include "config.h"

#include "graph/rules/rules.h"

#include <inttypes.h>

/* ---- TopK ----------------------------------------------------------------------------------- */

/* How many are wanted: the attribute of version 1, else an input of one element. */
static bp_rc read_k(struct bp_infer *infer, struct bp_sym *out)
{
    struct bp_list list;
    bp_rc rc;

    if (bp_rule_has_attr(infer, "k")) {
        *out = bp_sym_of(bp_ir_attr_int(infer->node, "k", -1));
    } else {
        rc = bp_rule_list(infer, "", 1, &list);
        if (rc < 0)
            return rc;
        if (list.is_counted && list.n != 1)
            return bp_fail(infer->err, BP_E_SHAPE, "K has %u elements, but one is needed", list.n);
        if (!list.v)
            return bp_rule_from_data(infer, out, 1);
        *out = list.v[0];
    }
    if (bp_sym_known(*out) && out->value < 0)
        return bp_fail(infer->err, BP_E_INVALID, "%" PRId64 " elements are asked for", out->value);
    return BP_OK;
}

static bp_rc infer_topk(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK], k = bp_sym_of(0);
    uint32_t axis;
    bp_rc rc = read_k(infer, &k);

    if (rc >= 0 && !bp_rule_ranked(x)) {
        rc = bp_rule_unknown(infer, 0, bp_rule_dtype(infer, 0));
        return rc < 0 ? rc : bp_rule_unknown(infer, 1, BP_DTYPE_I64);
    }
    if (rc >= 0)
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", -1), x->rank, "axis", &axis);
    if (rc < 0)
        return rc;
    if (bp_sym_known(k) && bp_sym_known(x->dims[axis]) && k.value > x->dims[axis].value)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "%" PRId64 " elements are asked for, but axis %u has %" PRId64, k.value,
                       axis, x->dims[axis].value);
    for (uint32_t i = 0; i < x->rank; i++)
        dims[i] = i == axis ? k : x->dims[i];
    rc = bp_rule_set(infer, 0, x->dtype, x->rank, dims);
    return rc < 0 ? rc : bp_rule_set(infer, 1, BP_DTYPE_I64, x->rank, dims);
}

/* ---- Compress, NonZero ---------------------------------------------------------------------- */

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

/* ---- Unique --------------------------------------------------------------------------------- */

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

/* ---- NonMaxSuppression ---------------------------------------------------------------------- */

static bp_rc infer_non_max_suppression(struct bp_infer *infer)
{
    const struct bp_fact *boxes = bp_rule_in(infer, 0);
    struct bp_sym dims[2] = {{0}};
    bp_rc rc = bp_rule_rank(infer, 0, 3, 3);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 1, 3, 3);
    if (rc >= 0)
        rc = bp_rule_expect(infer, 0, 2, bp_sym_of(4), "a box");
    if (rc >= 0 && bp_rule_ranked(boxes)) {
        rc = bp_rule_expect(infer, 1, 0, boxes->dims[0], "boxes");
        if (rc >= 0)
            rc = bp_rule_expect(infer, 1, 2, boxes->dims[1], "boxes");
    }
    for (uint32_t i = 2; i < 5 && rc >= 0; i++)
        rc = bp_rule_scalar(infer, i);
    if (rc >= 0)
        rc = bp_rule_from_data(infer, dims, 1);
    if (rc < 0)
        return rc;
    dims[1] = bp_sym_of(3);
    return bp_rule_set(infer, 0, BP_DTYPE_I64, 2, dims);
}

/* ---- OneHot --------------------------------------------------------------------------------- */

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
        return bp_fail(infer->err, BP_E_INVALID, "depth is no size");
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
    rc = bp_rule_room(infer, (uint64_t)indices->rank + 1);
    if (rc >= 0)
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", -1), indices->rank + 1,
                           "axis", &axis);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i <= indices->rank; i++)
        dims[i] = i == axis ? depth : indices->dims[from++];
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 2), indices->rank + 1, dims);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define TOP_K(since, types, ...)                                                                   \
    ROW(TopK, since, INFER(infer_topk), IN(P("X", 'T', types), READ("K", 0, BP_T(I64))),           \
        OUT(P("Values", 'T', types), P("Indices", 'I', BP_T(I64))), ATTRS(__VA_ARGS__))

ROW(TopK, 1, INFER(infer_topk), IN(P("X", 'T', FLOAT3)),
    OUT(P("Values", 'T', FLOAT3), P("Indices", 'I', BP_T(I64))),
    ATTRS(A_INT("axis", -1), A_INT_REQ("k")));
TOP_K(10, FLOAT3, A_INT("axis", -1));
TOP_K(11, NUMBER3, A_INT("axis", -1), A_INT("largest", 1), A_INT("sorted", 1));
TOP_K(24, NUMBER, A_INT("axis", -1), A_INT("largest", 1), A_INT("sorted", 1));

#define COMPRESS(since)                                                                            \
    ROW(Compress, since, INFER(infer_compress),                                                    \
        IN(P("input", 'T', ALL3), P("condition", 0, BP_T(BOOL))), OUT(P("output", 'T', ALL3)),     \
        ATTRS(A_INT_OPT("axis")), .sizes_from_data = true)

COMPRESS(9);
COMPRESS(11);

#define NON_ZERO(since, types)                                                                     \
    ROW(NonZero, since, INFER(infer_non_zero), IN(P("X", 'T', types)), OUT(P("Y", 0, BP_T(I64))),  \
        .sizes_from_data = true)

NON_ZERO(9, ALL3);
NON_ZERO(13, ALL4);

ROW(Unique, 11, INFER(infer_unique), IN(P("X", 'T', ALL3)),
    OUT(P("Y", 'T', ALL3), OPT("indices", 0, BP_T(I64)), OPT("inverse_indices", 0, BP_T(I64)),
        OPT("counts", 0, BP_T(I64))),
    ATTRS(A_INT_OPT("axis"), A_INT("sorted", 1)), .sizes_from_data = true);

#define NON_MAX_SUPPRESSION(since)                                                                 \
    ROW(NonMaxSuppression, since, INFER(infer_non_max_suppression),                                \
        IN(P("boxes", 0, BP_T(F32)), P("scores", 0, BP_T(F32)),                                    \
           OPT("max_output_boxes_per_class", 0, BP_T(I64)), OPT("iou_threshold", 0, BP_T(F32)),    \
           OPT("score_threshold", 0, BP_T(F32))),                                                  \
        OUT(P("selected_indices", 0, BP_T(I64))), ATTRS(A_INT("center_point_box", 0)),             \
        .sizes_from_data = true)

NON_MAX_SUPPRESSION(10);
NON_MAX_SUPPRESSION(11);

#define ONE_HOT(since)                                                                             \
    ROW(OneHot, since, INFER(infer_one_hot),                                                       \
        IN(P("indices", '1', NUMBER3), READ("depth", '2', NUMBER3), P("values", '3', ALL3)),       \
        OUT(P("output", '3', ALL3)), ATTRS(A_INT("axis", -1)))

ONE_HOT(9);
ONE_HOT(11);
