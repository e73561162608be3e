/* SPDX-License-Identifier: MIT */
/* support.c - which operations a device takes, and what they cost there. */
#include <stdarg.h>
#include <stdio.h>

#include "model/model.h"

static bool refused(char *why, size_t size, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static bool refused(char *why, size_t size, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    if (why && size)
        vsnprintf(why, size, format, args);
    va_end(args);
    return false;
}

/* Whether an operand is a layout, true for NCHW: the only BOOL that images have in front. */
static bool is_nchw(const struct nn_operation *operation)
{
    switch (operation->code) {
    case ANEURALNETWORKS_CONV_2D:
    case ANEURALNETWORKS_DEPTHWISE_CONV_2D:
    case ANEURALNETWORKS_GROUPED_CONV_2D:
    case ANEURALNETWORKS_AVERAGE_POOL_2D:
    case ANEURALNETWORKS_MAX_POOL_2D:
    case ANEURALNETWORKS_L2_POOL_2D:
    case ANEURALNETWORKS_DEPTH_TO_SPACE:
    case ANEURALNETWORKS_SPACE_TO_DEPTH:
    case ANEURALNETWORKS_BATCH_TO_SPACE_ND:
    case ANEURALNETWORKS_SPACE_TO_BATCH_ND:
    case ANEURALNETWORKS_INSTANCE_NORMALIZATION:
    case ANEURALNETWORKS_RESIZE_BILINEAR:
    case ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR:
        break;
    default:
        return false;
    }
    for (uint32_t i = 0; i < operation->in_count; i++)
        if (operation->in[i]->type == ANEURALNETWORKS_BOOL)
            return operation->in[i]->data && *(const uint8_t *)operation->in[i]->data;
    return false;
}

/* Models of IF and WHILE: the device takes them when it takes all of theirs. */
static bool takes_inner(const struct nn_device_config *device, const struct nn_operation *operation,
                        char *why, size_t size)
{
    for (uint32_t i = 0; i < operation->in_count; i++) {
        const struct ANeuralNetworksModel *inner = operation->in[i]->model;

        for (uint32_t j = 0; inner && j < inner->operation_count; j++)
            if (!nn_device_takes(device, inner, j, why, size))
                return false;
    }
    return true;
}

bool nn_device_takes(const struct nn_device_config *device,
                     const struct ANeuralNetworksModel *model, uint32_t operation, char *why,
                     size_t why_size)
{
    const struct nn_operation *at = &model->operations[operation];
    const char *name = bp_nnapi_operation_name(at->code);

    if (!device->operations[at->code])
        return refused(why, why_size, "%s has no %s", device->name, name);
    if (at->level > device->level)
        return refused(why, why_size, "%s has level %lld; this %s needs level %lld", device->name,
                       (long long)device->level, name, (long long)at->level);
    for (uint32_t i = 0; i < at->in_count + at->out_count; i++) {
        int32_t type = at->in[i]->type; /* inputs and outputs are one list */

        if (at->in[i]->present && nn_is_tensor(type) && !device->types[type])
            return refused(why, why_size, "%s has no %s for %s", device->name,
                           bp_nnapi_operand_name(type), name);
    }
    if (!device->nchw && is_nchw(at))
        return refused(why, why_size, "%s has no NCHW layout for %s", device->name, name);
    return takes_inner(device, at, why, why_size);
}

/* ---- cost ----------------------------------------------------------------------------------- */

uint64_t nn_rate(const struct nn_device_config *device, const struct nn_call *call)
{
    int32_t type = call->in[call->op->subject]->type;

    if (nn_is_quant8(type))
        return device->rates.quant_rate;
    if (type == F16 || (type == F32 && call->relaxed && device->rates.relaxed))
        return device->rates.half_rate;
    return device->rates.float_rate;
}

static uint64_t bytes_of(struct nn_tensor *const *tensors, uint32_t count)
{
    uint64_t bytes = 0;

    for (uint32_t i = 0; i < count; i++)
        if (tensors[i]->ranked)
            bytes += nn_count_of(tensors[i]) * nn_element_size(tensors[i]->type);
    return bytes;
}

/* The longer of what its arithmetic and its bytes take. */
uint64_t nn_cost(const struct nn_device_config *device, const struct nn_call *call)
{
    uint64_t work = call->op->work ? call->op->work(call) : nn_count_of(call->out[0]);
    uint64_t bytes = bytes_of(call->in, call->in_count) + bytes_of(call->out, call->out_count);
    double computing = (double)work * 1e9 / (double)nn_rate(device, call);
    double moving = (double)bytes * 1e9 / (double)device->rates.memory_rate;

    return device->rates.operation_ns + (uint64_t)(computing > moving ? computing : moving);
}
