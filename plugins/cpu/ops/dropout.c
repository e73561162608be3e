/* SPDX-License-Identifier: MIT */
/*
 * dropout.c - Dropout (opsets 1, 6, 7, 10, 12, 13, 22) as in inference: y = x, and a mask of ones.
 * From version 12 on a model may ask for training; that is refused unless its ratio is 0. Before
 * version 7 attribute is_test is not looked at: this is no place where a model is trained.
 */

#include "kernels/cast.h"
#include "kernels/fill.h"

/* Is a scalar of any type not 0? */
static bool is_nonzero(uint32_t dtype, const void *data)
{
    size_t width = bp_cpu_width(dtype);
    uint8_t bytes[16];
    bool answer = false;

    if (width > sizeof bytes)
        return true;
    memcpy(bytes, data, width);
    if (dtype != BP_DTYPE_BOOL && width > 0)
        bytes[width - 1] &= 0x7f; /* -0 is 0 too */
    for (size_t i = 0; i < width; i++)
        answer = answer || bytes[i] != 0;
    return answer;
}

/* A constant input, a scalar: 1 for not 0, 0 for 0, -1 for not constant. */
static int constant_flag(const struct bp_cpu_query *query, uint32_t i)
{
    const bp_value *value = bp_node_in(query->graph, query->node, i);
    bp_span span;

    if (!value || !(value->flags & BP_VALUE_CONSTANT))
        return -1;
    if (query->host->constant(query->host->h, query->graph, query->node->in[i], &span, NULL) < 0 ||
        span.size < bp_cpu_width(value->dtype))
        return -1;
    return is_nonzero(value->dtype, span.data);
}

static void claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const bp_value *ratio = bp_node_in(query->graph, query->node, 1);

    if (query->node->since >= 12 && constant_flag(query, 2) == 1 &&
        (!ratio || constant_flag(query, 1) == 1))
        bp_cpu_refuse(query, BP_R_ATTRIBUTE, "training_mode", "training is not implemented");
    else
        bp_cpu_claim_types(op, query);
}

/* All kept: true, or before version 10 the number one of x's type. */
static void fill_mask(bp_tensor *mask, size_t n)
{
    static const uint8_t yes = 1;
    struct bp_cpu_params none = {0};
    uint64_t one = 0;

    bp_cpu_cast_loop(BP_DTYPE_BOOL, mask->dtype)(&one, &yes, 1, &none);
    bp_cpu_fill(bp_tensor_data(mask), &one, bp_cpu_width(mask->dtype), n);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0], *ratio = bp_cpu_in(call, 1), *mode = bp_cpu_in(call, 2);
    bp_tensor *mask = bp_cpu_out(call, 1);
    size_t n = (size_t)bp_cpu_count(x), width = bp_cpu_width(x->dtype);
    const void *from = bp_tensor_data(x);
    void *to = call->out[0] ? bp_tensor_data(call->out[0]) : NULL;

    if (mode && is_nonzero(mode->dtype, bp_tensor_data(mode)) &&
        (!ratio || is_nonzero(ratio->dtype, bp_tensor_data(ratio))))
        return bp_cpu_fail(call->node, err, BP_E_UNSUPPORTED,
                           "training_mode is set: training is not implemented");
    if (n == 0)
        return BP_OK;
    if (to && to != from)
        memcpy(to, from, n * width);
    if (mask)
        fill_mask(mask, n);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_dropout_1 = {
    .name = "Dropout",
    .since = 1,
    .until = 11,
    .flags = BP_CPU_VIEW,
    .types = BP_CPU_FLOATS,
    .run = run,
};

/* No view: run has to see training_mode. */
const struct bp_cpu_op bp_cpu_op_dropout_12 = {
    .name = "Dropout",
    .since = 12,
    .flags = BP_CPU_IN_PLACE,
    .types = BP_CPU_FLOATS,
    .claim = claim,
    .run = run,
};
