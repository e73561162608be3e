/* SPDX-License-Identifier: MIT */
/*
 * conv_integer.c - ConvInteger (opset 10).
 * Y = Conv(X - x_zero_point, W - w_zero_point); X is [N, C, d1, ...], W [M, C / group, k1, ...],
 * both int8 or uint8, Y [N, M, o1, ...] int32. w_zero_point is a scalar or [M].
 */

#include "kernels/tensor_data.h"
#include "quantized/int8_conv.h"

static const struct bp_cpu_int8_conv_inputs inputs = {.x = 0, .w = 1, .x_zero = 2, .w_zero = 3};

/* One run, for the threads. */
struct job {
    int32_t *y;
    size_t maps, positions;
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

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    bp_rc rc = bp_cpu_state(call, sizeof(struct bp_cpu_int8_conv), err);

    return rc < 0 ? rc : bp_cpu_int8_conv_make(call, inputs, 0, call->state, err);
}

/* Writes n sums of a feature map. */
static void put_map(void *u, size_t image, size_t map, const int32_t *sums, size_t j, size_t n)
{
    const struct job *job = u;

    memcpy(job->y + (image * job->maps + map) * job->positions + j, sums, n * sizeof *sums);
}

/* The sums are the result: they are copied to Y. */
static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_int8_conv *conv = call->state;
    struct job job = {bp_cpu_data(call->out[0]), (size_t)call->out[0]->dims[1], conv->product.n};

    return bp_cpu_int8_conv_run(call, conv, put_map, &job, err);
}

const struct bp_cpu_op bp_cpu_op_conv_integer = {
    .name = "ConvInteger",
    .since = 10,
    .claim = claim,
    .types = UINT64_C(1) << BP_DTYPE_I8 | UINT64_C(1) << BP_DTYPE_U8,
    .pack = pack,
    .prepare = prepare,
    .run = run,
};
