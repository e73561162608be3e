/* SPDX-License-Identifier: MIT */
/* unary.c - operators whose result has the shape and type of their first input. */

#include "config.h"

#include "graph/rules/rules.h"

/* ---- rules ---------------------------------------------------------------------------------- */

static bp_rc infer_same(struct bp_infer *infer)
{
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), bp_rule_in(infer, 0));
}

static bp_rc map_content(struct bp_infer *infer, bp_pair_fn fn)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    const struct bp_sym *v;
    uint32_t n;
    bp_rc rc = infer_same(infer);

    if (rc < 0 || !bp_rule_wants(infer, 0))
        return rc;
    rc = bp_content_zip(infer, fn, x, x, &infer->out[0], x ? x->dtype : BP_DTYPE_NONE, &v, &n);
    if (rc < 0 || !v)
        return rc;
    return bp_infer_set_content(infer, 0, v, n);
}

static bp_rc not_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                    bool *known)
{
    (void)infer;
    (void)b;
    *known = bp_sym_known(a);
    *out = bp_sym_of(!a.value);
    return BP_OK;
}

static bp_rc neg_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                    bool *known)
{
    (void)b;
    return bp_pair_sub(infer, bp_sym_of(0), a, out, known);
}

static bp_rc abs_fn(struct bp_infer *infer, struct bp_sym a, struct bp_sym b, struct bp_sym *out,
                    bool *known)
{
    *out = a;
    *known = bp_rule_is_size(infer, a);
    return *known || !bp_sym_known(a) ? BP_OK : neg_fn(infer, a, b, out, known);
}

static bp_rc infer_not(struct bp_infer *infer)
{
    return map_content(infer, not_fn);
}

static bp_rc infer_neg(struct bp_infer *infer)
{
    return map_content(infer, neg_fn);
}

static bp_rc infer_abs(struct bp_infer *infer)
{
    return map_content(infer, abs_fn);
}

/* Clip: the limits are attributes up to version 6, then inputs. */
static bp_rc infer_clip(struct bp_infer *infer)
{
    for (uint32_t i = 1; i < infer->node->n_in; i++) {
        bp_rc rc = bp_rule_scalar(infer, i);

        if (rc < 0)
            return rc;
    }
    return infer_same(infer);
}

static bp_rc infer_dropout(struct bp_infer *infer)
{
    const struct bp_param *mask = bp_schema_out(infer->node->schema, 1);
    bp_rc rc = infer_clip(infer); /* ratio and training_mode are single numbers, too */

    if (rc < 0)
        return rc;
    return bp_rule_like(infer, 1,
                        mask->types == BP_T(BOOL) ? BP_DTYPE_BOOL : bp_rule_dtype(infer, 0),
                        bp_rule_in(infer, 0));
}

/* ---- rows ----------------------------------------------------------------------------------- */

#define UNARY(op, since, rule, x, y, types, ...)                                                   \
    ROW(op, since, INFER(rule), IN(P(x, 'T', types)), OUT(P(y, 'T', types)), __VA_ARGS__)
#define SAME(op, since, x, y, types, ...) UNARY(op, since, infer_same, x, y, types, __VA_ARGS__)

/* a hint for in-place execution that version 6 of all operators dropped */
#define OLD A_INTS("consumed_inputs")

UNARY(Abs, 1, infer_abs, "X", "Y", FLOAT3, ATTRS(OLD));
UNARY(Abs, 6, infer_abs, "X", "Y", NUMBER3, NO_ATTRS);
UNARY(Abs, 13, infer_abs, "X", "Y", NUMBER, NO_ATTRS);

SAME(Ceil, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Ceil, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Ceil, 13, "X", "Y", FLOAT, NO_ATTRS);

UNARY(Clip, 1, infer_clip, "input", "output", FLOAT3,
      ATTRS(A_FLOAT_OPT("max"), A_FLOAT_OPT("min"), OLD));
UNARY(Clip, 6, infer_clip, "input", "output", FLOAT3,
      ATTRS(A_FLOAT("max", 3.4028234663852886e38f), A_FLOAT("min", -3.4028234663852886e38f)));

#define CLIP(since, types)                                                                         \
    ROW(Clip, since, INFER(infer_clip),                                                            \
        IN(P("input", 'T', types), OPT("min", 'T', types), OPT("max", 'T', types)),                \
        OUT(P("output", 'T', types)))

CLIP(11, FLOAT3);
CLIP(12, NUMBER3);
CLIP(13, NUMBER);

SAME(Cos, 7, "input", "output", FLOAT3, NO_ATTRS);
SAME(Cos, 22, "input", "output", FLOAT, NO_ATTRS);

/* Dropout's mask was of the data's type before it was boolean. */
#define DROPOUT(since, types, mask_var, mask, attrs)                                               \
    ROW(Dropout, since, INFER(infer_dropout), IN(P("data", 'T', types)),                           \
        OUT(P("output", 'T', types), OPT("mask", mask_var, mask)), attrs)
