/* SPDX-License-Identifier: MIT */
/* containers.c - sequences and maps: CreateValue, GetValue, GetValueCount. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/status.h"
#include "ort/values/value.h"

/* ---- conversion to and from the host's objects ------------------------------------------------- */

/* Nested optionals are unwrapped: ONNX Runtime has no value of kind optional. */
OrtStatus *ort_value_adopt(OrtValue *value, bp_binding *result)
{
    bp_object *object = result->object;
    bp_object *item;
    const bp_tensor *tensor;

    result->object = NULL;
    if (!object) {
        value->kind = ONNX_TYPE_TENSOR;
        value->storage = ORT_HOST;
        value->tensor = result->tensor;
        value->has_value = true;
        result->tensor = (bp_tensor){0};
        return NULL;
    }
    while (object && bp_object_kind(object) == BP_KIND_OPTIONAL) {
        item = bp_object_retain(bp_object_item(object, 0));
        bp_object_release(object);
        object = item;
    }
    if (!object)
        return NULL; /* an optional without a value keeps the kind that the model says */
    tensor = bp_object_tensor(object);
    if (tensor) {
        OrtValue *copy = NULL;
        OrtStatus *status = ort_value_from_object(object, &copy);

        bp_object_release(object);
        if (status)
            return status;
        value->kind = copy->kind;
        value->storage = copy->storage;
        value->allocator = copy->allocator;
        value->tensor = copy->tensor;
        value->texts = copy->texts;
        value->has_value = true;
        free(copy);
        return NULL;
    }
    if (bp_object_kind(object) == BP_KIND_SPARSE) {
        OrtStatus *status = ort_sparse_of_object(object, &value->sparse);

        if (status) {
            bp_object_release(object);
            return status;
        }
        value->kind = ONNX_TYPE_SPARSETENSOR;
    } else {
        value->kind = bp_object_kind(object) == BP_KIND_MAP ? ONNX_TYPE_MAP : ONNX_TYPE_SEQUENCE;
    }
    value->object = object;
    value->has_value = true;
    return NULL;
}

/* Strings are copied one by one. */
static OrtStatus *copy_tensor(const bp_tensor *tensor, OrtValue **out)
{
    const char *data = bp_tensor_data(tensor);
    OrtStatus *status;

    status = ort_CreateTensorAsOrtValue(ort_default_allocator(), tensor->dims, tensor->rank,
                                        ort_dtype(tensor->dtype), out);
    if (status)
        return status;
    if (tensor->dtype != BP_DTYPE_STRING) {
        if ((*out)->tensor.bytes > 0)
            memcpy((*out)->tensor.base, data, (*out)->tensor.bytes);
        return NULL;
    }
    for (size_t i = 0; i < ort_tensor_count(tensor); i++) {
        const bp_span *span = &ort_tensor_spans(tensor)[i];
        char *text;

        status = ort_GetResizedStringTensorElementBuffer(*out, i, span->size, &text);
        if (status) {
            ort_ReleaseValue(*out);
            *out = NULL;
            return status;
        }
        if (span->size > 0)
            memcpy(text, span->data, span->size);
    }
    return NULL;
}

/* The object keeps its reference. */
OrtStatus *ort_value_from_object(bp_object *object, OrtValue **out)
{
    const bp_tensor *tensor = bp_object_tensor(object);
    bp_binding binding = {0};
    OrtStatus *status;
    OrtValue *value;

    if (tensor)
        return copy_tensor(tensor, out);
    value = ort_value_create(ONNX_TYPE_UNKNOWN);
    if (!value)
        return ort_no_memory();
    binding.object = bp_object_retain(object);
    status = ort_value_adopt(value, &binding);
    if (status) {
        ort_ReleaseValue(value);
        return status;
    }
    *out = value;
    return NULL;
}

/* Keys and values, or elements. */
static bp_rc parts_to_object(const OrtValue *value, bp_object **items, bp_object **out, bp_err *err)
{
    if (value->kind == ONNX_TYPE_MAP)
        return bp_object_map(items[0], items[1], out, err);
    return bp_object_sequence(items, value->n_parts, out, err);
}

