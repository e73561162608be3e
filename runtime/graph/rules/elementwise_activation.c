/* SPDX-License-Identifier: MIT */
/* elementwise_activation.c - activation functions, with and without a bias. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <string.h>

#define FAMILY BP_FAMILY_ELEMENTWISE

/* ---- activations of one input ---------------------------------------------------------------- */

/*
 * ONNX: Relu 1, 6, 13, 14; LeakyRelu 1, 6, 16; ThresholdedRelu 10, 22; Elu 1, 6, 22; Celu 12,
 *   28; Selu 1, 6, 22; Sigmoid 1, 6, 13; HardSigmoid 1, 6, 22; HardSwish 14, 22; Mish 18, 22;
 *   Softplus 1, 22; Softsign 1, 22; Tanh 1, 6, 13; Shrink 9; Swish 24.
 * Y has the shape and type of X. Before version 6 they carry consumed_inputs, a hint that
 * does nothing.
 */

#define UNARY(op, since, rule, x, y, types, ...)                                                   \
    ROW(op, since, INFER(rule), IN(P(x, 'T', types)), OUT(P(y, 'T', types)), __VA_ARGS__)
#define SAME(op, since, x, y, types, ...)                                                          \
    UNARY(op, since, bp_rule_like_first, x, y, types, __VA_ARGS__)

/* a hint for in-place execution that version 6 of all operators dropped */
#define OLD A_INTS("consumed_inputs")

SAME(Elu, 1, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 1.0f), OLD));
SAME(Elu, 6, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 1.0f)));
SAME(Elu, 22, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 1.0f)));

SAME(HardSigmoid, 1, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 0.2f), A_FLOAT("beta", 0.5f), OLD));
SAME(HardSigmoid, 6, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 0.2f), A_FLOAT("beta", 0.5f)));
SAME(HardSigmoid, 22, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 0.2f), A_FLOAT("beta", 0.5f)));

SAME(LeakyRelu, 1, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 0.01f), OLD));
SAME(LeakyRelu, 6, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 0.01f)));
SAME(LeakyRelu, 16, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 0.01f)));

SAME(Relu, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Relu, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Relu, 13, "X", "Y", FLOAT, NO_ATTRS);
SAME(Relu, 14, "X", "Y", FLOAT | BP_T_INT, NO_ATTRS);

#define SELU                                                                                       \
    A_FLOAT("alpha", 1.67326319217681884765625f), A_FLOAT("gamma", 1.05070102214813232421875f)

SAME(Selu, 1, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 1.6732f), A_FLOAT("gamma", 1.0507f), OLD));
SAME(Selu, 6, "X", "Y", FLOAT3, ATTRS(SELU));
SAME(Selu, 22, "X", "Y", FLOAT, ATTRS(SELU));

SAME(Sigmoid, 1, "X", "Y", FLOAT3, ATTRS(OLD));
SAME(Sigmoid, 6, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Sigmoid, 13, "X", "Y", FLOAT, NO_ATTRS);

SAME(Softplus, 1, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Softplus, 22, "X", "Y", FLOAT, NO_ATTRS);

SAME(Softsign, 1, "input", "output", FLOAT3, NO_ATTRS);
SAME(Softsign, 22, "input", "output", FLOAT, NO_ATTRS);

SAME(Tanh, 1, "input", "output", FLOAT3, ATTRS(OLD));
SAME(Tanh, 6, "input", "output", FLOAT3, NO_ATTRS);
SAME(Tanh, 13, "input", "output", FLOAT, NO_ATTRS);

