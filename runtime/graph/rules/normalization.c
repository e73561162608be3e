/* SPDX-License-Identifier: MIT */
/* normalization.c - normalization over channels, groups or axes, and softmax. */

#include "config.h"

#include "graph/rules/common.h"

#include <inttypes.h>
#include <string.h>

#define FAMILY BP_FAMILY_NORMALIZATION

/* ---- BatchNormalization, InstanceNormalization ----------------------------------------------- */

/*
 * ONNX: BatchNormalization 1, 6, 7, 9, 14, 15; InstanceNormalization 1, 6, 22.
 * X is (batch, C, ...), Y has its shape; scale, B, mean and variance have an element for each
 * channel. Under spatial=0 (up to version 8) they have one for each element, which is left to
 * the provider.
 * The outputs after Y are of training: mean and variance, and up to 13 those of this batch.
 * From 14 on they need training_mode=1. InstanceNormalization needs rank 3 or more.
 */

/* Inputs first..last are lists with an entry a channel of input 0. */
static bp_rc check_by_channel(struct bp_infer *infer, uint32_t first, uint32_t last,
                              struct bp_sym channels)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = first; i <= last && rc >= 0; i++) {
        rc = bp_rule_rank(infer, i, 1, 1);
        if (rc >= 0)
            rc = bp_rule_expect(infer, i, 0, channels, "the number of channels");
    }
    return rc;
}

/* Outputs after the first, of training; there were four before version 14, then two. */
static bp_rc batch_statistics(struct bp_infer *infer)
{
    bool is_training = bp_ir_attr_int(infer->node, "training_mode", 0) != 0;

    for (uint32_t i = 1; i < infer->node->n_out; i++) {
        uint32_t from = i % 2 ? 3 : 4; /* a mean is like the mean, a variance like the variance */
        bp_rc rc;

        if (bp_rule_has_attr(infer, "training_mode") && !is_training && bp_rule_wants(infer, i))
            return bp_fail(infer->err, BP_E_INVALID, "output %u needs training_mode=1", i);
        rc = bp_rule_like(infer, i, bp_rule_dtype(infer, from), bp_rule_in(infer, from));
        if (rc < 0)
            return rc;
    }
    return BP_OK;
}

static bp_rc infer_batch_normalization(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bool by_channel = bp_ir_attr_int(infer->node, "spatial", 1) != 0;
    bp_rc rc = bp_rule_rank(infer, 0, 1, BP_MAX_RANK);

    /* without a second dimension there is one channel */
    if (rc >= 0 && by_channel && bp_rule_ranked(x))
        rc = check_by_channel(infer, 1, 4, x->rank > 1 ? x->dims[1] : bp_sym_of(1));
    if (rc >= 0)
        rc = bp_rule_like_first(infer);
    if (rc < 0)
        return rc;
    return batch_statistics(infer);
}

static bp_rc infer_instance_normalization(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bp_rc rc = bp_rule_rank(infer, 0, 3, BP_MAX_RANK);

    if (rc >= 0 && bp_rule_ranked(x))
        rc = check_by_channel(infer, 1, 2, x->dims[1]);
    if (rc < 0)
        return rc;
    return bp_rule_like_first(infer);
}

#define EPSILON A_FLOAT("epsilon", 1e-5f)
#define MOMENTUM A_FLOAT("momentum", 0.9f)
#define SPATIAL A_INT("spatial", 1)

#define BATCH_NORMALIZATION_OLD(since, ...)                                                        \
    ROW(BatchNormalization, since, INFER(infer_batch_normalization),                               \
        IN(P("X", 'T', FLOAT3), P("scale", 'T', FLOAT3), P("B", 'T', FLOAT3),                      \
           P("mean", 'T', FLOAT3), P("var", 'T', FLOAT3)),                                         \
        OUT(P("Y", 'T', FLOAT3), OPT("mean", 'T', FLOAT3), OPT("var", 'T', FLOAT3),                \
            OPT("saved_mean", 'T', FLOAT3), OPT("saved_var", 'T', FLOAT3)),                        \
        ATTRS(EPSILON, MOMENTUM, __VA_ARGS__))
