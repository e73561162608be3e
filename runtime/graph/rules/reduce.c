/* SPDX-License-Identifier: MIT */
/* reduce.c - the ten Reduce operators, ArgMax, ArgMin. */

#include "config.h"

#include "graph/rules/rules.h"

/* ---- rules ---------------------------------------------------------------------------------- */

/* The axes are not told yet: at most the rank is known, or sizes that are 1 either way. */
static bp_rc reduce_unknown(struct bp_infer *infer, const struct bp_list *axes, bool keep)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    uint32_t dtype = bp_rule_dtype(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t rank;
    bp_rc rc;

    if (!bp_rule_ranked(data))
        return bp_rule_unknown(infer, 0, dtype);
    if (!keep && (!axes->is_counted || axes->n == 0 || axes->n > data->rank))
        return bp_rule_unknown(infer, 0, dtype);
    rank = keep ? data->rank : data->rank - axes->n;
    rc = bp_rule_from_data(infer, dims, rank);
    if (rc < 0)
        return rc;
    for (uint32_t i = 0; i < rank && keep; i++) {
        if (bp_sym_known(data->dims[i]) && data->dims[i].value == 1)
            dims[i] = bp_sym_of(1);
    }
    return bp_rule_set(infer, 0, dtype, rank, dims);
}

/* Sets output 0 to data without (or with a 1 for) the axes in `gone`. */
static bp_rc reduced_shape(struct bp_infer *infer, uint64_t gone, bool keep, uint32_t dtype)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t rank = 0;

    for (uint32_t i = 0; i < data->rank; i++) {
        if (!(gone >> i & 1))
            dims[rank++] = data->dims[i];
        else if (keep)
            dims[rank++] = bp_sym_of(1);
    }
    return bp_rule_set(infer, 0, dtype, rank, dims);
}

/* A list that is reduced to one element, as ReduceProd does with a shape. */
static bp_rc reduce_content(struct bp_infer *infer, uint64_t gone, bp_pair_fn fn)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    struct bp_sym v = bp_sym_of(0);
    bool known;
    bp_rc rc;

    if (!fn || data->rank != 1 || gone != 1 || !bp_content_is_whole(data) ||
        !bp_rule_wants(infer, 0))
        return BP_OK;
    rc = bp_content_fold(infer, fn, data->content, data->n_content, data->dtype, &v, &known);
    if (rc < 0 || !known)
        return rc;
    return bp_infer_set_content(infer, 0, &v, 1);
}

static bp_rc reduce(struct bp_infer *infer, bp_pair_fn fn)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    bool keep = bp_ir_attr_int(infer->node, "keepdims", 1) != 0;
    struct bp_list axes;
    uint64_t gone;
    bp_rc rc = bp_rule_list(infer, "axes", 1, &axes);

    if (rc < 0)
        return rc;
    if (axes.is_counted && axes.n == 0)
        axes.is_given = false;
    if (!bp_rule_ranked(data) || (axes.is_given && !bp_list_is_exact(&axes)))
        return reduce_unknown(infer, &axes, keep);

    gone = data->rank == 64 ? UINT64_MAX : (UINT64_C(1) << data->rank) - 1;
    if (axes.is_given)
        rc = bp_rule_axes(infer, &axes, data->rank, true, &gone);
    else if (bp_ir_attr_int(infer->node, "noop_with_empty_axes", 0) != 0)
        gone = 0;
    if (rc < 0)
        return rc;
    rc = reduced_shape(infer, gone, keep, data->dtype);
    if (rc < 0)
        return rc;
    return reduce_content(infer, gone, fn);
}

static bp_rc infer_reduce(struct bp_infer *infer)
{
    return reduce(infer, NULL);
}

static bp_rc infer_reduce_sum(struct bp_infer *infer)
{
    return reduce(infer, bp_pair_add);
}

static bp_rc infer_reduce_prod(struct bp_infer *infer)
{
    return reduce(infer, bp_pair_mul);
}

static bp_rc infer_reduce_max(struct bp_infer *infer)
{
    return reduce(infer, bp_pair_max);
}

static bp_rc infer_reduce_min(struct bp_infer *infer)
{
    return reduce(infer, bp_pair_min);
}

static bp_rc infer_arg(struct bp_infer *infer)
{
    const struct bp_fact *data = bp_rule_in(infer, 0);
    bool keep = bp_ir_attr_int(infer->node, "keepdims", 1) != 0;
    uint32_t axis;
    bp_rc rc;

    if (!bp_rule_ranked(data))
        return bp_rule_unknown(infer, 0, BP_DTYPE_I64);
    rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 0), data->rank, "axis", &axis);
    if (rc < 0)
        return rc;
    return reduced_shape(infer, UINT64_C(1) << axis, keep, BP_DTYPE_I64);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define BY_ATTR(op, since, rule, types)                                                            \
    ROW(op, since, INFER(rule), IN(P("data", 'T', types)), OUT(P("reduced", 'T', types)),          \
        ATTRS(A_INTS("axes"), A_INT("keepdims", 1)))
