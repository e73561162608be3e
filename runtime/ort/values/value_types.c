/* SPDX-License-Identifier: MIT */
/* value_types.c - queries of an OrtValue's kind, type and shape. */

#include "config.h"

#include "ort/status.h"
#include "ort/values/value.h"

/* OrtApi since version 1. */
OrtStatus *ort_IsTensor(const OrtValue *value, int *out)
{
    ORT_NEED(value);
    ORT_NEED(out);
    *out = value->kind == ONNX_TYPE_TENSOR;
    return NULL;
}

/* OrtApi since version 9. */
OrtStatus *ort_IsSparseTensor(const OrtValue *value, int *out)
{
    ORT_NEED(value);
    ORT_NEED(out);
    *out = value->kind == ONNX_TYPE_SPARSETENSOR;
    return NULL;
}

/* OrtApi since version 10: 0 for an empty optional. */
OrtStatus *ort_HasValue(const OrtValue *value, int *out)
{
    ORT_NEED(value);
    ORT_NEED(out);
    *out = value->has_value;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_GetValueType(const OrtValue *value, ONNXType *out)
{
    ORT_NEED(value);
    ORT_NEED(out);
    *out = value->kind;
    return NULL;
}

static OrtTensorTypeAndShapeInfo *shape_of(const bp_tensor *tensor)
{
    static const int64_t none[1];

    return ort_shape_create(ort_dtype(tensor->dtype), tensor->rank ? tensor->dims : none,
                            tensor->rank);
}

/* OrtApi since version 1: A copy; of a sparse tensor, its dense type. */
OrtStatus *ort_GetTensorTypeAndShape(const OrtValue *value, OrtTensorTypeAndShapeInfo **out)
{
    OrtStatus *status;

    if (value && !value->sparse && value->kind != ONNX_TYPE_TENSOR)
        return ort_fail(ORT_FAIL, "GetTensorTypeAndShape: the value is not a tensor");
    status = value && value->sparse ? NULL : ort_need_tensor(__func__, value);
    if (status)
        return status;
    ORT_NEED(out);
    *out = value->sparse ? ort_shape_copy(value->sparse->dense) : shape_of(&value->tensor);
    return *out ? NULL : ort_no_memory();
}

/* OrtApi since version 24: The dims are borrowed from the value. */
OrtStatus *ort_GetTensorElementTypeAndShapeDataReference(const OrtValue *value,
                                                         ONNXTensorElementDataType *elem_type,
                                                         const int64_t **shape_data,
                                                         size_t *shape_data_count)
{
    OrtStatus *status = value && value->sparse ? NULL : ort_need_tensor(__func__, value);

    if (status)
        return status;
    ORT_NEED(elem_type);
    ORT_NEED(shape_data);
    ORT_NEED(shape_data_count);
    if (value->sparse) {
        *elem_type = value->sparse->dense->dtype;
        *shape_data = value->sparse->dense->rank ? value->sparse->dense->dims : NULL;
        *shape_data_count = value->sparse->dense->rank;
        return NULL;
    }
    *elem_type = ort_dtype(value->tensor.dtype);
    *shape_data = value->tensor.rank ? value->tensor.dims : NULL;
    *shape_data_count = value->tensor.rank;
    return NULL;
}

/* ---- types of values that are not tensors ------------------------------------------------------- */

static OrtTypeInfo *type_of(const OrtValue *value);

/* The type of the innermost tensors of an object. */
static OrtTypeInfo *of_object(const bp_object *object)
{
    while (object && !bp_object_tensor(object))
        object = bp_object_item(object, bp_object_kind(object) == BP_KIND_MAP ? 1 : 0);
    if (!object)
        return ort_type_of_tensor(
            ort_shape_create(ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, NULL, 0));
    return ort_type_of_tensor(shape_of(bp_object_tensor(object)));
}

/* Elements of a sequence may have any shape, so it has none. */
static OrtTypeInfo *unshaped(OrtTypeInfo *type)
{
    OrtTypeInfo *plain;

    if (!type || type->kind != ONNX_TYPE_TENSOR)
        return type;
    plain = ort_type_of_tensor(ort_shape_create(type->tensor->dtype, NULL, 0));
    ort_ReleaseTypeInfo(type);
    return plain;
}

/*
 * The item type is that of the first part (of a map: of its values), or of the host's object. NULL:
 * no memory.
 */
static OrtTypeInfo *container_type(const OrtValue *value)
{
    bool is_map = value->kind == ONNX_TYPE_MAP;
    OrtTypeInfo *item;
    OrtTypeInfo *type;
    bp_object *keys = value->object && is_map ? bp_object_item(value->object, 0) : NULL;

    if (value->object)
        item = unshaped(of_object(value->object));
    else
        item = unshaped(type_of(value->parts[is_map ? 1 : 0]));
    type = item ? ort_type_copy(item) : NULL;
    if (!type) {
        ort_ReleaseTypeInfo(item);
        return NULL;
    }
    ort_ReleaseTensorTypeAndShapeInfo(type->tensor);
    ort_ReleaseTypeInfo(type->item);
    type->tensor = NULL;
    type->item = item;
    type->kind = value->kind;
    if (is_map)
        type->key_type =
            ort_dtype(keys ? bp_object_tensor(keys)->dtype : value->parts[0]->tensor.dtype);
    return type;
}

static OrtTypeInfo *type_of(const OrtValue *value)
{
    OrtTypeInfo *type;

    if (value->sparse) {
        type = ort_type_of_tensor(ort_shape_copy(value->sparse->dense));
        if (type)
            type->kind = ONNX_TYPE_SPARSETENSOR;
        return type;
    }
    if (value->kind != ONNX_TYPE_TENSOR)
        return container_type(value);
    return ort_type_of_tensor(shape_of(&value->tensor));
}

/* OrtApi since version 1: NULL for an empty optional. */
OrtStatus *ort_GetTypeInfo(const OrtValue *value, OrtTypeInfo **out)
{
    ORT_NEED(value);
    ORT_NEED(out);
    *out = NULL;
    if (!value->has_value)
        return NULL;
    *out = type_of(value);
    return *out ? NULL : ort_no_memory();
}
