/* SPDX-License-Identifier: MIT */
/*
 * norms.c - GroupNormalization, RMSNormalization, LpNormalization, MeanVarianceNormalization. The
 * older relatives are in normalization.c.
 */

#include "config.h"

#include "graph/rules/rules.h"

#include <inttypes.h>

/* ---- rules ---------------------------------------------------------------------------------- */

static bp_rc like_first(struct bp_infer *infer)
{
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), bp_rule_in(infer, 0));
}

/* Attribute stash_type names the type that sums are taken in. */
static bp_rc check_stash(struct bp_infer *infer)
{
    int64_t stash = bp_ir_attr_int(infer->node, "stash_type", BP_DTYPE_F32);

    if (stash >= 0 && stash < BP_DTYPE_END && (FLOAT >> stash & 1))
        return BP_OK;
    return bp_fail(infer->err, BP_E_INVALID,
                   "stash_type is %" PRId64 ", no floating-point type of 16 bits or more", stash);
}

/* scale and bias have a number a group in version 18, a number a channel from 21 on. */
static bp_rc infer_group_normalization(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    int64_t groups = bp_ir_attr_int(infer->node, "num_groups", 0);
    bool by_group = infer->node->schema->since < 21;
    struct bp_sym count = bp_sym_of(groups);
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (groups < 1)
        return bp_fail(infer->err, BP_E_INVALID, "num_groups is %" PRId64 ", below 1", groups);
    if (bp_rule_ranked(x) && bp_sym_known(x->dims[1]) && x->dims[1].value % groups != 0)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "%" PRId64 " channels cannot be shared among %" PRId64 " groups",
                       x->dims[1].value, groups);
    rc = check_stash(infer);
    if (!by_group)
        count = bp_rule_ranked(x) ? x->dims[1] : bp_sym_of(0);
    for (uint32_t i = 1; i < 3 && rc >= 0; i++) {
        rc = bp_rule_rank(infer, i, 1, 1);
        if (rc >= 0 && (by_group || bp_rule_ranked(x)))
            rc = bp_rule_expect(infer, i, 0, count,
                                by_group ? "num_groups" : "the number of channels");
    }
    if (rc < 0)
        return rc;
    return like_first(infer);
}

static bp_rc infer_rms_normalization(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    uint32_t axis;
    bp_rc rc = check_stash(infer);

    if (rc >= 0 && bp_rule_ranked(x))
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", -1), x->rank, "axis", &axis);
    if (rc >= 0)
        rc = bp_rule_fits_onto(infer, x, bp_rule_in(infer, 1));
    if (rc < 0)
        return rc;
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 1), x);
}

static bp_rc infer_lp_normalization(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    int64_t p = bp_ir_attr_int(infer->node, "p", 2);
    uint32_t axis;
    bp_rc rc = BP_OK;

    if (p != 1 && p != 2)
        return bp_fail(infer->err, BP_E_INVALID, "p is %" PRId64 ", neither 1 nor 2", p);
    if (bp_rule_ranked(x))
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", -1), x->rank, "axis", &axis);
    if (rc < 0)
        return rc;
    return like_first(infer);
}

static bp_rc infer_mean_variance(struct bp_infer *infer)
{
    static const struct bp_sym images[] = {{.value = 0}, {.value = 2}, {.value = 3}};
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_list axes;
    uint64_t mask;
    bp_rc rc = bp_rule_list(infer, "axes", BP_NONE, &axes);

    if (rc >= 0 && !axes.is_given) {
        axes.v = images;
        axes.n = 3;
    }
    if (rc >= 0 && bp_rule_ranked(x))
        rc = bp_rule_axes(infer, &axes, x->rank, false, &mask);
    if (rc < 0)
        return rc;
    return like_first(infer);
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define EPSILON A_FLOAT("epsilon", 1e-5f)
#define STASH A_INT("stash_type", 1)

#define GROUP_NORMALIZATION(since, ...)                                                            \
    ROW(GroupNormalization, since, INFER(infer_group_normalization),                               \
        IN(P("X", 'T', FLOAT), P("scale", 'T', FLOAT), P("bias", 'T', FLOAT)),                     \
        OUT(P("Y", 'T', FLOAT)), ATTRS(EPSILON, A_INT_REQ("num_groups"), __VA_ARGS__))

GROUP_NORMALIZATION(18, );
GROUP_NORMALIZATION(21, STASH);

ROW(RMSNormalization, 23, INFER(infer_rms_normalization),
    IN(P("X", 'T', FLOAT), P("scale", 'V', FLOAT)), OUT(P("Y", 'V', FLOAT)),
    ATTRS(A_INT("axis", -1), EPSILON, STASH));

#define LP_NORMALIZATION(since, types)                                                             \
    ROW(LpNormalization, since, INFER(infer_lp_normalization), IN(P("input", 'T', types)),         \
        OUT(P("output", 'T', types)), ATTRS(A_INT("axis", -1), A_INT("p", 2)))

LP_NORMALIZATION(1, FLOAT3);
LP_NORMALIZATION(22, FLOAT);

#define MEAN_VARIANCE(since, types)                                                                \
    ROW(MeanVarianceNormalization, since, INFER(infer_mean_variance), IN(P("X", 'T', types)),      \
        OUT(P("Y", 'T', types)), ATTRS(A_INTS("axes")))

MEAN_VARIANCE(9, FLOAT3);
MEAN_VARIANCE(13, FLOAT);
