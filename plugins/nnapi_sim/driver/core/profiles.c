/* SPDX-License-Identifier: MIT */
/*
 * profiles.c - a GPU that computes floats and rounds them when it may, an NPU that computes 8-bit
 * types, and the reference CPU, which computes everything. Rates are of the order of phones of
 * 2020, not measured.
 */
#include "core/profiles.h"

#include <stdio.h>
#include <string.h>

#define GIGA UINT64_C(1000000000)

static const uint8_t gpu_operations[] = {
    ANEURALNETWORKS_ADD,
    ANEURALNETWORKS_AVERAGE_POOL_2D,
    ANEURALNETWORKS_CONCATENATION,
    ANEURALNETWORKS_CONV_2D,
    ANEURALNETWORKS_DEPTHWISE_CONV_2D,
    ANEURALNETWORKS_DEPTH_TO_SPACE,
    ANEURALNETWORKS_FLOOR,
    ANEURALNETWORKS_FULLY_CONNECTED,
    ANEURALNETWORKS_L2_POOL_2D,
    ANEURALNETWORKS_LOGISTIC,
    ANEURALNETWORKS_MAX_POOL_2D,
    ANEURALNETWORKS_MUL,
    ANEURALNETWORKS_RELU,
    ANEURALNETWORKS_RELU1,
    ANEURALNETWORKS_RELU6,
    ANEURALNETWORKS_RESHAPE,
    ANEURALNETWORKS_RESIZE_BILINEAR,
    ANEURALNETWORKS_SOFTMAX,
    ANEURALNETWORKS_SPACE_TO_DEPTH,
    ANEURALNETWORKS_TANH,
    ANEURALNETWORKS_DIV,
    ANEURALNETWORKS_MEAN,
    ANEURALNETWORKS_PAD,
    ANEURALNETWORKS_SQUEEZE,
    ANEURALNETWORKS_STRIDED_SLICE,
    ANEURALNETWORKS_SUB,
    ANEURALNETWORKS_TRANSPOSE,
    ANEURALNETWORKS_ABS,
    ANEURALNETWORKS_EXP,
    ANEURALNETWORKS_LESS,
    ANEURALNETWORKS_LOG,
    ANEURALNETWORKS_MAXIMUM,
    ANEURALNETWORKS_MINIMUM,
    ANEURALNETWORKS_NEG,
    ANEURALNETWORKS_PAD_V2,
    ANEURALNETWORKS_POW,
    ANEURALNETWORKS_PRELU,
    ANEURALNETWORKS_RSQRT,
    ANEURALNETWORKS_SELECT,
    ANEURALNETWORKS_SIN,
    ANEURALNETWORKS_SLICE,
    ANEURALNETWORKS_SPLIT,
    ANEURALNETWORKS_SQRT,
    ANEURALNETWORKS_TRANSPOSE_CONV_2D,
    ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR,
    ANEURALNETWORKS_ELU,
    ANEURALNETWORKS_HARD_SWISH,
};

static const uint8_t npu_operations[] = {
    ANEURALNETWORKS_ADD,
    ANEURALNETWORKS_AVERAGE_POOL_2D,
    ANEURALNETWORKS_CONCATENATION,
    ANEURALNETWORKS_CONV_2D,
    ANEURALNETWORKS_DEPTHWISE_CONV_2D,
    ANEURALNETWORKS_DEPTH_TO_SPACE,
    ANEURALNETWORKS_FULLY_CONNECTED,
    ANEURALNETWORKS_LOGISTIC,
    ANEURALNETWORKS_MAX_POOL_2D,
    ANEURALNETWORKS_MUL,
    ANEURALNETWORKS_RELU,
    ANEURALNETWORKS_RELU1,
    ANEURALNETWORKS_RELU6,
    ANEURALNETWORKS_RESHAPE,
    ANEURALNETWORKS_RESIZE_BILINEAR,
    ANEURALNETWORKS_SOFTMAX,
    ANEURALNETWORKS_SPACE_TO_DEPTH,
    ANEURALNETWORKS_TANH,
    ANEURALNETWORKS_MEAN,
    ANEURALNETWORKS_PAD,
    ANEURALNETWORKS_SQUEEZE,
    ANEURALNETWORKS_STRIDED_SLICE,
    ANEURALNETWORKS_SUB,
    ANEURALNETWORKS_TRANSPOSE,
    ANEURALNETWORKS_GROUPED_CONV_2D,
    ANEURALNETWORKS_MAXIMUM,
    ANEURALNETWORKS_MINIMUM,
    ANEURALNETWORKS_PRELU,
    ANEURALNETWORKS_RESIZE_NEAREST_NEIGHBOR,
    ANEURALNETWORKS_HARD_SWISH,
};