SAME(Celu, 12, "X", "Y", BP_T(F32), ATTRS(A_FLOAT("alpha", 1.0f)));
SAME(Celu, 28, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 1.0f)));
SAME(HardSwish, 14, "X", "Y", FLOAT3, NO_ATTRS);
SAME(HardSwish, 22, "X", "Y", FLOAT, NO_ATTRS);
SAME(Mish, 18, "X", "Y", FLOAT3, NO_ATTRS);
SAME(Mish, 22, "X", "Y", FLOAT, NO_ATTRS);
SAME(Shrink, 9, "input", "output", NUMBER3, ATTRS(A_FLOAT("bias", 0.0f), A_FLOAT("lambd", 0.5f)));
SAME(Swish, 24, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 1.0f)));
SAME(ThresholdedRelu, 10, "X", "Y", FLOAT3, ATTRS(A_FLOAT("alpha", 1.0f)));
SAME(ThresholdedRelu, 22, "X", "Y", FLOAT, ATTRS(A_FLOAT("alpha", 1.0f)));

/* ---- PRelu ----------------------------------------------------------------------------------- */

/*
 * ONNX: PRelu 1, 6, 7, 9, 16.
 * Y has the shape and type of X. Up to version 6 slope has one element or one for each
 * channel of X, dimension 1; from 7 on it broadcasts to X in that direction alone.
 */

/* PRelu: one slope or one a channel; from version 7 on any shape that broadcasts onto X. */
static bp_rc infer_prelu(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    const struct bp_fact *slope = bp_rule_in(infer, 1);
    bp_rc rc = BP_OK;

    if (infer->node->schema->since >= 7) {
        rc = bp_rule_fits_onto(infer, x, slope);
    } else if (bp_rule_ranked(x) && x->rank >= 2 && bp_rule_ranked(slope) && slope->rank == 1 &&
               bp_sym_known(slope->dims[0]) && slope->dims[0].value != 1) {
        rc = bp_rule_expect(infer, 1, 0, x->dims[1], "the channels of X");
    }
    if (rc < 0)
        return rc;
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), x);
}

#define PRELU(since, types, attrs)                                                                 \
    ROW(PRelu, since, INFER(infer_prelu), IN(P("X", 'T', types), P("slope", 'T', types)),          \
        OUT(P("Y", 'T', types)), attrs)

PRELU(1, FLOAT3, ATTRS(A_INTS("consumed_inputs")));
PRELU(6, FLOAT3, NO_ATTRS);
PRELU(7, FLOAT3, NO_ATTRS);
PRELU(9, WIDE3, NO_ATTRS);
PRELU(16, WIDE, NO_ATTRS);

/* ---- Gelu ------------------------------------------------------------------------------------ */

/*
 * ONNX: Gelu 20.
 * com.microsoft: Gelu 1; QuickGelu 1.
 * Y has the shape and type of X. approximate is "none" or "tanh". In com.microsoft, Gelu is
 * the exact one and QuickGelu is x * sigmoid(alpha * x).
 */

static bp_rc infer_gelu(struct bp_infer *infer)
{
    bp_rc rc = bp_rule_check_word(infer, "approximate", "none", "tanh");

    return rc < 0 ? rc : bp_rule_like_first(infer);
}

ROW(Gelu, 20, INFER(infer_gelu), IN(P("X", 'T', FLOAT)), OUT(P("Y", 'T', FLOAT)),
    ATTRS(A_STRING("approximate", "none")));

#define Y OUT(P("Y", 'T', FLOAT))

MS_ROW(Gelu, 1, INFER(bp_rule_like_first), IN(P("X", 'T', FLOAT)), Y, NO_ATTRS);

MS_ROW(QuickGelu, 1, INFER(bp_rule_like_first), IN(P("X", 'T', FLOAT)), Y,
       ATTRS(A_FLOAT("alpha", 1.702f)));

/* ---- SwiGLU ---------------------------------------------------------------------------------- */

/*
 * ONNX: SwiGLU 28.
 * Both inputs have one shape and one type, which are those of Y: nothing is broadcast.
 */