/* Recursive: a container's elements are converted, too. */
OrtStatus *ort_value_to_object(const OrtValue *value, bp_object **out)
{
    struct ort_err err;
    bp_object **items;
    OrtStatus *status = NULL;

    ort_err_init(&err);
    if (value->object) {
        *out = bp_object_retain(value->object);
        return NULL;
    }
    if (value->sparse)
        return ort_sparse_to_object(value->sparse, out);
    if (!value->has_value)
        return ort_from(bp_object_optional(NULL, out, &err.err), &err, ORT_OTHER, NULL);
    if (value->kind == ONNX_TYPE_TENSOR)
        return ort_from(bp_object_from_tensor(&value->tensor, out, &err.err), &err, ORT_OTHER,
                        NULL);
    items = calloc(value->n_parts + 1, sizeof *items);
    if (!items)
        return ort_no_memory();
    for (uint32_t i = 0; i < value->n_parts && !status; i++)
        status = ort_value_to_object(value->parts[i], &items[i]);
    if (!status)
        status = ort_from(parts_to_object(value, items, out, &err.err), &err, ORT_OTHER, NULL);
    for (uint32_t i = 0; i < value->n_parts; i++)
        bp_object_release(items[i]);
    free(items);
    return status;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* Integers and strings; ONNX allows no float keys. */
static bool is_key_type(uint32_t dtype)
{
    switch (dtype) {
    case BP_DTYPE_STRING:
    case BP_DTYPE_I8:
    case BP_DTYPE_I16:
    case BP_DTYPE_I32:
    case BP_DTYPE_I64:
    case BP_DTYPE_U8:
    case BP_DTYPE_U16:
    case BP_DTYPE_U32:
    case BP_DTYPE_U64:
        return true;
    default:
        return false;
    }
}

/* Keys or values of a map; ONNX Runtime's codes differ for tensors and other kinds. */
static OrtStatus *check_column(const OrtValue *value)
{
    bool is_known = value->kind == ONNX_TYPE_TENSOR || value->kind == ONNX_TYPE_MAP;

    if (value->kind == ONNX_TYPE_TENSOR && value->has_value)
        return NULL;
    return ort_fail(is_known ? ORT_FAIL : ORT_RUNTIME_EXCEPTION,
                    "The keys and values of a map must be tensors");
}

/* ORT_FAIL: not two tensors of rank 1 and equal length, with ONNX Runtime's sentences. */
static OrtStatus *check_map(const OrtValue *const *in, size_t n)
{
    if (n != 2)
        return ort_fail(ORT_FAIL, "For map type num_values MUST be 2; it is %zu", n);
    for (size_t i = 0; i < n; i++) {
        OrtStatus *status = check_column(in[i]);

        if (status)
            return status;
    }
    if (in[0]->tensor.rank > 1 || in[1]->tensor.rank > 1)
        return ort_fail(ORT_FAIL,
                        "Either the key tensor or the value tensor has NumDimensions > 1");
    if (in[0]->tensor.rank != 1 || in[1]->tensor.rank != 1 ||
        in[0]->tensor.dims[0] != in[1]->tensor.dims[0])
        return ort_fail(ORT_FAIL, "Key and value tensors have unequal number of elements.");
    if (!is_key_type(in[0]->tensor.dtype))
        return ort_fail(ORT_FAIL, "Key type is not supported yet: %s",
                        bp_dtype_name(in[0]->tensor.dtype));
    return NULL;
}

/* All elements must be of the first one's kind and element type. */
static OrtStatus *check_sequence(const OrtValue *const *in, size_t n)
{
    if (in[0]->kind != ONNX_TYPE_TENSOR && in[0]->kind != ONNX_TYPE_MAP)
        return ort_fail(ORT_FAIL, "Each element of the sequence should be either tensor or map.");
    for (size_t i = 1; i < n; i++) {
        if (in[i]->kind != in[0]->kind)
            return ort_fail(ORT_FAIL,
                            "At least one element in the sequence is of a type different from "
                            "others: value %zu",
                            i);
        if (in[i]->tensor.dtype != in[0]->tensor.dtype)
            return ort_fail(ORT_FAIL,
                            "Sequences must have tensors of the same data type. Value %zu is of "
                            "another than the first",
                            i);
    }
    return NULL;
}

/* OrtApi since version 1: The container keeps references to its elements. */
OrtStatus *ort_CreateValue(const OrtValue *const *in, size_t num_values, ONNXType value_type,
                           OrtValue **out)
{
    OrtStatus *status;
    OrtValue *value;

    ORT_NEED(in);
    ORT_NEED(out);
    if (num_values == 0)
        return ort_fail(ORT_FAIL, "Number of values should be at least 1.");
    for (size_t i = 0; i < num_values; i++)
        ORT_NEED(in[i]);
    if (value_type != ONNX_TYPE_MAP && value_type != ONNX_TYPE_SEQUENCE)
        return ort_fail(ORT_FAIL, "Input is not of type sequence or map.");
    status =
        value_type == ONNX_TYPE_MAP ? check_map(in, num_values) : check_sequence(in, num_values);
    if (status)
        return status;
    value = ort_value_create(value_type);
    if (value)
        value->parts = calloc(num_values, sizeof *value->parts);
    if (!value || !value->parts) {
        free(value);
        return ort_no_memory();
    }
    for (size_t i = 0; i < num_values; i++) {
        union {
            const OrtValue *given;
            OrtValue *counted;
        } part = {in[i]};

        value->parts[i] = ort_value_retain(part.counted);
    }
    value->n_parts = (uint32_t)num_values;
    value->has_value = true;
    *out = value;
    return NULL;
}

/* ORT_FAIL: neither sequence nor map. */
static OrtStatus *need_container(const OrtValue *value)
{
    if (value->kind != ONNX_TYPE_MAP && value->kind != ONNX_TYPE_SEQUENCE)
        return ort_fail(ORT_FAIL, "Input is not of type sequence or map.");
    if (!value->has_value)
        return ort_fail(ORT_INVALID_ARGUMENT, "the optional value holds nothing");
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_GetValueCount(const OrtValue *value, size_t *out)
{
    OrtStatus *status;

    ORT_NEED(value);
    ORT_NEED(out);
    status = need_container(value);
    if (status)
        return status;
    *out = value->object ? bp_object_count(value->object) : value->n_parts;
    return NULL;
}

/* Decided by the first element, as all are of one kind. */
static bool is_of_maps(const OrtValue *value)
{
    if (value->object)
        return bp_object_count(value->object) > 0 &&
               bp_object_kind(bp_object_item(value->object, 0)) == BP_KIND_MAP;
    return value->n_parts > 0 && value->parts[0]->kind == ONNX_TYPE_MAP;
}

/* ONNX Runtime's codes: it keeps maps in another container than tensors. */
static OrtStatus *no_part(const OrtValue *value, int index, size_t count)
{
    if (value->kind == ONNX_TYPE_MAP)
        return ort_fail(ORT_FAIL,
                        "Invalid index requested for map type: %d; 0 are the keys, 1 the values",
                        index);
    return ort_fail(is_of_maps(value) ? ORT_RUNTIME_EXCEPTION : ORT_FAIL,
                    "GetValue: index %d of %zu is out of bounds", index, count);
}

/*
 * OrtApi since version 1: A reference, or a copy of a result's element, for the caller to release.
 * Of a map, 0 are the keys, 1 the values.
 */
OrtStatus *ort_GetValue(const OrtValue *value, int index, OrtAllocator *allocator, OrtValue **out)
{
    OrtStatus *status;
    size_t count;

    (void)allocator; /* parts are shared, or copied into ordinary memory */
    ORT_NEED(value);
    ORT_NEED(out);
    status = ort_GetValueCount(value, &count);
    if (status)
        return status;
    if (index < 0 || (size_t)index >= count)
        return no_part(value, index, count);
    if (value->object)
        return ort_value_from_object(bp_object_item(value->object, (uint32_t)index), out);
    *out = ort_value_retain(value->parts[index]);
    return NULL;
}