#define BATCH_NORMALIZATION(since, scale_var)                                                      \
    ROW(BatchNormalization, since, INFER(infer_batch_normalization),                               \
        IN(P("X", 'T', FLOAT), P("scale", scale_var, FLOAT), P("B", scale_var, FLOAT),             \
           P("input_mean", 'U', FLOAT), P("input_var", 'U', FLOAT)),                               \
        OUT(P("Y", 'T', FLOAT), OPT("running_mean", 'U', FLOAT), OPT("running_var", 'U', FLOAT)),  \
        ATTRS(EPSILON, MOMENTUM, A_INT("training_mode", 0)))

BATCH_NORMALIZATION_OLD(1, SPATIAL, A_INT("is_test", 0), A_INTS_REQ("consumed_inputs"));
BATCH_NORMALIZATION_OLD(6, SPATIAL, A_INT("is_test", 0));
BATCH_NORMALIZATION_OLD(7, SPATIAL);
ROW(BatchNormalization, 9, INFER(infer_batch_normalization),
    IN(P("X", 'T', FLOAT3), P("scale", 'T', FLOAT3), P("B", 'T', FLOAT3), P("mean", 'T', FLOAT3),
       P("var", 'T', FLOAT3)),
    OUT(P("Y", 'T', FLOAT3), OPT("mean", 'T', FLOAT3), OPT("var", 'T', FLOAT3),
        OPT("saved_mean", 'T', FLOAT3), OPT("saved_var", 'T', FLOAT3)),
    ATTRS(EPSILON, MOMENTUM));
BATCH_NORMALIZATION(14, 'T');
BATCH_NORMALIZATION(15, '1');

#define INSTANCE_NORMALIZATION(since, types, ...)                                                  \
    ROW(InstanceNormalization, since, INFER(infer_instance_normalization),                         \
        IN(P("input", 'T', types), P("scale", 'T', types), P("B", 'T', types)),                    \
        OUT(P("output", 'T', types)), ATTRS(__VA_ARGS__))

INSTANCE_NORMALIZATION(1, FLOAT3, EPSILON, A_INTS("consumed_inputs"));
INSTANCE_NORMALIZATION(6, FLOAT3, EPSILON);
INSTANCE_NORMALIZATION(22, FLOAT, EPSILON);

/* ---- GroupNormalization ---------------------------------------------------------------------- */

/*
 * ONNX: GroupNormalization 18, 21.
 * X is (batch, C, ...), Y has its shape. num_groups divides C. scale and bias have an element
 * for each group in version 18, for each channel from 21 on.
 */

/* Attribute stash_type names the type that sums are taken in. */
static bp_rc check_stash(struct bp_infer *infer)
{
    int64_t stash = bp_ir_attr_int(infer->node, "stash_type", BP_DTYPE_F32);

    if (stash >= 0 && stash < BP_DTYPE_END && (FLOAT >> stash & 1))
        return BP_OK;
    return bp_fail(
        infer->err, BP_E_INVALID,
        "stash_type is %" PRId64 ", which is not a floating-point type of 16 bits or more", stash);
}

/* scale and bias have an element a group in version 18, an element a channel from 21 on. */
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
    return bp_rule_like_first(infer);
}

#define STASH A_INT("stash_type", 1)

#define GROUP_NORMALIZATION(since, ...)                                                            \
    ROW(GroupNormalization, since, INFER(infer_group_normalization),                               \
        IN(P("X", 'T', FLOAT), P("scale", 'T', FLOAT), P("bias", 'T', FLOAT)),                     \
        OUT(P("Y", 'T', FLOAT)), ATTRS(EPSILON, A_INT_REQ("num_groups"), __VA_ARGS__))

