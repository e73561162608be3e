/* SPDX-License-Identifier: MIT */
/*
 * types.c - OrtTypeInfo created by OrtModelEditorApi. Arguments are copied; ReleaseTypeInfo frees
 * the result.
 */

#include "config.h"

#include <stdlib.h>

#include "ort/status.h"
#include "ort/values/types.h"

/* ORT_INVALID_ARGUMENT: no element type, or a dimension below -1. */
static OrtStatus *make_tensor(const OrtTensorTypeAndShapeInfo *from, ONNXType kind,
                              OrtTypeInfo **out)
{
    OrtTypeInfo *type;

    if (ort_host_dtype(from->dtype) == BP_DTYPE_NONE)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "element type %d is undefined or unknown: set one by "
                        "SetTensorElementType",
                        (int)from->dtype);
    for (size_t d = 0; d < from->rank; d++) {
        if (from->dims[d] < -1)
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "dim_values must be -1 (not known) or sizes: dimension %zu is %lld", d,
                            (long long)from->dims[d]);
    }
    type = ort_type_of_tensor(ort_shape_copy(from));
    if (!type)
        return ort_no_memory();
    type->kind = kind;
    *out = type;
    return NULL;
}

/* A type with an item: sequence, optional or map. */
static OrtStatus *make_around(ONNXType kind, const OrtTypeInfo *item, OrtTypeInfo **out)
{
    OrtTypeInfo *type = calloc(1, sizeof *type);

    if (type)
        type->item = ort_type_copy(item);
    if (!type || !type->item) {
        free(type);
        return ort_no_memory();
    }
    type->kind = kind;
    *out = type;
    return NULL;
}

/* OrtModelEditorApi since version 22, as the others of this file. */
OrtStatus *ort_editor_CreateTensorTypeInfo(const OrtTensorTypeAndShapeInfo *tensor_info,
                                           OrtTypeInfo **type_info)
{
    ORT_NEED(tensor_info);
    ORT_NEED(type_info);
    return make_tensor(tensor_info, ONNX_TYPE_TENSOR, type_info);
}

OrtStatus *ort_editor_CreateSparseTensorTypeInfo(const OrtTensorTypeAndShapeInfo *tensor_info,
                                                 OrtTypeInfo **type_info)
{
    ORT_NEED(tensor_info);
    ORT_NEED(type_info);
    return make_tensor(tensor_info, ONNX_TYPE_SPARSETENSOR, type_info);
}

/* ORT_INVALID_ARGUMENT: the key type is UNDEFINED or unknown. */
OrtStatus *ort_editor_CreateMapTypeInfo(ONNXTensorElementDataType map_key_type,
                                        const OrtTypeInfo *map_value_type, OrtTypeInfo **type_info)
{
    OrtStatus *status;

    ORT_NEED(map_value_type);
    ORT_NEED(type_info);
    if (ort_host_dtype(map_key_type) == BP_DTYPE_NONE)
        return ort_fail(ORT_INVALID_ARGUMENT, "key type %d is undefined or unknown",
                        (int)map_key_type);
    status = make_around(ONNX_TYPE_MAP, map_value_type, type_info);
    if (!status)
        (*type_info)->key_type = map_key_type;
    return status;
}

OrtStatus *ort_editor_CreateSequenceTypeInfo(const OrtTypeInfo *sequence_type,
                                             OrtTypeInfo **type_info)
{
    ORT_NEED(sequence_type);
    ORT_NEED(type_info);
    return make_around(ONNX_TYPE_SEQUENCE, sequence_type, type_info);
}

OrtStatus *ort_editor_CreateOptionalTypeInfo(const OrtTypeInfo *contained_type,
                                             OrtTypeInfo **type_info)
{
    ORT_NEED(contained_type);
    ORT_NEED(type_info);
    return make_around(ONNX_TYPE_OPTIONAL, contained_type, type_info);
}