#define BY_INPUT(op, since, rule, types)                                                           \
    ROW(op, since, INFER(rule), IN(P("data", 'T', types), OPT_READ("axes", 0, BP_T(I64))),         \
        OUT(P("reduced", 'T', types)),                                                             \
        ATTRS(A_INT("keepdims", 1), A_INT("noop_with_empty_axes", 0)))

#define BYTES (BP_T(I8) | BP_T(U8))

BY_ATTR(ReduceL1, 1, infer_reduce, WIDE3);
BY_ATTR(ReduceL1, 11, infer_reduce, WIDE3);
BY_ATTR(ReduceL1, 13, infer_reduce, WIDE);
BY_INPUT(ReduceL1, 18, infer_reduce, WIDE);

BY_ATTR(ReduceL2, 1, infer_reduce, WIDE3);
BY_ATTR(ReduceL2, 11, infer_reduce, WIDE3);
BY_ATTR(ReduceL2, 13, infer_reduce, WIDE);
BY_INPUT(ReduceL2, 18, infer_reduce, WIDE);

BY_ATTR(ReduceLogSum, 1, infer_reduce, WIDE3);
BY_ATTR(ReduceLogSum, 11, infer_reduce, WIDE3);
BY_ATTR(ReduceLogSum, 13, infer_reduce, WIDE);
BY_INPUT(ReduceLogSum, 18, infer_reduce, WIDE);

BY_ATTR(ReduceLogSumExp, 1, infer_reduce, WIDE3);
BY_ATTR(ReduceLogSumExp, 11, infer_reduce, WIDE3);
BY_ATTR(ReduceLogSumExp, 13, infer_reduce, WIDE);
BY_INPUT(ReduceLogSumExp, 18, infer_reduce, WIDE);

BY_ATTR(ReduceMax, 1, infer_reduce_max, WIDE3);
BY_ATTR(ReduceMax, 11, infer_reduce_max, WIDE3);
BY_ATTR(ReduceMax, 12, infer_reduce_max, WIDE3 | BYTES);
BY_ATTR(ReduceMax, 13, infer_reduce_max, WIDE | BYTES);
BY_INPUT(ReduceMax, 18, infer_reduce_max, WIDE | BYTES);
BY_INPUT(ReduceMax, 20, infer_reduce_max, WIDE | BYTES | BP_T(BOOL));

BY_ATTR(ReduceMean, 1, infer_reduce, WIDE3);
BY_ATTR(ReduceMean, 11, infer_reduce, WIDE3);
BY_ATTR(ReduceMean, 13, infer_reduce, WIDE);
BY_INPUT(ReduceMean, 18, infer_reduce, WIDE);

BY_ATTR(ReduceMin, 1, infer_reduce_min, WIDE3);
BY_ATTR(ReduceMin, 11, infer_reduce_min, WIDE3);
BY_ATTR(ReduceMin, 12, infer_reduce_min, WIDE3 | BYTES);
BY_ATTR(ReduceMin, 13, infer_reduce_min, WIDE | BYTES);
BY_INPUT(ReduceMin, 18, infer_reduce_min, WIDE | BYTES);
BY_INPUT(ReduceMin, 20, infer_reduce_min, WIDE | BYTES | BP_T(BOOL));

BY_ATTR(ReduceProd, 1, infer_reduce_prod, WIDE3);
BY_ATTR(ReduceProd, 11, infer_reduce_prod, WIDE3);
BY_ATTR(ReduceProd, 13, infer_reduce_prod, WIDE);
BY_INPUT(ReduceProd, 18, infer_reduce_prod, WIDE);

BY_ATTR(ReduceSum, 1, infer_reduce_sum, WIDE3);
BY_ATTR(ReduceSum, 11, infer_reduce_sum, WIDE3);
BY_INPUT(ReduceSum, 13, infer_reduce_sum, WIDE);

BY_ATTR(ReduceSumSquare, 1, infer_reduce, WIDE3);
BY_ATTR(ReduceSumSquare, 11, infer_reduce, WIDE3);
BY_ATTR(ReduceSumSquare, 13, infer_reduce, WIDE);
BY_INPUT(ReduceSumSquare, 18, infer_reduce, WIDE);

#define ARG(op, since, types, ...)                                                                 \
    ROW(op, since, INFER(infer_arg), IN(P("data", 'T', types)), OUT(P("reduced", 0, BP_T(I64))),   \
        ATTRS(A_INT("axis", 0), A_INT("keepdims", 1) __VA_ARGS__))
#define TIES , A_INT("select_last_index", 0)

ARG(ArgMax, 1, NUMBER3);
ARG(ArgMax, 11, NUMBER3);
ARG(ArgMax, 12, NUMBER3, TIES);
ARG(ArgMax, 13, NUMBER, TIES);
ARG(ArgMin, 1, NUMBER3);
ARG(ArgMin, 11, NUMBER3);
ARG(ArgMin, 12, NUMBER3, TIES);
ARG(ArgMin, 13, NUMBER, TIES);