GROUP_NORMALIZATION(18, );
GROUP_NORMALIZATION(21, STASH);

/* ---- LayerNormalization ---------------------------------------------------------------------- */

/*
 * ONNX: LayerNormalization 1, 17.
 * Y has the shape of X; Scale and B broadcast to X in that direction alone. Mean and
 * InvStdDev have the shape of X with size 1 from axis on, and the type that stash_type names,
 * float32 or bfloat16.
 */

static bp_rc infer_layer_normalization(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    int64_t stash = bp_ir_attr_int(infer->node, "stash_type", BP_DTYPE_F32);
    struct bp_sym dims[BP_MAX_RANK];
    uint32_t axis;
    bp_rc rc;

    if (stash != BP_DTYPE_F32 && stash != BP_DTYPE_BF16)
        return bp_fail(infer->err, BP_E_INVALID,
                       "stash_type is %" PRId64 ", neither float32 (1) nor bfloat16 (16)", stash);
    rc = bp_rule_like_first(infer);
    for (uint32_t i = 1; i < 3 && rc >= 0; i++) {
        rc = bp_rule_fits_onto(infer, x, bp_rule_in(infer, i));
        if (rc >= 0 && !bp_rule_ranked(x))
            rc = bp_rule_unknown(infer, i, (uint32_t)stash);
    }
    if (rc < 0 || !bp_rule_ranked(x))
        return rc;
    rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", -1), x->rank, "axis", &axis);
    for (uint32_t i = 0; i < x->rank && rc >= 0; i++)
        dims[i] = i < axis ? x->dims[i] : bp_sym_of(1);
    for (uint32_t i = 1; i < 3 && rc >= 0; i++)
        rc = bp_rule_set(infer, i, (uint32_t)stash, x->rank, dims);
    return rc;
}

#define STASHED (BP_T(F32) | BP_T(BF16))

/*
 * ONNX has it from version 17 on. ONNX Runtime takes it in every version, and its fusions write it
 * into older models; both rows have the same parts, as they mean the same.
 */
static const struct bp_param layer_in[] = {P("X", 'T', FLOAT), P("Scale", 'T', FLOAT),
                                           OPT("B", 'T', FLOAT)};
static const struct bp_param layer_out[] = {P("Y", 'T', FLOAT), OPT("Mean", 'U', STASHED),
                                            OPT("InvStdDev", 'U', STASHED)};
static const struct bp_attr_def layer_attrs[] = {A_INT("axis", -1), EPSILON,
                                                 A_INT("stash_type", 1)};
#define LAYER_NORMALIZATION(since)                                                                 \
    ROW(LayerNormalization, since, INFER(infer_layer_normalization), .in = layer_in, .n_in = 3,    \
        .out = layer_out, .n_out = 3, .attrs = layer_attrs, .n_attrs = 3, .any_attrs = true)

LAYER_NORMALIZATION(1);
LAYER_NORMALIZATION(17);

/* ---- RMSNormalization ------------------------------------------------------------------------ */

/*
 * ONNX: RMSNormalization 23.
 * Y has the shape of X and the type of scale, which broadcasts to X in that direction alone.
 * The mean is taken from axis on.
 */

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

ROW(RMSNormalization, 23, INFER(infer_rms_normalization),
    IN(P("X", 'T', FLOAT), P("scale", 'V', FLOAT)), OUT(P("Y", 'V', FLOAT)),
    ATTRS(A_INT("axis", -1), EPSILON, STASH));

/* ---- LpNormalization ------------------------------------------------------------------------- */

/*
 * ONNX: LpNormalization 1, 22.
 * The result has the shape and type of input. p is 1 or 2, axis one of its axes.
 */

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
    return bp_rule_like_first(infer);
}

#define LP_NORMALIZATION(since, types)                                                             \
    ROW(LpNormalization, since, INFER(infer_lp_normalization), IN(P("input", 'T', types)),         \
        OUT(P("output", 'T', types)), ATTRS(A_INT("axis", -1), A_INT("p", 2)))

