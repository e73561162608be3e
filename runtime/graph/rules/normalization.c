/* SPDX-License-Identifier: MIT */
/* normalization.c - BatchNormalization, InstanceNormalization, LayerNormalization, LRN, Softmax. */

#include "config.h"

#include "graph/rules/rules.h"

#include <inttypes.h>

/* ---- rules ---------------------------------------------------------------------------------- */

static bp_rc like_first(struct bp_infer *infer)
{
    return bp_rule_like(infer, 0, bp_rule_dtype(infer, 0), bp_rule_in(infer, 0));
}

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

/* Outputs behind the first, of training; there were four before version 14, then two. */
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
        rc = like_first(infer);
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
    return like_first(infer);
}

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
    rc = like_first(infer);
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

static bp_rc infer_lrn(struct bp_infer *infer)
{
    int64_t size = bp_ir_attr_int(infer->node, "size", 0);
    bp_rc rc = bp_rule_rank(infer, 0, 2, BP_MAX_RANK);

    if (rc < 0)
        return rc;
    if (size < 1)
        return bp_fail(infer->err, BP_E_INVALID, "size is %" PRId64, size);
    return like_first(infer);
}

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
    return like_first(infer);
}

/* ---- rows ----------------------------------------------------------------------------------- */

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

#define LRN_ROW(since, types)                                                                      \
    ROW(LRN, since, INFER(infer_lrn), IN(P("X", 'T', types)), OUT(P("Y", 'T', types)),             \
        ATTRS(A_FLOAT("alpha", 1e-4f), A_FLOAT("beta", 0.75f), A_FLOAT("bias", 1.0f),              \
              A_INT_REQ("size")))

LRN_ROW(1, FLOAT3);
LRN_ROW(13, FLOAT);

#define SOFTMAX(op, since, types, axis)                                                            \
    ROW(op, since, INFER(infer_softmax), IN(P("input", 'T', types)), OUT(P("output", 'T', types)), \
        ATTRS(A_INT("axis", axis)))

SOFTMAX(Softmax, 1, FLOAT3, 1);
SOFTMAX(Softmax, 11, FLOAT3, 1);
SOFTMAX(Softmax, 13, FLOAT, -1);
SOFTMAX(LogSoftmax, 1, FLOAT3, 1);
SOFTMAX(LogSoftmax, 11, FLOAT3, 1);
SOFTMAX(LogSoftmax, 13, FLOAT, -1);
