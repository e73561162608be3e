/* SPDX-License-Identifier: MIT */
/*
 * eltwise.c - operators of one tensor, element by element, in the layout of their input: oneDNN's
 * eltwise, or loops of our own where it has no such function or treats NaN differently.
 */

#include "base/claim.h"
#include "base/instance.h"
#include "base/library.h"
#include "base/operator.h"
#include "build/builder.h"
#include "build/element_type.h"
#include "build/input.h"
#include "build/layout.h"
#include "build/output.h"
#include "build/primitive.h"
#include "build/step.h"
#include "kernels/exp.h"
#include "kernels/vector.h"
#include "ops/activation.h"

#include <float.h>
#include <math.h>

static bool claim_eltwise(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                          double *flops)
{
    (void)op;
    (void)flops;
    return bp_dnnl_takes_input(query, 0, 0, BP_DNNL_MAX_RANK);
}

/*
 * Clip's limits are attributes before version 11, then inputs, each of which may be absent. False:
 * one is computed.
 */
static bool read_limits(const bp_host *host, const bp_graph *graph, const bp_node *node, float *low,
                        float *high)
{
    *low = -FLT_MAX;
    *high = FLT_MAX;
    if (node->since < 11) {
        *low = bp_node_float(graph, node, "min", *low);
        *high = bp_node_float(graph, node, "max", *high);
        return true;
    }
    return (!bp_node_in(graph, node, 1) || bp_dnnl_constant_float(host, graph, node, 1, low)) &&
           (!bp_node_in(graph, node, 2) || bp_dnnl_constant_float(host, graph, node, 2, high));
}

/* Limits in the wrong order are left to the CPU provider. */
static bool claim_clip(const struct bp_dnnl_op *op, const struct bp_dnnl_query *query,
                       double *flops)
{
    float low, high;

    if (!claim_eltwise(op, query, flops))
        return false;
    if (!read_limits(&query->instance->host, query->graph, query->node, &low, &high))
        return bp_dnnl_refuse(query, BP_R_NOT_CONSTANT, "min",
                              "the limits of Clip have to be constant");
    if (!(low <= high))
        return bp_dnnl_refuse(query, BP_R_OTHER, "min", "the lower limit is above the upper one");
    return true;
}

/* oneDNN's eltwise, over its input if no other node reads that. */
static bp_rc emit(struct bp_dnnl_builder *b, const bp_node *node, dnnl_alg_kind_t kind, float alpha,
                  float beta, bp_err *err)
{
    struct bp_dnnl_tensor x, y;
    struct bp_dnnl_arg args[2] = {{DNNL_ARG_SRC, &x}, {DNNL_ARG_DST, &y}};
    dnnl_eltwise_desc_t desc;
    dnnl_status_t status;
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &x, err);

    if (rc < 0)
        return rc;
    status =
        bp_dnnl.eltwise_forward_desc_init(&desc, dnnl_forward_inference, kind, &x.md, alpha, beta);
    return bp_dnnl_emit_desc(b, status, &desc, node->in[0], &y, 2, args, err);
}

/* ---- limits: our own loops, as oneDNN does not keep NaN -------------------------------------- */

struct limits {
    float low, high;
};

/* NaN fails both comparisons and stays; oneDNN would make a limit of it. */
static void limit_loop(const void *u, const float *x, float *y, size_t first, size_t end)
{
    const struct limits *limits = u;
    float low = limits->low, high = limits->high;

    for (size_t i = first; i < end; i++) {
        float v = x[i] < low ? low : x[i];

        y[i] = v > high ? high : v;
    }
}

/*
 * Elements and padding alike: 0 has to stay 0, so it must lie between the limits; other limits are
 * oneDNN's, which knows padding.
 */
static bp_rc emit_limits(struct bp_dnnl_builder *b, const bp_node *node, float low, float high,
                         bp_err *err)
{
    struct limits *limits = bp_blocks_array(b->memory, 1, sizeof *limits);
    struct bp_dnnl_tensor x, y;
    bp_rc rc;

    /* what pads blocks of channels has to stay 0 */
    if (bp_dnnl_current_type(b, node->in[0]) != dnnl_f32 || low > 0 || high < 0)
        return emit(b, node, dnnl_eltwise_clip, low, high, err);
    if (!limits)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    *limits = (struct limits){low, high};
    rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &x, err);
    if (rc >= 0)
        rc = bp_dnnl_make_in_place(b, node->out[0], node->in[0], &x, &y, err);
    if (rc < 0)
        return rc;
    return bp_dnnl_emit_loop(b, limit_loop, limits,
                             bp_dnnl.memory_desc_get_size(&x.md) / sizeof(float), &x, &y, err);
}