static const uint8_t gpu_types[] = {
    ANEURALNETWORKS_TENSOR_FLOAT32,      ANEURALNETWORKS_TENSOR_FLOAT16,
    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM, ANEURALNETWORKS_TENSOR_INT32,
    ANEURALNETWORKS_TENSOR_BOOL8,
};

static const uint8_t npu_types[] = {
    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM,
    ANEURALNETWORKS_TENSOR_QUANT8_ASYMM_SIGNED,
    ANEURALNETWORKS_TENSOR_QUANT8_SYMM_PER_CHANNEL,
    ANEURALNETWORKS_TENSOR_INT32,
};

#define KNOWS(device, what, list)                                                                  \
    do {                                                                                           \
        for (size_t i = 0; i < sizeof list; i++)                                                   \
            (device)->what[list[i]] = true;                                                        \
    } while (0)

static void make_gpu(struct nn_device_config *device)
{
    snprintf(device->name, sizeof device->name, "sim-gpu");
    device->type = ANEURALNETWORKS_DEVICE_GPU;
    KNOWS(device, operations, gpu_operations);
    KNOWS(device, types, gpu_types);
    device->nchw = true;
    device->power = 4;
    device->rates = (struct bp_nnapi_rates){.launch_ns = 150000,
                                            .operation_ns = 8000,
                                            .compile_ns = 20000000,
                                            .float_rate = 120 * GIGA,
                                            .half_rate = 240 * GIGA,
                                            .quant_rate = 120 * GIGA,
                                            .memory_rate = 20 * GIGA,
                                            .copy_rate = 8 * GIGA,
                                            .relaxed = 1,
                                            .caches = 1};
}

static void make_npu(struct nn_device_config *device)
{
    snprintf(device->name, sizeof device->name, "sim-npu");
    device->type = ANEURALNETWORKS_DEVICE_ACCELERATOR;
    KNOWS(device, operations, npu_operations);
    KNOWS(device, types, npu_types);
    device->power = 1;
    device->rates = (struct bp_nnapi_rates){.launch_ns = 200000,
                                            .operation_ns = 2000,
                                            .compile_ns = 50000000,
                                            .float_rate = GIGA,
                                            .half_rate = GIGA,
                                            .quant_rate = 2000 * GIGA,
                                            .memory_rate = 30 * GIGA,
                                            .copy_rate = 4 * GIGA,
                                            .caches = 1,
                                            .memory_domains = 1};
}

static void make_reference(struct nn_device_config *device)
{
    snprintf(device->name, sizeof device->name, NN_REFERENCE);
    device->type = ANEURALNETWORKS_DEVICE_CPU;
    memset(device->operations, true, sizeof device->operations);
    memset(device->types, true, sizeof device->types);
    device->nchw = true;
    device->power = 3;
    device->rates = (struct bp_nnapi_rates){.launch_ns = 20000,
                                            .operation_ns = 1000,
                                            .compile_ns = 10000,
                                            .float_rate = 2 * GIGA,
                                            .half_rate = 2 * GIGA,
                                            .quant_rate = 2 * GIGA,
                                            .memory_rate = 10 * GIGA};
}

bool nn_profile(const char *name, struct nn_device_config *device)
{
    memset(device, 0, sizeof *device);
    snprintf(device->version, sizeof device->version, "1");
    device->alignment = 64;
    device->padding = 64;
    if (strcmp(name, "gpu") == 0)
        make_gpu(device);
    else if (strcmp(name, "npu") == 0)
        make_npu(device);
    else if (strcmp(name, "cpu") == 0)
        make_reference(device);
    else
        return false;
    return true;
}
