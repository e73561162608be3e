/* SPDX-License-Identifier: MIT */
/* names.c - names of Android's constants. */
#include "core/names.h"

#include <string.h>

#include <bp_nnapi_sim.h>

static const char *const operations[NN_OPERATIONS] = {
    "ADD",
    "AVERAGE_POOL_2D",
    "CONCATENATION",
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "DEPTH_TO_SPACE",
    "DEQUANTIZE",
    "EMBEDDING_LOOKUP",
    "FLOOR",
    "FULLY_CONNECTED",
    "HASHTABLE_LOOKUP",
    "L2_NORMALIZATION",
    "L2_POOL_2D",
    "LOCAL_RESPONSE_NORMALIZATION",
    "LOGISTIC",
    "LSH_PROJECTION",
    "LSTM",
    "MAX_POOL_2D",
    "MUL",
    "RELU",
    "RELU1",
    "RELU6",
    "RESHAPE",
    "RESIZE_BILINEAR",
    "RNN",
    "SOFTMAX",
    "SPACE_TO_DEPTH",
    "SVDF",
    "TANH",
    "BATCH_TO_SPACE_ND",
    "DIV",
    "MEAN",
    "PAD",
    "SPACE_TO_BATCH_ND",
    "SQUEEZE",
    "STRIDED_SLICE",
    "SUB",
    "TRANSPOSE",
    "ABS",
    "ARGMAX",
    "ARGMIN",
    "AXIS_ALIGNED_BBOX_TRANSFORM",
    "BIDIRECTIONAL_SEQUENCE_LSTM",
    "BIDIRECTIONAL_SEQUENCE_RNN",
    "BOX_WITH_NMS_LIMIT",
    "CAST",
    "CHANNEL_SHUFFLE",
    "DETECTION_POSTPROCESSING",
    "EQUAL",
    "EXP",
    "EXPAND_DIMS",
    "GATHER",
    "GENERATE_PROPOSALS",
    "GREATER",
    "GREATER_EQUAL",
    "GROUPED_CONV_2D",
    "HEATMAP_MAX_KEYPOINT",
    "INSTANCE_NORMALIZATION",
    "LESS",
    "LESS_EQUAL",
    "LOG",
    "LOGICAL_AND",
    "LOGICAL_NOT",
    "LOGICAL_OR",
    "LOG_SOFTMAX",
    "MAXIMUM",
    "MINIMUM",
    "NEG",
    "NOT_EQUAL",
    "PAD_V2",
    "POW",
    "PRELU",
    "QUANTIZE",
    "QUANTIZED_16BIT_LSTM",
    "RANDOM_MULTINOMIAL",
    "REDUCE_ALL",
    "REDUCE_ANY",
    "REDUCE_MAX",
    "REDUCE_MIN",
    "REDUCE_PROD",
    "REDUCE_SUM",
    "ROI_ALIGN",
    "ROI_POOLING",
    "RSQRT",
    "SELECT",
    "SIN",
    "SLICE",
    "SPLIT",
    "SQRT",
    "TILE",
    "TOPK_V2",
    "TRANSPOSE_CONV_2D",
    "UNIDIRECTIONAL_SEQUENCE_LSTM",
    "UNIDIRECTIONAL_SEQUENCE_RNN",
    "RESIZE_NEAREST_NEIGHBOR",
    "QUANTIZED_LSTM",
    "IF",
    "WHILE",
    "ELU",
    "HARD_SWISH",
    "FILL",
    "RANK",
    "BATCH_MATMUL",
    "PACK",
    "MIRROR_PAD",
    "REVERSE",
};

static const char *const operands[] = {
    "FLOAT32",
    "INT32",
    "UINT32",
    "TENSOR_FLOAT32",
    "TENSOR_INT32",
    "TENSOR_QUANT8_ASYMM",
    "BOOL",
    "TENSOR_QUANT16_SYMM",
    "TENSOR_FLOAT16",
    "TENSOR_BOOL8",
    "FLOAT16",
    "TENSOR_QUANT8_SYMM_PER_CHANNEL",
    "TENSOR_QUANT16_ASYMM",
    "TENSOR_QUANT8_SYMM",
    "TENSOR_QUANT8_ASYMM_SIGNED",
    "MODEL",
};

static const char *const results[] = {
    "NO_ERROR",
    "OUT_OF_MEMORY",
    "INCOMPLETE",
    "UNEXPECTED_NULL",
    "BAD_DATA",
    "OP_FAILED",
    "BAD_STATE",
    "UNMAPPABLE",
    "OUTPUT_INSUFFICIENT_SIZE",
    "UNAVAILABLE_DEVICE",
    "MISSED_DEADLINE_TRANSIENT",
    "MISSED_DEADLINE_PERSISTENT",
    "RESOURCE_EXHAUSTED_TRANSIENT",
    "RESOURCE_EXHAUSTED_PERSISTENT",
    "DEAD_OBJECT",
};

static const char *at(const char *const *names, size_t count, int32_t code)
{
    return code >= 0 && (size_t)code < count ? names[code] : NULL;
}

#define AT(names, code) at(names, sizeof names / sizeof names[0], code)

const char *bp_nnapi_operation_name(int32_t operation)
{
    return AT(operations, operation);
}

const char *bp_nnapi_operand_name(int32_t type)
{
    return AT(operands, type);
}

const char *bp_nnapi_result_name(int32_t code)
{
    return AT(results, code);
}

int32_t nn_operation_code(const char *name)
{
    for (int32_t i = 0; i < NN_OPERATIONS; i++)
        if (strcmp(operations[i], name) == 0)
            return i;
    return -1;
}

int32_t nn_operand_code(const char *name)
{
    for (int32_t i = 0; i < NN_OPERAND_TYPES; i++)
        if (strcmp(operands[i], name) == 0)
            return i;
    return -1;
}

int32_t nn_result_code(const char *name)
{
    for (int32_t i = 0; i < (int32_t)(sizeof results / sizeof results[0]); i++)
        if (strcmp(results[i], name) == 0)
            return i;
    return -1;
}