LP_NORMALIZATION(1, FLOAT3);
LP_NORMALIZATION(22, FLOAT);

/* ---- MeanVarianceNormalization --------------------------------------------------------------- */

/*
 * ONNX: MeanVarianceNormalization 9, 13.
 * Y has the shape and type of X. axes are those that the mean is taken over, 0, 2 and 3 where
 * they are absent; none comes twice.
 */

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
    return bp_rule_like_first(infer);
}

#define MEAN_VARIANCE(since, types)                                                                \
    ROW(MeanVarianceNormalization, since, INFER(infer_mean_variance), IN(P("X", 'T', types)),      \
        OUT(P("Y", 'T', types)), ATTRS(A_INTS("axes")))

MEAN_VARIANCE(9, FLOAT3);
MEAN_VARIANCE(13, FLOAT);

/* ---- LRN ------------------------------------------------------------------------------------- */

/*
 * ONNX: LRN 1, 13.
 * X is (batch, C, ...), Y has its shape and type. size, the number of channels that are
 * summed, is at least 1.
 */

static bp_rc infer_lrn(struct bp_infer *infer)
{
    int64_t size = bp_ir_attr_int(infer->node, "size", 0);
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (size < 1)
        return bp_fail(infer->err, BP_E_INVALID, "size is %" PRId64, size);
    return bp_rule_like_first(infer);
}

#define LRN_ROW(since, types)                                                                      \
    ROW(LRN, since, INFER(infer_lrn), IN(P("X", 'T', types)), OUT(P("Y", 'T', types)),             \
        ATTRS(A_FLOAT("alpha", 1e-4f), A_FLOAT("beta", 0.75f), A_FLOAT("bias", 1.0f),              \
              A_INT_REQ("size")))

LRN_ROW(1, FLOAT3);
LRN_ROW(13, FLOAT);

/* ---- Softmax, LogSoftmax --------------------------------------------------------------------- */

/*
 * ONNX: Softmax 1, 11, 13; LogSoftmax 1, 11, 13.
 * com.microsoft: BiasSoftmax 1.
 * The result has the shape and type of input. Up to version 11 all dimensions from axis on, 1
 * by default, count as one; from 13 on axis is a single dimension, the last one by default.
 * BiasSoftmax adds a bias that broadcasts, which is left to the provider.
 */

static bp_rc infer_softmax(struct bp_infer *infer)
{
    const struct bp_fact *input = bp_rule_in(infer, 0);
    int64_t def = infer->node->schema->since < 13 ? 1 : -1;
    uint32_t axis;

    if (bp_rule_ranked(input)) {
        bp_rc rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", def), input->rank,
                                 "axis", &axis);

        if (rc < 0)
            return rc;
    }
    return bp_rule_like_first(infer);
}

#define SOFTMAX(op, since, types, axis)                                                            \
    ROW(op, since, INFER(infer_softmax), IN(P("input", 'T', types)), OUT(P("output", 'T', types)), \
        ATTRS(A_INT("axis", axis)))

SOFTMAX(Softmax, 1, FLOAT3, 1);
SOFTMAX(Softmax, 11, FLOAT3, 1);
SOFTMAX(Softmax, 13, FLOAT, -1);
SOFTMAX(LogSoftmax, 1, FLOAT3, 1);
SOFTMAX(LogSoftmax, 11, FLOAT3, 1);
SOFTMAX(LogSoftmax, 13, FLOAT, -1);

