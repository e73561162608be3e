/* SPDX-License-Identifier: MIT */
/* loss.c - NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss. */

#include "config.h"

#include "graph/rules/rules.h"

/* ---- rules ---------------------------------------------------------------------------------- */

/* Input 0 is (N, C, d...), input 1 (N, d...), input 2 has a weight a class. */
static bp_rc check_classes(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_rank(infer, 2, 1, 1);
    if (rc < 0 || !bp_rule_ranked(x))
        return rc;
    rc = bp_rule_rank(infer, 1, x->rank - 1, x->rank - 1);
    for (uint32_t i = 0; i + 1 < x->rank && rc >= 0; i++)
        rc = bp_rule_expect(infer, 1, i, x->dims[i > 0 ? i + 1 : 0], bp_rule_name(infer, 0));
    if (rc >= 0)
        rc = bp_rule_expect(infer, 2, 0, x->dims[1], "the number of classes");
    return rc;
}

/* One loss for all, or with reduction "none" one for each label. */
static bp_rc set_loss(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0), *labels = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];

    if (bp_ir_attr_is(infer->node, "reduction", "mean", "mean") ||
        bp_ir_attr_is(infer->node, "reduction", "mean", "sum"))
        return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), 0, NULL);
    if (!bp_ir_attr_is(infer->node, "reduction", "mean", "none"))
        return bp_fail(infer->err, BP_E_INVALID, "reduction is none of none, mean and sum");
    if (!bp_rule_ranked(x) || !bp_rule_ranked(labels))
        return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), labels);
    for (uint32_t i = 0; i < labels->rank; i++)
        (void)bp_rule_unify(labels->dims[i], x->dims[i > 0 ? i + 1 : 0], &dims[i]);
    return bp_rule_set(infer, 0, bp_rule_dtype(infer, 0), labels->rank, dims);
}

static bp_rc infer_likelihood(struct bp_infer *infer)
{
    bp_rc rc = check_classes(infer);

    if (rc < 0)
        return rc;
    return set_loss(infer);
}

static bp_rc infer_cross_entropy(struct bp_infer *infer)
{
    bp_rc rc = infer_likelihood(infer);

    if (rc < 0)
        return rc;
    return bp_rule_like(infer, 1, bp_rule_dtype(infer, 0), bp_rule_in(infer, 0));
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define LOSS_ATTRS ATTRS(A_INT_OPT("ignore_index"), A_STRING("reduction", "mean"))

#define LIKELIHOOD(since, types)                                                                   \
    ROW(NegativeLogLikelihoodLoss, since, INFER(infer_likelihood),                                 \
        IN(P("input", 'T', types), P("target", 'I', INDEX), OPT("weight", 'T', types)),            \
        OUT(P("loss", 'T', types)), LOSS_ATTRS)

LIKELIHOOD(12, FLOAT3);
LIKELIHOOD(13, FLOAT3);
LIKELIHOOD(22, FLOAT);

#define CROSS_ENTROPY(since, types)                                                                \
    ROW(SoftmaxCrossEntropyLoss, since, INFER(infer_cross_entropy),                                \
        IN(P("scores", 'T', types), P("labels", 'I', INDEX), OPT("weights", 'T', types)),          \
        OUT(P("output", 'T', types), OPT("log_prob", 'T', types)), LOSS_ATTRS)

CROSS_ENTROPY(12, FLOAT3);
CROSS_ENTROPY(13, FLOAT);
