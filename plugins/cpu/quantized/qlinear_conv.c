/* SPDX-License-Identifier: MIT */
/*
 * qlinear_conv.c - QLinearConv (opset 10).
 * y = quantise(x_scale * w_scale / y_scale * (Conv(x - x_zero, w - w_zero) + B), y_zero); x is [N,
 * C, d1, ...], w [M, C / group, k1, ...], int8 or uint8; B [M] and the sums are int32. w_scale and
 * w_zero_point are scalars or [M].
 */

#include "kernels/quantize/quantize.h"
#include "kernels/tensor_data.h"
#include "quantized/int8_conv.h"

enum { X, X_SCALE, X_ZERO, W, W_SCALE, W_ZERO, Y_SCALE, Y_ZERO, BIAS, MAX_ROW = 64 };

static const struct bp_cpu_int8_conv_inputs inputs = {
    .x = X, .w = W, .x_zero = X_ZERO, .w_zero = W_ZERO};

struct state {
    struct bp_cpu_int8_conv conv;
    struct bp_cpu_per_axis w_scale;
};

/* One run, for the threads. */
struct job {
    const struct state *state;
    uint8_t *y;
    uint32_t dtype; /* of y */
    size_t maps;
    const float *factors; /* from sums to y: one, or one for each map */
    const int32_t *bias;
    int32_t y_zero, low, high;
};

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    if (bp_cpu_int8_conv_claim(query))
        bp_cpu_claim_types(op, query);
}

static bp_rc pack(struct bp_cpu_node *node, bp_err *err)
{
    return bp_cpu_int8_conv_pack(node, inputs, err);
}

/* x_scale, y_scale and y_zero_point are per tensor. */
static bp_rc check(const struct bp_cpu_call *call, bp_err *err)
{
    static const uint32_t singles[] = {X_SCALE, Y_SCALE, Y_ZERO};
    const bp_tensor *bias = bp_cpu_in(call, BIAS);

    for (size_t i = 0; i < sizeof singles / sizeof *singles; i++) {
        if (bp_cpu_count(call->in[singles[i]]) != 1)
            return bp_cpu_fail(call->node, err, BP_E_SHAPE, "input %u must be one number",
                               singles[i]);
    }
    if (bias && (bias->rank != 1 || bias->dims[0] != call->in[W]->dims[0]))
        return bp_cpu_fail(call->node, err, BP_E_SHAPE,
                           "B has not one element for each feature map");
    return BP_OK;
}

/* The factors are scratch of the convolution's, at own_at. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *s;
    bp_rc rc = bp_cpu_state(call, sizeof *s, err);

    if (rc < 0)
        return rc;
    s = call->state;
    rc = check(call, err);
    if (rc >= 0)
        rc = bp_cpu_per_axis_make(call, W_SCALE, (size_t)call->in[W]->dims[0], 1, &s->w_scale, err);
    if (rc < 0)
        return rc;
    return bp_cpu_int8_conv_make(call, inputs, s->w_scale.total * sizeof(float), &s->conv, err);
}

/* Adds the bias to n sums of a map, and requantises them. */
static void put_map(void *u, size_t image, size_t map, const int32_t *sums, size_t j, size_t n)
{
    const struct job *job = u;
    const struct state *s = job->state;
    const struct bp_cpu_quant quant = {.scale = job->factors + (s->w_scale.total > 1 ? map : 0),
                                       .zero = &job->y_zero,
                                       .low = job->low,
                                       .high = job->high};
    uint8_t *y = job->y + (image * job->maps + map) * s->conv.product.n + j;
    int32_t biased[MAX_ROW];

    if (job->bias) {
        for (size_t i = 0; i < n; i++)
            biased[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)job->bias[map]);
        sums = biased;
    }
    bp_cpu_requantize(job->dtype, y, sums, n, &quant);
}

/* The factors x_scale * w_scale / y_scale are computed once for a run. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *s = call->state;
    const bp_tensor *bias = bp_cpu_in(call, BIAS), *y = call->out[0];
    struct job job = {.state = s, .dtype = y->dtype, .maps = (size_t)y->dims[1]};
    float x_scale, y_scale, *factors;

    if (bp_cpu_count(y) == 0)
        return BP_OK;
    factors = (float *)(void *)((char *)call->scratch + s->conv.own_at);
    bp_cpu_quant_scales(call->in[X_SCALE], &x_scale);
    bp_cpu_quant_scales(call->in[Y_SCALE], &y_scale);
    bp_cpu_quant_zeros(call->in[Y_ZERO], &job.y_zero);
    bp_cpu_per_axis_scales(call, W_SCALE, &s->w_scale, factors);
    for (size_t i = 0; i < s->w_scale.total; i++)
        factors[i] = x_scale * factors[i] / y_scale;
    job.factors = factors;
    job.y = bp_cpu_data(y);
    job.bias = bias ? bp_cpu_data(bias) : NULL;
    bp_cpu_quant_range(job.dtype, &job.low, &job.high);
    return bp_cpu_int8_conv_run(call, &s->conv, put_map, &job, err);
}

const struct bp_cpu_op bp_cpu_op_qlinear_conv = {
    .name = "QLinearConv",
    .since = 10,
    .claim = claim,
    .types = UINT64_C(1) << BP_DTYPE_I8 | UINT64_C(1) << BP_DTYPE_U8,
    .pack = pack,
    .prepare = prepare,
    .run = run,
};