static bp_rc infer_bias_softmax(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    uint32_t axis;
    bp_rc rc = BP_OK;

    if (bp_rule_ranked(x))
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", 1), x->rank, "axis", &axis);
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

MS_ROW(BiasSoftmax, 1, INFER(infer_bias_softmax), IN(P("data", 'T', FLOAT), P("bias", 'T', FLOAT)),
       OUT(P("output", 'T', FLOAT)), ATTRS(A_INT("axis", 1), A_INT_REQ("is_inner_broadcast")));

/* ---- Hardmax --------------------------------------------------------------------------------- */

/*
 * ONNX: Hardmax 1, 11, 13.
 * The result has the shape and type of input: 1 at the first largest element along axis, 0
 * elsewhere. axis means the same as in Softmax of the version.
 */

/* Before version 13 axis may also be the rank: an axis of one element. */
static bp_rc infer_hardmax(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bool is_old = infer->node->schema->since < 13;
    int64_t axis = bp_ir_attr_int(infer->node, "axis", is_old ? 1 : -1);
    uint32_t found;
    bp_rc rc = BP_OK;

    if (bp_rule_ranked(x) && x->rank > 0 && !(is_old && axis == (int64_t)x->rank))
        rc = bp_infer_axis(infer, axis, x->rank, "axis", &found);
    return rc < 0 ? rc : bp_rule_like_first(infer);
}

#define HARDMAX(since, types, axis)                                                                \
    ROW(Hardmax, since, INFER(infer_hardmax), IN(P("input", 'T', types)),                          \
        OUT(P("output", 'T', types)), ATTRS(A_INT("axis", axis)))

HARDMAX(1, FLOAT3, 1);
HARDMAX(11, FLOAT3, 1);
HARDMAX(13, FLOAT, -1);

/* ---- SkipLayerNormalization ------------------------------------------------------------------ */

/*
 * com.microsoft: SkipLayerNormalization 1; SkipSimplifiedLayerNormalization 1.
 * LayerNormalization, or without mean SkipSimplifiedLayerNormalization, of input + skip +
 * bias over the last dimension. skip broadcasts to input; gamma, beta and bias are vectors
 * along the last dimension. The sum is the last output; mean and inv_std_var have one element
 * a row.
 */

/* The outputs mean and inv_std_var: one element a row. */
static bp_rc set_statistics(struct bp_infer *infer, uint32_t first, uint32_t last, uint32_t axis)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    uint32_t dtype = x && x->dtype == BP_DTYPE_F64 ? BP_DTYPE_F64 : BP_DTYPE_F32;
    struct bp_sym dims[BP_MAX_RANK];
    bp_rc rc = BP_OK;

    for (uint32_t i = first; i <= last && rc >= 0; i++) {
        if (!bp_rule_ranked(x)) {
            rc = bp_rule_unknown(infer, i, dtype);
            continue;
        }
        for (uint32_t d = 0; d < x->rank; d++)
            dims[d] = d < axis ? x->dims[d] : bp_sym_of(1);
        rc = bp_rule_set(infer, i, dtype, x->rank, dims);
    }
    return rc;
}

static bp_rc skip_norm(struct bp_infer *infer, uint32_t last_vector)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    bp_rc rc = bp_rule_rank(infer, 0, 1, BP_MAX_RANK);

    if (rc >= 0)
        rc = bp_rule_fits_onto(infer, x, bp_rule_in(infer, 1));
    for (uint32_t i = 2; i <= last_vector && rc >= 0 && bp_rule_ranked(x); i++)
        rc = bp_rule_vector(infer, i, x->dims[x->rank - 1], "the last dimension of input");
    if (rc >= 0)
        rc = bp_rule_like_first(infer);
    if (rc >= 0)
        rc = set_statistics(infer, 1, 2, bp_rule_ranked(x) ? x->rank - 1 : 0);
    return rc < 0 ? rc : bp_rule_like(infer, 3, bp_rule_dtype(infer, 0), x);
}

static bp_rc infer_skip_layer_normalization(struct bp_infer *infer)
{
    return skip_norm(infer, 4);
}

static bp_rc infer_skip_simplified(struct bp_infer *infer)
{
    return skip_norm(infer, 3);
}

