/* SPDX-License-Identifier: MIT */
/* types.c - OrtTypeInfo: kind of a value, element type, shape, item type. */

#include "config.h"

#include "ort/values/types.h"

#include <stdlib.h>
#include <string.h>

#include "ort/status.h"

/* ---- element types --------------------------------------------------------------------------- */

/* From 24 on, ONNX Runtime's enum and ONNX's TensorProto.DataType have different values. */
ONNXTensorElementDataType ort_dtype(uint32_t dtype)
{
    switch (dtype) {
    case BP_DTYPE_F8E8M0:
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0;
    case BP_DTYPE_U2:
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2;
    case BP_DTYPE_I2:
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2;
    default:
        return dtype <= BP_DTYPE_F4E2M1 ? (ONNXTensorElementDataType)dtype
                                        : ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    }
}

/*
 * Up to FLOAT4E2M1 (23) the numbers are those of TensorProto.DataType. Then this ABI has UINT2 24,
 * INT2 25 and FLOAT8E8M0 26; TensorProto has FLOAT8E8M0 24, UINT2 25 and INT2 26.
 */
uint32_t ort_host_dtype(ONNXTensorElementDataType type)
{
    switch (type) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0:
        return BP_DTYPE_F8E8M0;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2:
        return BP_DTYPE_U2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2:
        return BP_DTYPE_I2;
    default:
        return (uint32_t)type <= BP_DTYPE_F4E2M1 ? (uint32_t)type : BP_DTYPE_NONE;
    }
}

/* ONNX Runtime's names, which stand in its messages. */
const char *ort_dtype_word(ONNXTensorElementDataType type)
{
    static const char *const words[] = {
        "undefined",      "float",      "uint8",          "int8",       "uint16",   "int16",
        "int32",          "int64",      "string",         "bool",       "float16",  "double",
        "uint32",         "uint64",     "complex64",      "complex128", "bfloat16", "float8e4m3fn",
        "float8e4m3fnuz", "float8e5m2", "float8e5m2fnuz", "uint4",      "int4",     "float4e2m1",
        "uint2",          "int2",       "float8e8m0",
    };

    return (size_t)type < sizeof words / sizeof *words ? words[type] : words[0];
}

/* ---- making ---------------------------------------------------------------------------------- */

OrtTypeInfo *ort_type_of_tensor(OrtTensorTypeAndShapeInfo *tensor)
{
    OrtTypeInfo *type = tensor ? calloc(1, sizeof *type) : NULL;

    if (!type) {
        ort_ReleaseTensorTypeAndShapeInfo(tensor);
        return NULL;
    }
    type->kind = ONNX_TYPE_TENSOR;
    type->tensor = tensor;
    return type;
}

static ONNXType kind_of(uint32_t kind)
{
    static const ONNXType kinds[BP_KIND_END] = {
        [BP_KIND_TENSOR] = ONNX_TYPE_TENSOR,       [BP_KIND_SEQUENCE] = ONNX_TYPE_SEQUENCE,
        [BP_KIND_OPTIONAL] = ONNX_TYPE_OPTIONAL,   [BP_KIND_MAP] = ONNX_TYPE_MAP,
        [BP_KIND_SPARSE] = ONNX_TYPE_SPARSETENSOR,
    };

    return kind < BP_KIND_END ? kinds[kind] : ONNX_TYPE_UNKNOWN;
}

/* A type inside another: it has no shape. */
static OrtTypeInfo *of_part(const bp_type_info *info)
{
    OrtTypeInfo *type;

    if (!info || info->kind == BP_KIND_TENSOR)
        return ort_type_of_tensor(
            ort_shape_create(ort_dtype(info ? info->dtype : BP_DTYPE_NONE), NULL, 0));
    type = calloc(1, sizeof *type);
    if (!type)
        return NULL;
    type->kind = kind_of(info->kind);
    if (info->kind == BP_KIND_SPARSE) {
        type->tensor =
            ort_shape_create(ort_dtype(info->item ? info->item->dtype : BP_DTYPE_NONE), NULL, 0);
    } else {
        type->key_type = ort_dtype(info->dtype);
        type->item = of_part(info->item);
    }
    if (!type->tensor && !type->item) {
        ort_ReleaseTypeInfo(type);
        return NULL;
    }
    return type;
}

static OrtTypeInfo *of_shaped(const bp_io_info *io)
{
    OrtTensorTypeAndShapeInfo *shape = ort_shape_create(ort_dtype(io->dtype), NULL, io->rank);

    for (uint32_t d = 0; shape && d < io->rank; d++) {
        shape->dims[d] = io->dims[d].value;
        if (io->dims[d].value >= 0 || !io->dims[d].symbol)
            continue;
        shape->symbols[d] = strdup(io->dims[d].symbol);
        if (!shape->symbols[d]) {
            ort_ReleaseTensorTypeAndShapeInfo(shape);
            return NULL;
        }
    }
    if (shape)
        shape->has_shape = true;
    return ort_type_of_tensor(shape);
}

OrtTypeInfo *ort_type_of_io(const bp_io_info *io)
{
    OrtTypeInfo *type;

    if (io->rank == BP_RANK_UNKNOWN ||
        (io->type->kind != BP_KIND_TENSOR && io->type->kind != BP_KIND_SPARSE))
        return of_part(io->type);
    type = of_shaped(io);
    if (type)
        type->kind = kind_of(io->type->kind);
    return type;
}

