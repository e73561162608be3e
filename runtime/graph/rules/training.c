/* SPDX-License-Identifier: MIT */
/*
 * training.c - Adagrad, Adam and Momentum of ai.onnx.preview.training: a step of an optimizer for
 * any number of tensors. Behind R and T come all tensors, then all their gradients, then all of
 * each kind of state; outputs are the new tensors and the new state in that order.
 */

#include "config.h"

#include "graph/rules/rules.h"

/* ---- rules ---------------------------------------------------------------------------------- */

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
                       "behind R and T come %u inputs a tensor, but there are %u", kinds,
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

/* ---- rows ----------------------------------------------------------------------------------- */

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