#define SKIP_EPSILON A_FLOAT("epsilon", 1e-12f)
#define STATISTICS                                                                                 \
    OPT("mean", 'U', BP_T(F32) | BP_T(F64)), OPT("inv_std_var", 'U', BP_T(F32) | BP_T(F64))
#define NORM_OUT OUT(P("output", 'T', FLOAT), STATISTICS, OPT("input_skip_bias_sum", 'T', FLOAT))

MS_ROW(SkipLayerNormalization, 1, INFER(infer_skip_layer_normalization),
       IN(P("input", 'T', FLOAT), P("skip", 'T', FLOAT), P("gamma", 'T', FLOAT),
          OPT("beta", 'T', FLOAT), OPT("bias", 'T', FLOAT)),
       NORM_OUT, ATTRS(SKIP_EPSILON));
MS_ROW(SkipSimplifiedLayerNormalization, 1, INFER(infer_skip_simplified),
       IN(P("input", 'T', FLOAT), P("skip", 'T', FLOAT), P("gamma", 'T', FLOAT),
          OPT("bias", 'T', FLOAT)),
       NORM_OUT, ATTRS(SKIP_EPSILON));

/* ---- SimplifiedLayerNormalization ------------------------------------------------------------ */

/*
 * ONNX: SimplifiedLayerNormalization 1.
 * com.microsoft: SimplifiedLayerNormalization 1.
 * RMSNormalization under an older name: Y has the shape of X and the type of scale.
 * inv_std_var has the shape of X with size 1 from axis on.
 */

static bp_rc infer_simplified(struct bp_infer *infer)
{
    const struct bp_fact *x = bp_rule_in(infer, 0);
    uint32_t axis = 0, dtype = bp_rule_dtype(infer, 1);
    bp_rc rc = BP_OK;

    if (bp_rule_ranked(x))
        rc = bp_infer_axis(infer, bp_ir_attr_int(infer->node, "axis", -1), x->rank, "axis", &axis);
    if (rc >= 0)
        rc = bp_rule_fits_onto(infer, x, bp_rule_in(infer, 1));
    if (rc >= 0)
        rc = bp_rule_like(infer, 0, dtype == BP_DTYPE_NONE ? bp_rule_dtype(infer, 0) : dtype, x);
    return rc < 0 ? rc : set_statistics(infer, 1, 1, axis);
}

#define SIMPLIFIED                                                                                 \
    INFER(infer_simplified), IN(P("X", 'T', FLOAT), P("scale", 'V', FLOAT)),                       \
        OUT(P("Y", 'V', FLOAT), OPT("inv_std_var", 'U', BP_T(F32) | BP_T(F64))),                   \
        ATTRS(A_INT("axis", -1), A_FLOAT("epsilon", 1e-5f), A_INT("stash_type", 1)),               \
        .any_attrs = true

/* exporters write it in ONNX's own domain, where ONNX does not have it */
ROW(SimplifiedLayerNormalization, 1, SIMPLIFIED);
MS_ROW(SimplifiedLayerNormalization, 1, SIMPLIFIED);

/* ---- EmbedLayerNormalization ----------------------------------------------------------------- */

/*
 * com.microsoft: EmbedLayerNormalization 1; QEmbedLayerNormalization 1.
 * input_ids is (batch, length), as are segment_ids, mask and position_ids; the embedding
 * tables are (entries, hidden size), gamma and beta have hidden size elements. output and
 * embedding_sum are (batch, length, hidden size), mask_index has an element for each
 * sequence. The quantised operator has a scale and a zero point for each table.
 */