/* A Clip without an upper limit. */
static bp_rc build_relu(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                        bp_err *err)
{
    (void)op;
    return emit_limits(b, node, 0, INFINITY, err);
}

/* ---- Exp: our own loop, as oneDNN makes infinity of NaN -------------------------------------- */

/* An iteration is an element. */
VECTOR_LOOP
static void exp_loop(const void *u, const float *x, float *y, size_t first, size_t end)
{
    (void)u;
    for (size_t i = first; i < end; i++)
        y[i] = bp_dnnl_exp(x[i]);
}

/* ---- HardSigmoid: our own loop, as oneDNN 2.6 has none --------------------------------------- */

struct hard_sigmoid {
    float alpha, beta;
};

/* max(0, min(1, alpha * x + beta)) of ONNX; NaN fails both comparisons and stays. */
VECTOR_LOOP
static void hard_sigmoid_loop(const void *u, const float *x, float *y, size_t first, size_t end)
{
    const struct hard_sigmoid *params = u;

    for (size_t i = first; i < end; i++) {
        float v = x[i] * params->alpha + params->beta;

        v = v < 0 ? 0 : v; /* NaN stays */
        y[i] = v > 1 ? 1 : v;
    }
}

/* ---- loops that do not keep 0 ---------------------------------------------------------------- */

/*
 * For functions that make something else of 0: a layout with padding, which would not stay 0, is
 * left for row-major.
 */
static bp_rc emit_elements(struct bp_dnnl_builder *b, const bp_node *node, bp_dnnl_loop loop,
                           const void *u, bp_err *err)
{
    const struct bp_dnnl_value *value = bp_dnnl_in(b, node, 0);
    size_t count = (size_t)bp_dims_count(value->dims, (uint32_t)value->rank);
    struct bp_dnnl_tensor x, y;
    dnnl_memory_desc_t want;
    bp_rc rc = bp_dnnl_tensor_of(b, node->in[0], NULL, &x, err);

    if (rc < 0)
        return rc;
    want = x.md;
    want.data_type = dnnl_f32;
    if (bp_dnnl.memory_desc_get_size(&want) != count * sizeof(float))
        bp_dnnl_row_major(value->rank, value->dims, &want);
    rc = bp_dnnl_tensor_of(b, node->in[0], &want, &x, err);
    if (rc >= 0)
        rc = bp_dnnl_make_in_place(b, node->out[0], node->in[0], &x, &y, err);
    return rc < 0 ? rc : bp_dnnl_emit_loop(b, loop, u, count, &x, &y, err);
}

/* oneDNN's where the value is bfloat16: its NaN is the lesser fault. */
static bp_rc build_exp(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                       bp_err *err)
{
    if (bp_dnnl_current_type(b, node->in[0]) != dnnl_f32)
        return emit(b, node, op->kind, 0, 0, err);
    return emit_elements(b, node, exp_loop, NULL, err);
}

/* 1/5 and 1/2 are ONNX's defaults. 0 becomes beta, hence emit_elements(). */
static bp_rc build_hard_sigmoid(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                                const bp_node *node, bp_err *err)
{
    struct hard_sigmoid *params = bp_blocks_array(b->memory, 1, sizeof *params);

    (void)op;
    if (!params)
        return bp_fail(err, BP_E_NOMEM, "dnnl: no memory for node '%s'", node->name);
    params->alpha = bp_node_float(b->graph, node, "alpha", 0.2f);
    params->beta = bp_node_float(b->graph, node, "beta", 0.5f);
    return emit_elements(b, node, hard_sigmoid_loop, params, err);
}

/* Functions whose oneDNN counterpart takes neither alpha nor beta. */
static bp_rc build_unparametrised(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                                  const bp_node *node, bp_err *err)
{
    return emit(b, node, op->kind, 0, 0, err);
}

/* The default of alpha is ONNX's: 0.01 for LeakyRelu, 1 for Elu. */
static bp_rc build_alpha(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                         const bp_node *node, bp_err *err)
{
    float def = op->kind == dnnl_eltwise_relu ? 0.01f : 1;

    return emit(b, node, op->kind, bp_node_float(b->graph, node, "alpha", def), 0, err);
}

