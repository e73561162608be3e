/* SPDX-License-Identifier: MIT */
/* norm.c - BatchNorm as it is in inference, and SoftmaxV2. */
#include <tgmath.h>

#include "core/interrupt.h"
#include "ops/op.h"

/* ---- BatchNorm ------------------------------------------------------------------------------ */

/*
 * Inputs: x, scale, offset, mean, variance. Outputs: y, mean and variance, and both again as
 * training would want them. Two operations count per element.
 */
static aclError prepare_batch(struct sim_call *call, const aclopAttr *attr)
{
    const struct sim_shape *x = &call->in[0].shape;
    int64_t training = 1;
    double epsilon = 1e-4;

    if (!sim_attr_float(attr, "epsilon", &epsilon) || !sim_attr_int(attr, "is_training", &training))
        return sim_refuse(call, "epsilon has to be a float, is_training a bool");
    if (training)
        return sim_refuse(call, "is_training has to be false: the simulator does not train");
    if (x->rank < 2)
        return sim_refuse(call, "an input of rank %zu has no channels", x->rank);
    for (size_t i = 1; i < 5; i++) {
        if (call->in[i].count != (size_t)x->dims[1] || call->in[i].shape.rank != 1)
            return sim_refuse(call, "input %zu is not one value per channel", i);
        call->result[i] = call->in[i].shape;
        call->result_type[i] = call->in[i].type;
    }
    call->result[0] = *x;
    call->params.factor[0] = epsilon;
    call->work = 2 * (double)call->in[0].count;
    return 0;
}

/* ---- SoftmaxV2 ------------------------------------------------------------------------------ */

/* Along one axis, the last one by default. Four operations count per element. */
static aclError prepare_softmax(struct sim_call *call, const aclopAttr *attr)
{
    const struct sim_shape *x = &call->in[0].shape;
    int64_t axes[1] = {-1}, rank = (int64_t)x->rank;
    size_t count;

    if (!sim_attr_ints(attr, "axes", 1, axes, &count))
        return sim_refuse(call, "axes has to be a list of one integer");
    if (axes[0] < -rank || axes[0] >= rank)
        return sim_refuse(call, "axis %lld of %lld dimensions", (long long)axes[0],
                          (long long)rank);
    if (axes[0] < 0)
        axes[0] += rank;
    call->params.axis.outer = call->params.axis.inner = 1;
    for (int64_t i = 0; i < rank; i++) {
        if (i < axes[0])
            call->params.axis.outer *= x->dims[i];
        else if (i > axes[0])
            call->params.axis.inner *= x->dims[i];
    }
    call->params.axis.size = x->dims[axes[0]];
    call->result[0] = *x;
    call->work = 4 * (double)call->in[0].count;
    return 0;
}

#define T float
#define BATCH batch_floats
#define SOFTMAX softmax_floats
#include "ops/norm.inc"
#undef T
#undef BATCH
#undef SOFTMAX

#define T double
#define BATCH batch_doubles
#define SOFTMAX softmax_doubles
#include "ops/norm.inc"

const struct sim_op sim_op_batch_norm = {
    .type = "BatchNorm",
    .min_inputs = 5,
    .max_inputs = 5,
    .outputs = 5,
    .types = SIM_HALF_FLOAT,
    .mixed = true,
    .prepare = prepare_batch,
    .floats = batch_floats,
    .doubles = batch_doubles,
};

const struct sim_op sim_op_softmax = {
    .type = "SoftmaxV2",
    .min_inputs = 1,
    .max_inputs = 1,
    .outputs = 1,
    .types = SIM_REAL,
    .prepare = prepare_softmax,
    .floats = softmax_floats,
    .doubles = softmax_doubles,
};