/* Two inputs of one shape, without broadcasting. */
static bp_rc infer_swiglu(struct bp_infer *infer)
{
    const struct bp_fact *a = bp_rule_in(infer, 0), *b = bp_rule_in(infer, 1);
    struct bp_sym dims[BP_MAX_RANK];

    if (!bp_rule_ranked(a) || !bp_rule_ranked(b))
        return bp_rule_like(infer, 0, bp_rule_either_dtype(infer), bp_rule_ranked(a) ? a : b);
    if (a->rank != b->rank)
        return bp_fail(infer->err, BP_E_SHAPE,
                       "A has rank %u and B has rank %u, but both must have one shape", a->rank,
                       b->rank);
    for (uint32_t i = 0; i < a->rank; i++) {
        if (!bp_rule_unify(a->dims[i], b->dims[i], &dims[i]))
            return bp_fail(infer->err, BP_E_SHAPE,
                           "at dimension %u A has %" PRId64 " and B has %" PRId64
                           ", but both must have one shape",
                           i, a->dims[i].value, b->dims[i].value);
    }
    return bp_rule_set(infer, 0, bp_rule_either_dtype(infer), a->rank, dims);
}

ROW(SwiGLU, 28, INFER(infer_swiglu), IN(P("A", 'T', FLOAT), P("B", 'T', FLOAT)),
    OUT(P("Y", 'T', FLOAT)), ATTRS(A_FLOAT("alpha", 1.0f)));

/* ---- activations with a bias ----------------------------------------------------------------- */

/*
 * com.microsoft: FastGelu 1; BiasGelu 1; BiasSplitGelu 1; BiasAdd 1.
 * bias is a vector along the last dimension of X. Y has the shape of X, but for
 * BiasSplitGelu, which multiplies one half of the last dimension with the Gelu of the other
 * and so gives half of it. skip of BiasAdd has the shape of X.
 */

/* Input 1, where it is there, has one element for each of the last dimension. */
static bp_rc infer_biased(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym last;
    bp_rc rc = bp_rule_in(infer, 1) ? bp_rule_rank(infer, 0, 1, BP_MAX_RANK) : BP_OK;

    if (rc >= 0 && bp_rule_in(infer, 1) && bp_rule_ranked(x)) {
        rc = bp_rule_dim(infer, x, -1, &last);
        if (rc >= 0)
            rc = bp_rule_vector(infer, 1, last, "the last dimension of the input");
    }
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

static bp_rc infer_bias_split_gelu(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc = infer_biased(infer);

    if (rc < 0 || !bp_rule_ranked(x) || x->rank < 1)
        return rc;
    memcpy(dims, x->dims, x->rank * sizeof *dims);
    if (bp_sym_known(dims[x->rank - 1]) && dims[x->rank - 1].value % 2 != 0)
        return bp_fail(infer->err, BP_E_SHAPE, "X has an odd last dimension, %" PRId64,
                       dims[x->rank - 1].value);
    rc = bp_rule_calc(infer, dims[x->rank - 1], '/', bp_sym_of(2), &dims[x->rank - 1]);
    return rc < 0 ? rc : bp_rule_set(infer, 0, x->dtype, x->rank, dims);
}

static bp_rc infer_bias_add(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bp_rc rc = infer_biased(infer);

    for (uint32_t d = 0; rc >= 0 && bp_rule_ranked(x) && d < x->rank; d++)
        rc = bp_rule_expect(infer, 2, d, x->dims[d], "X");
    return rc;
}

MS_ROW(FastGelu, 1, INFER(infer_biased), IN(P("X", 'T', FLOAT), OPT("bias", 'T', FLOAT)), Y,
       NO_ATTRS);
MS_ROW(BiasGelu, 1, INFER(infer_biased), IN(P("A", 'T', FLOAT), P("B", 'T', FLOAT)),
       OUT(P("C", 'T', FLOAT)), NO_ATTRS);

MS_ROW(BiasSplitGelu, 1, INFER(infer_bias_split_gelu),
       IN(P("X", 'T', FLOAT), P("bias", 'T', FLOAT)), Y, NO_ATTRS);
MS_ROW(BiasAdd, 1, INFER(infer_bias_add),
       IN(P("X", 'T', FLOAT), P("bias", 'T', FLOAT), P("skip", 'T', FLOAT)), Y, NO_ATTRS);