/* The claim has read the limits already, so they are there. */
static bp_rc build_clip(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                        bp_err *err)
{
    float low, high;

    read_limits(b->host, b->graph, node, &low, &high);
    (void)op;
    return emit_limits(b, node, low, high, err);
}

/* com.microsoft's has no attribute `approximate`, which reads as "none": by erf. */
static bp_rc build_gelu(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                        bp_err *err)
{
    bool is_tanh = bp_node_string_is(b->graph, node, "approximate", "none", "tanh");

    return emit(b, node, is_tanh ? dnnl_eltwise_gelu_tanh : op->kind, 0, 0, err);
}

/* As linear: -1 * x + 0. */
static bp_rc build_neg(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op, const bp_node *node,
                       bp_err *err)
{
    return emit(b, node, op->kind, -1, 0, err);
}

/* x * sigmoid(alpha * x), oneDNN's swish. */
static bp_rc build_quick_gelu(struct bp_dnnl_builder *b, const struct bp_dnnl_op *op,
                              const bp_node *node, bp_err *err)
{
    return emit(b, node, op->kind, bp_node_float(b->graph, node, "alpha", BP_DNNL_QUICK_GELU_ALPHA),
                0, err);
}

#define ROW(row, onnx, in_domain, first, last, claims, builds, what)                               \
    const struct bp_dnnl_op bp_dnnl_op_##row = {                                                   \
        .name = onnx,                                                                              \
        .domain = in_domain,                                                                       \
        .since = first,                                                                            \
        .until = last,                                                                             \
        .claim = claims,                                                                           \
        .build = builds,                                                                           \
        .kind = what,                                                                              \
    }

ROW(abs, "Abs", "", 6, 13, claim_eltwise, build_unparametrised, dnnl_eltwise_abs);
ROW(clip, "Clip", "", 6, 13, claim_clip, build_clip, dnnl_eltwise_clip);
ROW(elu, "Elu", "", 6, 22, claim_eltwise, build_alpha, dnnl_eltwise_elu);
ROW(exp, "Exp", "", 6, 13, claim_eltwise, build_exp, dnnl_eltwise_exp);
ROW(gelu, "Gelu", "", 20, 20, claim_eltwise, build_gelu, dnnl_eltwise_gelu_erf);
ROW(hard_sigmoid, "HardSigmoid", "", 6, 22, claim_eltwise, build_hard_sigmoid, dnnl_alg_kind_undef);
ROW(hard_swish, "HardSwish", "", 14, 22, claim_eltwise, build_unparametrised,
    dnnl_eltwise_hardswish);
ROW(leaky_relu, "LeakyRelu", "", 6, 16, claim_eltwise, build_alpha, dnnl_eltwise_relu);
ROW(mish, "Mish", "", 18, 22, claim_eltwise, build_unparametrised, dnnl_eltwise_mish);
ROW(neg, "Neg", "", 6, 13, claim_eltwise, build_neg, dnnl_eltwise_linear);
ROW(relu, "Relu", "", 6, 14, claim_eltwise, build_relu, dnnl_eltwise_relu);
ROW(sigmoid, "Sigmoid", "", 6, 13, claim_eltwise, build_unparametrised, dnnl_eltwise_logistic);
ROW(softplus, "Softplus", "", 1, 22, claim_eltwise, build_unparametrised, dnnl_eltwise_soft_relu);
ROW(sqrt, "Sqrt", "", 6, 13, claim_eltwise, build_unparametrised, dnnl_eltwise_sqrt);
ROW(tanh, "Tanh", "", 6, 13, claim_eltwise, build_unparametrised, dnnl_eltwise_tanh);

const struct bp_dnnl_op bp_dnnl_op_ms_gelu = {
    .name = "Gelu",
    .domain = "com.microsoft",
    .since = 1,
    .until = 1,
    .claim = claim_eltwise,
    .build = build_gelu,
    .kind = dnnl_eltwise_gelu_erf,
    .is_made = true,
};

const struct bp_dnnl_op bp_dnnl_op_quick_gelu = {
    .name = "QuickGelu",
    .domain = "com.microsoft",
    .since = 1,
    .until = 1,
    .claim = claim_eltwise,
    .build = build_quick_gelu,
    .kind = dnnl_eltwise_swish,
    .is_made = true,
};
