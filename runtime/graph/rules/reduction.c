/* SPDX-License-Identifier: MIT */
/* reduction.c - Reduce operators, ArgMax, ArgMin, CumSum, CumProd, TopK and SumTo. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>

#define FAMILY BP_FAMILY_REDUCTION

/* ---- Reduce operators ------------------------------------------------------------------------ */

/*
 * ONNX: ReduceL1 1, 11, 13, 18; ReduceL2 1, 11, 13, 18; ReduceLogSum 1, 11, 13, 18, 28;
 *   ReduceLogSumExp 1, 11, 13, 18, 28; ReduceMax 1, 11, 12, 13, 18, 20; ReduceMean 1, 11, 13, 18;
 *   ReduceMin 1, 11, 12, 13, 18, 20; ReduceProd 1, 11, 13, 18; ReduceSum 1, 11, 13;
 *   ReduceSumSquare 1, 11, 13, 18.
 * Axes in axes, all where there are none, have size 1 in the result, or are dropped with
 * keepdims=0. axes is an attribute first and an input from 18 on (ReduceSum: 13);
 * noop_with_empty_axes makes an empty list mean none. Without the content of axes the rank is
 * known where the list is counted.
 * Content: a vector that ReduceSum, ReduceProd, ReduceMax or ReduceMin makes one element.
 */

/* The axes are not known yet: at most the rank is known, or sizes that are 1 in any case. */
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
BY_INPUT(ReduceLogSum, 28, infer_reduce, FLOAT);

BY_ATTR(ReduceLogSumExp, 1, infer_reduce, WIDE3);
BY_ATTR(ReduceLogSumExp, 11, infer_reduce, WIDE3);
BY_ATTR(ReduceLogSumExp, 13, infer_reduce, WIDE);
BY_INPUT(ReduceLogSumExp, 18, infer_reduce, WIDE);
BY_INPUT(ReduceLogSumExp, 28, infer_reduce, FLOAT);

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

/* ---- ArgMax, ArgMin -------------------------------------------------------------------------- */

/*
 * ONNX: ArgMax 1, 11, 12, 13; ArgMin 1, 11, 12, 13.
 * The result is int64 and has the shape of data with size 1 along axis, or without it for
 * keepdims=0.
 */

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

/* ---- CumSum, CumProd ------------------------------------------------------------------------- */

/*
 * ONNX: CumSum 11, 14; CumProd 26.
 * y has the shape and type of x. axis is a scalar input, checked where its content is known.
 */

/* An axis of input 0 that is an input; checked where its value is known. */
static bp_rc infer_cumulative(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *given = bp_rule_in(infer, 1);
    uint32_t axis;
    bp_rc rc = bp_rule_scalar(infer, 1);

    if (rc >= 0 && bp_rule_ranked(x) && given && given->content && given->n_content == 1 &&
        bp_sym_known(given->content[0]))
        rc = bp_infer_axis(infer, given->content[0].value, x->rank, "axis", &axis);
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

#define CUMULATIVE(op, since, types)                                                               \
    ROW(op, since, INFER(infer_cumulative), IN(P("x", 'T', types), P("axis", '2', INDEX)),         \
        OUT(P("y", 'T', types)), ATTRS(A_INT("exclusive", 0), A_INT("reverse", 0)))

CUMULATIVE(CumSum, 11, BP_T(F32) | BP_T(F64) | INDEX | BP_T(U32) | BP_T(U64));
CUMULATIVE(CumSum, 14, WIDE);
CUMULATIVE(CumProd, 26, WIDE);

/* ---- TopK ------------------------------------------------------------------------------------ */

/*
 * ONNX: TopK 1, 10, 11, 24.
 * Values and Indices have the shape of X with K entries along axis, at most as many as X has.
 * K is an attribute in version 1 and an input of one element from 10 on; without its content
 * the size comes with the data.
 */

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

#define TOP_K(since, types, ...)                                                                   \
    ROW(TopK, since, INFER(infer_topk), IN(P("X", 'T', types), READ("K", 0, BP_T(I64))),           \
        OUT(P("Values", 'T', types), P("Indices", 'I', BP_T(I64))), ATTRS(__VA_ARGS__))

ROW(TopK, 1, INFER(infer_topk), IN(P("X", 'T', FLOAT3)),
    OUT(P("Values", 'T', FLOAT3), P("Indices", 'I', BP_T(I64))),
    ATTRS(A_INT("axis", -1), A_INT_REQ("k")));
TOP_K(10, FLOAT3, A_INT("axis", -1));
TOP_K(11, NUMBER3, A_INT("axis", -1), A_INT("largest", 1), A_INT("sorted", 1));
TOP_K(24, NUMBER, A_INT("axis", -1), A_INT("largest", 1), A_INT("sorted", 1));

/* ---- SumTo ----------------------------------------------------------------------------------- */

/*
 * org.backplane: SumTo 1.
 * An operator of this host alone, for gradients: sums x over the dimensions in which `like`
 * was broadcast to it, so that y has the shape of `like`.
 */

/* The shape of `like`, which has to broadcast to that of x. */
static bp_rc infer_sum_to(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *like = bp_rule_in(infer, 1);

    if (bp_rule_ranked(x) && bp_rule_ranked(like)) {
        bp_rc rc = bp_rule_fits_onto(infer, x, like);

        if (rc < 0)
            return rc;
    }
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), like);
}

OWN_ROW(SumTo, 1, INFER(infer_sum_to), IN(P("x", 'T', FLOAT | INDEX), P("like", 'L', BP_T_ANY)),
        OUT(P("y", 'T', FLOAT | INDEX)));