OrtTypeInfo *ort_type_copy(const OrtTypeInfo *type)
{
    OrtTypeInfo *copy = calloc(1, sizeof *copy);

    if (!copy)
        return NULL;
    copy->kind = type->kind;
    copy->key_type = type->key_type;
    if (type->tensor)
        copy->tensor = ort_shape_copy(type->tensor);
    if (type->item)
        copy->item = ort_type_copy(type->item);
    if ((type->tensor && !copy->tensor) || (type->item && !copy->item)) {
        ort_ReleaseTypeInfo(copy);
        return NULL;
    }
    return copy;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 1. */
void ort_ReleaseTypeInfo(OrtTypeInfo *input)
{
    if (!input)
        return;
    ort_ReleaseTensorTypeAndShapeInfo(input->tensor);
    ort_ReleaseTypeInfo(input->item);
    free(input);
}

/* OrtApi since version 2: CastTypeInfoToMapTypeInfo returned a view: its owner frees it. */
void ort_ReleaseMapTypeInfo(OrtMapTypeInfo *input)
{
    (void)input;
}

/* OrtApi since version 2: The same. */
void ort_ReleaseSequenceTypeInfo(OrtSequenceTypeInfo *input)
{
    (void)input;
}

/* OrtApi since version 1. */
OrtStatus *ort_GetOnnxTypeFromTypeInfo(const OrtTypeInfo *type_info, ONNXType *out)
{
    ORT_NEED(type_info);
    ORT_NEED(out);
    *out = type_info->kind;
    return NULL;
}

/* OrtApi since version 2: The host keeps no denotations. */
OrtStatus *ort_GetDenotationFromTypeInfo(const OrtTypeInfo *type_info,
                                         const char **const denotation, size_t *len)
{
    ORT_NEED(type_info);
    ORT_NEED(denotation);
    ORT_NEED(len);
    *denotation = "";
    *len = 0;
    return NULL;
}

/* OrtApi since version 1: Borrowed; NULL for other kinds. */
OrtStatus *ort_CastTypeInfoToTensorInfo(const OrtTypeInfo *type_info,
                                        const OrtTensorTypeAndShapeInfo **out)
{
    ORT_NEED(type_info);
    ORT_NEED(out);
    *out = type_info->tensor;
    return NULL;
}

/* OrtApi since version 2. */
OrtStatus *ort_CastTypeInfoToMapTypeInfo(const OrtTypeInfo *type_info, const OrtMapTypeInfo **out)
{
    ORT_NEED(type_info);
    ORT_NEED(out);
    *out = type_info->kind == ONNX_TYPE_MAP ? (const OrtMapTypeInfo *)type_info : NULL;
    return NULL;
}

/* OrtApi since version 2. */
OrtStatus *ort_CastTypeInfoToSequenceTypeInfo(const OrtTypeInfo *type_info,
                                              const OrtSequenceTypeInfo **out)
{
    ORT_NEED(type_info);
    ORT_NEED(out);
    *out = type_info->kind == ONNX_TYPE_SEQUENCE ? (const OrtSequenceTypeInfo *)type_info : NULL;
    return NULL;
}

/* OrtApi since version 15. */
OrtStatus *ort_CastTypeInfoToOptionalTypeInfo(const OrtTypeInfo *type_info,
                                              const OrtOptionalTypeInfo **out)
{
    ORT_NEED(type_info);
    ORT_NEED(out);
    *out = type_info->kind == ONNX_TYPE_OPTIONAL ? (const OrtOptionalTypeInfo *)type_info : NULL;
    return NULL;
}

static OrtStatus *copy_item(const OrtTypeInfo *type, OrtTypeInfo **out)
{
    *out = ort_type_copy(type->item);
    return *out ? NULL : ort_no_memory();
}

/* OrtApi since version 2. */
OrtStatus *ort_GetMapKeyType(const OrtMapTypeInfo *map_type_info, ONNXTensorElementDataType *out)
{
    ORT_NEED(map_type_info);
    ORT_NEED(out);
    *out = ((const OrtTypeInfo *)map_type_info)->key_type;
    return NULL;
}

/* OrtApi since version 2: A copy, for the caller to release. */
OrtStatus *ort_GetMapValueType(const OrtMapTypeInfo *map_type_info, OrtTypeInfo **type_info)
{
    ORT_NEED(map_type_info);
    ORT_NEED(type_info);
    return copy_item((const OrtTypeInfo *)map_type_info, type_info);
}

/* OrtApi since version 2. */
OrtStatus *ort_GetSequenceElementType(const OrtSequenceTypeInfo *sequence_type_info,
                                      OrtTypeInfo **type_info)
{
    ORT_NEED(sequence_type_info);
    ORT_NEED(type_info);
    return copy_item((const OrtTypeInfo *)sequence_type_info, type_info);
}

/* OrtApi since version 15. */
OrtStatus *ort_GetOptionalContainedTypeInfo(const OrtOptionalTypeInfo *optional_type_info,
                                            OrtTypeInfo **out)
{
    ORT_NEED(optional_type_info);
    ORT_NEED(out);
    return copy_item((const OrtTypeInfo *)optional_type_info, out);
}
