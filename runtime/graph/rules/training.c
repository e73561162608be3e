/* SPDX-License-Identifier: MIT */
/* training.c - losses, and optimizer steps of ai.onnx.preview.training. */

#include "config.h"

#include "graph/rules/common.h"

#define FAMILY BP_FAMILY_TRAINING

/* ---- losses ---------------------------------------------------------------------------------- */

/*
 * ONNX: NegativeLogLikelihoodLoss 12, 13, 22; SoftmaxCrossEntropyLoss 12, 13.
 * Scores are (N, C, d...), labels (N, d...), weights have an element for each of C classes.
 * The loss is a scalar, or (N, d...) with reduction "none"; log_prob has the shape of the
 * scores.
 */

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

/* ---- optimizers ------------------------------------------------------------------------------ */

/*
 * ai.onnx.preview.training: Adagrad 1; Adam 1; Momentum 1.
 * R and T, the learning rate and the number of steps so far, are scalars. Then come all
 * tensors, all their gradients, and of each kind of state all: one in Adagrad and Momentum,
 * two in Adam. Outputs are the new tensors and the new states, in that order; all have the
 * shapes and types of the tensors they belong to.
 */

/* A tensor of group `group` has the shape of the tensor that it belongs to. */
static bp_rc check_shape(struct bp_infer *infer, uint32_t i, uint32_t tensor)
{
    const struct bp_fact *own = bp_rule_in(infer, i), *x = bp_rule_in(infer, tensor);
    struct bp_sym common;
    bool fits = true;

    if (bp_rule_dtype(infer, i) != BP_DTYPE_NONE && bp_rule_dtype(infer, tensor) != BP_DTYPE_NONE)
        fits = bp_rule_dtype(infer, i) == bp_rule_dtype(infer, tensor);
    if (bp_rule_ranked(own) && bp_rule_ranked(x)) {
        fits = fits && own->rank == x->rank;
        for (uint32_t d = 0; fits && d < x->rank; d++)
            fits = bp_rule_unify(own->dims[d], x->dims[d], &common);
    }
    if (fits)
        return BP_OK;
    return bp_fail(infer->err, BP_E_SHAPE, "input %u has not type and shape of input %u", i,
                   tensor);
}

/* `states` kinds of state, beside tensors and gradients. */
static bp_rc infer_step(struct bp_infer *infer, uint32_t states)
{
    uint32_t kinds = 2 + states, n = (infer->node->n_in - 2) / kinds;
    bp_rc rc = bp_rule_scalar(infer, 0);

    if (rc >= 0)
        rc = bp_rule_scalar(infer, 1);
    if (rc < 0)
        return rc;
    if (infer->node->n_in < 2 || (infer->node->n_in - 2) % kinds != 0)
        return bp_fail(infer->err, BP_E_INVALID,
                       "after R and T come %u inputs a tensor, but there are %u", kinds,
                       infer->node->n_in - 2);
    if (infer->node->n_out != n * (1 + states))
        return bp_fail(infer->err, BP_E_INVALID, "%u tensors make %u outputs, but there are %u", n,
                       n * (1 + states), infer->node->n_out);
    for (uint32_t i = 0; i < n * kinds && rc >= 0; i++)
        rc = check_shape(infer, 2 + i, 2 + i % n);
    for (uint32_t i = 0; i < n * (1 + states) && rc >= 0; i++)
        rc = bp_rule_like(infer, i, bp_rule_dtype(infer, 2 + i % n), bp_rule_in(infer, 2 + i % n));
    return rc;
}

static bp_rc infer_adagrad(struct bp_infer *infer)
{
    return infer_step(infer, 1);
}

static bp_rc infer_adam(struct bp_infer *infer)
{
    return infer_step(infer, 2);
}

static bp_rc infer_momentum(struct bp_infer *infer)
{
    if (!bp_ir_attr_is(infer->node, "mode", "", "standard") &&
        !bp_ir_attr_is(infer->node, "mode", "", "nesterov"))
        return bp_fail(infer->err, BP_E_INVALID, "mode is neither standard nor nesterov");
    return infer_step(infer, 1);
}

#define REAL (BP_T(F32) | BP_T(F64))
/* clang-format off */
#define EACH(name) {name, REAL, BP_PARAM_VARIADIC | BP_PARAM_HETEROGENEOUS, 0, 0}
#define A_FLOAT_REQ(name_) {.name = name_, .type = BP_ATTR_FLOAT, .is_required = true}
/* clang-format on */
#define STEP(op, rule, ...)                                                                        \
    TRAINING_ROW(op, 1, INFER(rule),                                                               \
                 IN(P("R", 'R', REAL), P("T", 'I', BP_T(I64)), EACH("inputs")),                    \
                 OUT(EACH("outputs")), ATTRS(__VA_ARGS__))

STEP(Adagrad, infer_adagrad, A_FLOAT("decay_factor", 0.0f), A_FLOAT("epsilon", 1e-6f),
     A_FLOAT("norm_coefficient", 0.0f));
STEP(Adam, infer_adam, A_FLOAT("alpha", 0.9f), A_FLOAT("beta", 0.999f), A_FLOAT("epsilon", 1e-6f),
     A_FLOAT("norm_coefficient", 0.0f), A_FLOAT("norm_coefficient_post", 0.0f));
STEP(Momentum, infer_momentum, A_FLOAT_REQ("alpha"), A_FLOAT_REQ("beta"), A_STRING_REQ("mode"),
     A_FLOAT_REQ("norm_coefficient"));