#define DROPOUT_BY_INPUT(since, types, ratio)                                                      \
    ROW(Dropout, since, INFER(infer_dropout),                                                      \
        IN(P("data", 'T', types), OPT("ratio", '1', ratio),                                        \
           OPT("training_mode", '2', BP_T(BOOL))),                                                 \
        OUT(P("output", 'T', types), OPT("mask", '2', BP_T(BOOL))), ATTRS(A_INT_OPT("seed")))

DROPOUT(1, FLOAT3, 'T', FLOAT3, ATTRS(A_FLOAT("ratio", 0.5f), A_INT("is_test", 0), OLD));
DROPOUT(6, FLOAT3, 'T', FLOAT3, ATTRS(A_FLOAT("ratio", 0.5f), A_INT("is_test", 0)));
DROPOUT(7, FLOAT3, 'T', FLOAT3, ATTRS(A_FLOAT("ratio", 0.5f)));
DROPOUT(10, FLOAT3, '1', BP_T(BOOL), ATTRS(A_FLOAT("ratio", 0.5f)));
DROPOUT_BY_INPUT(12, FLOAT3, FLOAT3);
DROPOUT_BY_INPUT(13, FLOAT, FLOAT3);
DROPOUT_BY_INPUT(22, FLOAT | FLOAT8, FLOAT | FLOAT8);

SAME(Elu, 1, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 1.0f), OLD));
SAME(Elu, 6, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 1.0f)));
SAME(Elu, 22, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 1.0f)));

SAME(Erf, 9, "input", "output", NUMBER3, NO_ATTRS);
SAME(Erf, 13, "input", "output", NUMBER, NO_ATTRS);

SAME(Exp, 1, "input", "output", FLOAT3, ATTRS(OLD));
SAME(Exp, 6, "input", "output", FLOAT3, NO_ATTRS);
SAME(Exp, 13, "input", "output", FLOAT, NO_ATTRS);

SAME(Floor, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Floor, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Floor, 13, "X", "Y", FLOAT, NO_ATTRS);

SAME(HardSigmoid, 1, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 0.2f), A_FLOAT("beta", 0.5f), OLD));
SAME(HardSigmoid, 6, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 0.2f), A_FLOAT("beta", 0.5f)));
SAME(HardSigmoid, 22, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 0.2f), A_FLOAT("beta", 0.5f)));

SAME(LeakyRelu, 1, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 0.01f), OLD));
SAME(LeakyRelu, 6, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 0.01f)));
SAME(LeakyRelu, 16, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 0.01f)));

SAME(Log, 1, "input", "output", FLOAT3, ATTRS(OLD));
SAME(Log, 6, "input", "output", FLOAT3, NO_ATTRS);
SAME(Log, 13, "input", "output", FLOAT, NO_ATTRS);

UNARY(Neg, 1, infer_neg, "X", "Y", FLOAT3, ATTRS(OLD));
UNARY(Neg, 6, infer_neg, "X", "Y", FLOAT3 | BP_T_INT, NO_ATTRS);
UNARY(Neg, 13, infer_neg, "X", "Y", FLOAT | BP_T_INT, NO_ATTRS);

UNARY(Not, 1, infer_not, "X", "Y", BP_T(BOOL), NO_ATTRS);

SAME(Reciprocal, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Reciprocal, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Reciprocal, 13, "X", "Y", FLOAT, NO_ATTRS);

SAME(Relu, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Relu, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Relu, 13, "X", "Y", FLOAT, NO_ATTRS);
SAME(Relu, 14, "X", "Y", FLOAT | BP_T_INT, NO_ATTRS);

SAME(Round, 11, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Round, 22, "X", "Y", FLOAT, NO_ATTRS);

#define SELU                                                                                       \
    A_FLOAT("alpha", 1.67326319217681884765625f), A_FLOAT("gamma", 1.05070102214813232421875f)

SAME(Selu, 1, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 1.6732f), A_FLOAT("gamma", 1.0507f), OLD));
SAME(Selu, 6, "X", "Y", FLOAT3, ATTRS(SELU));
SAME(Selu, 22, "X", "Y", FLOAT, ATTRS(SELU));

SAME(Sigmoid, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Sigmoid, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Sigmoid, 13, "X", "Y", FLOAT, NO_ATTRS);

SAME(Sign, 9, "input", "output", NUMBER3, NO_ATTRS);
SAME(Sign, 13, "input", "output", NUMBER, NO_ATTRS);

SAME(Sin, 7, "input", "output", FLOAT3, NO_ATTRS);
SAME(Sin, 22, "input", "output", FLOAT, NO_ATTRS);

SAME(Softplus, 1, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Softplus, 22, "X", "Y", FLOAT, NO_ATTRS);

SAME(Softsign, 1, "input", "output", FLOAT3, NO_ATTRS);
SAME(Softsign, 22, "input", "output", FLOAT, NO_ATTRS);

SAME(Sqrt, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Sqrt, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Sqrt, 13, "X", "Y", FLOAT, NO_ATTRS);

SAME(Tanh, 1, "input", "output", FLOAT3, ATTRS(OLD));
SAME(Tanh, 6, "input", "output", FLOAT3, NO_ATTRS);
SAME(Tanh, 13, "input", "output", FLOAT, NO_ATTRS);