/* ids, segment ids, then `tables` and vectors that end in the hidden size. */
static bp_rc embed(struct bp_infer *infer, uint32_t dtype, uint32_t mask)
{
    const struct bp_fact *ids = bp_rule_in(infer, 0), *words = bp_rule_in(infer, 2);
    struct bp_sym dims[3];
    bp_rc rc = bp_rule_rank(infer, 0, 2, 2);

    for (uint32_t i = 2; i <= 4 && rc >= 0; i++)
        rc = bp_rule_rank(infer, i, 2, 2);
    if (rc >= 0)
        rc = bp_rule_from_data(infer, dims, bp_rule_ranked(ids) && bp_rule_ranked(words) ? 0 : 3);
    if (rc < 0)
        return rc;
    if (bp_rule_ranked(ids))
        memcpy(dims, ids->dims, 2 * sizeof *dims);
    if (bp_rule_ranked(words))
        dims[2] = words->dims[1];
    for (uint32_t i = 3; i <= 4 && rc >= 0; i++)
        rc = bp_rule_expect(infer, i, 1, dims[2], "word_embedding");
    for (uint32_t i = 5; i <= 6 && rc >= 0; i++)
        rc = bp_rule_vector(infer, i, dims[2], "word_embedding");
    for (uint32_t d = 0; d < 2 && rc >= 0; d++) {
        rc = bp_rule_expect(infer, 1, d, dims[d], "input_ids");
        if (rc >= 0)
            rc = bp_rule_expect(infer, mask, d, dims[d], "input_ids");
    }
    if (rc >= 0)
        rc = bp_rule_set(infer, 0, dtype, 3, dims);
    if (rc >= 0)
        rc = bp_rule_set(infer, 1, BP_DTYPE_I32, 1, dims);
    return rc < 0 ? rc : bp_rule_set(infer, 2, dtype, 3, dims);
}

static bp_rc infer_embed(struct bp_infer *infer)
{
    return embed(infer, bp_rule_dtype(infer, 2), 7);
}

static bp_rc infer_q_embed(struct bp_infer *infer)
{
    return embed(infer, BP_DTYPE_F32, 7);
}

#define ID(name) P(name, 'I', INDEX)
#define OPT_ID(name) OPT(name, 'I', INDEX)

MS_ROW(EmbedLayerNormalization, 1, INFER(infer_embed),
       IN(ID("input_ids"), OPT_ID("segment_ids"), P("word_embedding", 'T', FLOAT_NO_F64),
          P("position_embedding", 'T', FLOAT_NO_F64), OPT("segment_embedding", 'T', FLOAT_NO_F64),
          P("gamma", 'T', FLOAT_NO_F64), P("beta", 'T', FLOAT_NO_F64), OPT_ID("mask"),
          OPT_ID("position_ids")),
       OUT(P("output", 'T', FLOAT_NO_F64), OPT("mask_index", 0, BP_T(I32)),
           OPT("embedding_sum", 'T', FLOAT_NO_F64)),
       ATTRS(SKIP_EPSILON, A_INT("mask_index_type", 1)));

#define SCALE(name) P(name, 'T', BP_T(F32))
#define OPT_SCALE(name) OPT(name, 'T', BP_T(F32))

MS_ROW(QEmbedLayerNormalization, 1, INFER(infer_q_embed),
       IN(ID("input_ids"), OPT_ID("segment_ids"), P("word_embedding_quant", 'Q', BYTE8),
          P("position_embedding_quant", 'Q', BYTE8), OPT("segment_embedding", 'Q', BYTE8),
          P("gamma_quant", 'Q', BYTE8), P("beta_quant", 'Q', BYTE8), OPT_ID("mask"),
          SCALE("word_embedding_scale"), SCALE("position_embedding_scale"),
          OPT_SCALE("segment_embedding_scale"), SCALE("gamma_scale"), SCALE("beta_scale"),
          P("word_embedding_zero_point", 'Q', BYTE8),
          P("position_embedding_zero_point", 'Q', BYTE8),
          OPT("segment_embedding_zero_point", 'Q', BYTE8), P("gamma_zero_point", 'Q', BYTE8),
          P("beta_zero_point", 'Q', BYTE8)),
       OUT(P("layernorm_out", 'T', BP_T(F32)), P("mask_index_out", 0, BP_T(I32))),
       ATTRS(SKIP_EPSILON));
