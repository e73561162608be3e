/* SPDX-License-Identifier: MIT */
/* elementwise_variadic.c - Max, Mean, Min and Sum of any number of tensors, and Where. */

#include "config.h"

#include "graph/rules/common.h"

#define FAMILY BP_FAMILY_ELEMENTWISE

/* ---- Max, Mean, Min, Sum --------------------------------------------------------------------- */

/*
 * ONNX: Max 1, 6, 8, 12, 13; Min 1, 6, 8, 12, 13; Sum 1, 6, 8, 13; Mean 1, 6, 8, 13.
 * One input or more, of one type, that of the result. From version 8 on they broadcast in
 * both directions, before they have one shape. The content of Max and Min of integers is
 * followed.
 */

/* A shape that is being computed, and its sizes. */
struct shape {
    struct bp_fact fact;
    struct bp_sym dims[BP_MAX_RANK];
};

/* The first version with broadcasting is 8; before, all inputs have one shape. */
static bp_rc broadcast_two(struct bp_infer *infer, const struct bp_fact *a, const struct bp_fact *b,
                           struct shape *out)
{
    const struct bp_fact unknown = {.rank = BP_RANK_UNKNOWN};
    bp_rc rc;

    out->fact = unknown;
    if (!bp_rule_ranked(a) || !bp_rule_ranked(b))
        return BP_OK;
    out->fact.dtype = b->dtype;
    out->fact.dims = out->dims;
    if (infer->node->schema->since >= 8)
        return bp_infer_broadcast(infer, a, b, &out->fact.rank, out->dims);

    rc = a->rank == b->rank ? BP_OK : BP_E_SHAPE;
    for (uint32_t i = 0; i < a->rank && rc >= 0; i++) {
        if (!bp_rule_unify(a->dims[i], b->dims[i], &out->dims[i]))
            rc = BP_E_SHAPE;
    }
    if (rc < 0) {
        char a_text[160], b_text[160];

        bp_fact_text(a, infer->symbols, a_text, sizeof a_text);
        bp_fact_text(b, infer->symbols, b_text, sizeof b_text);
        return bp_fail(infer->err, BP_E_SHAPE,
                       "inputs are %s and %s, but before version 8 all must have one shape", a_text,
                       b_text);
    }
    out->fact.rank = a->rank;
    return BP_OK;
}

/* The content of all inputs goes to output 0, whose shape is set; fn takes two at a time. */
static bp_rc combine_content(struct bp_infer *infer, bp_pair_fn fn)
{
    const struct bp_fact *out = &infer->out[0];
    struct bp_fact so_far;

    if (!bp_rule_in(infer, 0))
        return BP_OK;
    so_far = *bp_rule_in(infer, 0);
    for (uint32_t i = 1; i < infer->node->n_in; i++) {
        const struct bp_sym *v;
        uint32_t n;
        bp_rc rc =
            bp_content_zip(infer, fn, &so_far, bp_rule_in(infer, i), out, out->dtype, &v, &n);

        if (rc < 0 || !v)
            return rc;
        so_far = *out;
        so_far.content = v;
        so_far.n_content = n;
    }
    return bp_rule_same_content(infer, 0, &so_far);
}

static bp_rc variadic(struct bp_infer *infer, bp_pair_fn fn)
{
    struct shape shapes[2];
    const struct bp_fact *so_far = bp_rule_in(infer, 0);
    uint32_t dtype = bp_rule_dtype(infer, 0);
    bp_rc rc;

    for (uint32_t i = 1; i < infer->node->n_in; i++) {
        rc = broadcast_two(infer, so_far, bp_rule_in(infer, i), &shapes[i % 2]);
        if (rc < 0)
            return rc;
        so_far = &shapes[i % 2].fact;
        if (dtype == BP_DTYPE_NONE)
            dtype = bp_rule_dtype(infer, i);
    }
    rc = bp_rule_like(infer, 0, dtype, so_far);
    if (rc < 0 || !fn || !bp_rule_wants(infer, 0))
        return rc;
    return combine_content(infer, fn);
}

static bp_rc infer_sum(struct bp_infer *infer)
{
    return variadic(infer, NULL);
}

static bp_rc infer_min(struct bp_infer *infer)
{
    return variadic(infer, bp_pair_min);
}

static bp_rc infer_max(struct bp_infer *infer)
{
    return variadic(infer, bp_pair_max);
}

#define VARIADIC(op, since, rule, out, types, attrs)                                               \
    ROW(op, since, INFER(rule), IN(MANY("data_0", 'T', types)), OUT(P(out, 'T', types)), attrs)
#define OLD ATTRS(A_INTS("consumed_inputs"))

VARIADIC(Max, 1, infer_max, "max", FLOAT3, OLD);
VARIADIC(Max, 6, infer_max, "max", FLOAT3, NO_ATTRS);
VARIADIC(Max, 8, infer_max, "max", FLOAT3, NO_ATTRS);
VARIADIC(Max, 12, infer_max, "max", NUMBER3, NO_ATTRS);
VARIADIC(Max, 13, infer_max, "max", NUMBER, NO_ATTRS);

VARIADIC(Min, 1, infer_min, "min", FLOAT3, OLD);
VARIADIC(Min, 6, infer_min, "min", FLOAT3, NO_ATTRS);
VARIADIC(Min, 8, infer_min, "min", FLOAT3, NO_ATTRS);
VARIADIC(Min, 12, infer_min, "min", NUMBER3, NO_ATTRS);
VARIADIC(Min, 13, infer_min, "min", NUMBER, NO_ATTRS);

VARIADIC(Sum, 1, infer_sum, "sum", FLOAT3, OLD);
VARIADIC(Sum, 6, infer_sum, "sum", FLOAT3, NO_ATTRS);
VARIADIC(Sum, 8, infer_sum, "sum", FLOAT3, NO_ATTRS);
VARIADIC(Sum, 13, infer_sum, "sum", FLOAT, NO_ATTRS);

VARIADIC(Mean, 1, infer_sum, "mean", FLOAT3, OLD);
VARIADIC(Mean, 6, infer_sum, "mean", FLOAT3, NO_ATTRS);
VARIADIC(Mean, 8, infer_sum, "mean", FLOAT3, NO_ATTRS);
VARIADIC(Mean, 13, infer_sum, "mean", FLOAT, NO_ATTRS);

/* ---- Where ----------------------------------------------------------------------------------- */

/*
 * ONNX: Where 9, 16.
 * condition, X and Y broadcast to one shape in both directions; the result has the type of X
 * and Y. An element is followed where the condition is known, or both choices are equal.
 */

static bp_rc where_content(struct bp_infer *infer, const struct bp_fact *condition,
                           const struct bp_fact *x, const struct bp_fact *y)
{
    const struct bp_fact *out = &infer->out[0];
    struct bp_sym *v;
    uint32_t n;

    if (!bp_content_is_whole(condition) || !bp_content_is_whole(x) || !bp_content_is_whole(y) ||
        !bp_content_count(out, &n))
        return BP_OK;
    v = bp_region_array(infer->region, n, sizeof *v);
    if (!v)
        return bp_fail_nomem(infer->err, "a content");
    for (uint32_t i = 0; i < n; i++) {
        struct bp_sym asked = condition->content[bp_content_source(out, condition, i)];
        struct bp_sym if_true = x->content[bp_content_source(out, x, i)];
        struct bp_sym if_false = y->content[bp_content_source(out, y, i)];

        if (!bp_sym_known(asked) && !bp_sym_equal(if_true, if_false))
            return BP_OK;
        v[i] = !bp_sym_known(asked) || asked.value ? if_true : if_false;
    }
    return bp_infer_set_content(infer, 0, v, n);
}

static bp_rc infer_where(struct bp_infer *infer)
{
    const struct bp_fact *condition = bp_rule_in(infer, 0);
    const struct bp_fact *x = bp_rule_in(infer, 1);
    const struct bp_fact *y = bp_rule_in(infer, 2);
    uint32_t dtype = bp_rule_dtype(infer, 1);
    struct shape both, all;
    bp_rc rc;

    rc = broadcast_two(infer, x, y, &both);
    if (rc < 0)
        return rc;
    rc = broadcast_two(infer, condition, &both.fact, &all);
    if (rc < 0)
        return rc;
    rc =
        bp_rule_like(infer, 0, dtype != BP_DTYPE_NONE ? dtype : bp_rule_dtype(infer, 2), &all.fact);
    if (rc < 0 || !bp_rule_wants(infer, 0))
        return rc;
    return where_content(infer, condition, x, y);
}

#define WHERE(since, types)                                                                        \
    ROW(Where, since, INFER(infer_where),                                                          \
        IN(P("condition", 'B', BP_T(BOOL)), P("X", 'T', types), P("Y", 'T', types)),               \
        OUT(P("output", 'T', types)))

WHERE(9, ALL3);
WHERE(16, ALL4);
