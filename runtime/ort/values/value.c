/* SPDX-License-Identifier: MIT */
/* value.c - OrtValue: lifetime and tensors. */

#include "config.h"

#include "ort/values/value.h"

#include <stdlib.h>
#include <string.h>

#include "ort/guarded.h"
#include "ort/status.h"

/* ---- life ------------------------------------------------------------------------------------ */

/* One reference, and no content. */
OrtValue *ort_value_create(ONNXType kind)
{
    OrtValue *value = calloc(1, sizeof *value);

    if (!value)
        return NULL;
    atomic_init(&value->refs, 1);
    value->kind = kind;
    return value;
}

OrtValue *ort_value_retain(OrtValue *value)
{
    if (value)
        atomic_fetch_add_explicit(&value->refs, 1, memory_order_relaxed);
    return value;
}

/* Frees memory by its storage: ours, the allocator's, or not at all. */
static void clear_tensor(OrtValue *value)
{
    size_t count = value->texts ? ort_tensor_count(&value->tensor) : 0;

    for (size_t i = 0; i < count; i++)
        free(value->texts[i]);
    free(value->texts);
    if (value->storage == ORT_HOST) {
        bp_tensor_free(&value->tensor);
    } else {
        if (value->storage == ORT_ALLOCATED && value->tensor.base)
            ort_free(value->allocator, value->tensor.base);
        free(value->tensor.dims);
    }
    value->texts = NULL;
    value->storage = ORT_BORROWED;
    value->tensor = (bp_tensor){0};
}

/* Afterwards the value is an empty optional of its kind. */
void ort_value_clear(OrtValue *value)
{
    clear_tensor(value);
    for (uint32_t i = 0; i < value->n_parts; i++)
        ort_ReleaseValue(value->parts[i]);
    free(value->parts);
    value->parts = NULL;
    value->n_parts = 0;
    ort_sparse_destroy(value->sparse);
    value->sparse = NULL;
    bp_object_release(value->object);
    value->object = NULL;
    ort_ReleaseMemoryInfo(value->memory);
    value->memory = NULL;
    value->has_value = false;
}

/* OrtApi since version 1. */
void ort_ReleaseValue(OrtValue *input)
{
    if (!input || atomic_fetch_sub_explicit(&input->refs, 1, memory_order_acq_rel) != 1)
        return;
    ort_value_clear(input);
    free(input);
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* Dimensions were checked when the tensor was created, so the product fits. */
size_t ort_tensor_count(const bp_tensor *tensor)
{
    size_t count = 1;

    for (uint32_t d = 0; d < tensor->rank; d++)
        count *= (size_t)tensor->dims[d];
    return count;
}

/* ORT_INVALID_ARGUMENT: another kind, or an empty optional. */
OrtStatus *ort_need_tensor(const char *function, const OrtValue *value)
{
    if (!value)
        return ort_null(function, "value");
    if (value->kind != ONNX_TYPE_TENSOR)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "%s: the value is expected to contain a tensor, and does not",
                        strchr(function, '_') + 1);
    if (!value->has_value)
        return ort_fail(ORT_INVALID_ARGUMENT, "%s: the optional value holds nothing",
                        strchr(function, '_') + 1);
    return NULL;
}

/* See above for the codes. */
static OrtStatus *need_data(const char *function, const OrtValue *value)
{
    OrtStatus *status = ort_need_tensor(function, value);
    OrtStatus *said;

    if (!status || !value || value->kind == ONNX_TYPE_TENSOR)
        return status;
    said = ort_fail(value->kind == ONNX_TYPE_MAP ? ORT_FAIL : ORT_RUNTIME_EXCEPTION, "%s",
                    ort_GetErrorMessage(status));
    ort_ReleaseStatus(status);
    return said;
}

/* Is any dimension negative? */
static bool is_negative(const int64_t *shape, size_t rank)
{
    size_t d = 0;

    while (d < rank && shape[d] >= 0)
        d++;
    return d < rank;
}

/* A tensor value without memory; *bytes: what it needs. ORT_NOT_IMPLEMENTED: complex types. */
static OrtStatus *shaped(const int64_t *shape, size_t rank, ONNXTensorElementDataType type,
                         size_t *bytes, OrtValue **out)
{
    bool strings = type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
    OrtValue *value;
    struct ort_err err;
    bp_rc rc;

    if (rank > 0)
        ORT_NEED(shape);
    if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX64 ||
        type == ONNX_TENSOR_ELEMENT_DATA_TYPE_COMPLEX128 || ort_host_dtype(type) == BP_DTYPE_NONE)
        return ort_fail(ORT_NOT_IMPLEMENTED,
                        "tensor type %d is not supported: it is not an element type of tensors",
                        (int)type);
    rc = bp_tensor_bytes(strings ? BP_DTYPE_U8 : ort_host_dtype(type), shape, (uint32_t)rank, bytes,
                         ort_err_init(&err));
    if (rc < 0)
        return ort_from(rc, &err, ORT_OTHER,
                        is_negative(shape, rank)
                            ? "tried creating tensor with negative value in shape: "
                            : "tensor shape: ");
    if (strings && __builtin_mul_overflow(*bytes, sizeof(bp_span), bytes))
        return ort_fail(ORT_INVALID_ARGUMENT, "tensor shape: too many strings");
    value = ort_value_create(ONNX_TYPE_TENSOR);
    if (value)
        value->tensor.dims = malloc((rank + 1) * sizeof *shape);
    if (!value || !value->tensor.dims) {
        free(value);
        return ort_no_memory();
    }
    for (size_t d = 0; d < rank; d++)
        value->tensor.dims[d] = shape[d];
    value->tensor.rank = (uint32_t)rank;
    value->tensor.dtype = ort_host_dtype(type);
    value->has_value = true;
    *out = value;
    return NULL;
}

OrtStatus *ort_value_keep_memory(OrtValue *value, const OrtMemoryInfo *info)
{
    if (ort_memory_equal(info, ort_cpu_memory()))
        return NULL;
    value->memory = malloc(sizeof *value->memory);
    if (!value->memory)
        return ort_no_memory();
    *value->memory = *info;
    value->memory->name = strdup(info->name);
    if (value->memory->name)
        return NULL;
    free(value->memory);
    value->memory = NULL;
    return ort_no_memory();
}

/* A tensor in the caller's memory: no strings, host memory only. */
static OrtStatus *with_data(const OrtMemoryInfo *info, void *data, size_t size,
                            const int64_t *shape, size_t rank, ONNXTensorElementDataType type,
                            OrtValue **out)
{
    OrtValue *value = NULL;
    OrtStatus *status;
    size_t bytes;

    if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "a tensor of strings keeps its own memory: use CreateTensorAsOrtValue");
    if (!ort_memory_is_host(info))
        return ort_fail(ORT_NOT_IMPLEMENTED, "tensors in memory '%s' are not implemented",
                        info->name);
    status = shaped(shape, rank, type, &bytes, &value);
    if (status)
        return status;
    if (size < bytes || (bytes > 0 && !data))
        status = ort_fail(ORT_INVALID_ARGUMENT, "not enough space: expected %zu, got %zu", bytes,
                          data ? size : 0);
    else
        status = ort_value_keep_memory(value, info);
    if (status) {
        ort_ReleaseValue(value);
        return status;
    }
    value->tensor.base = data;
    value->tensor.bytes = size;
    *out = value;
    return NULL;
}

/* OrtApi since version 1: The memory is borrowed as long as the value. */
OrtStatus *ort_CreateTensorWithDataAsOrtValue(const OrtMemoryInfo *info, void *p_data,
                                              size_t p_data_len, const int64_t *shape,
                                              size_t shape_len, ONNXTensorElementDataType type,
                                              OrtValue **out)
{
    ORT_NEED(info);
    ORT_NEED(out);
    return with_data(info, p_data, p_data_len, shape, shape_len, type, out);
}

/* OrtApi since version 22: The value owns the memory and frees it with the allocator. */
OrtStatus *ort_CreateTensorWithDataAndDeleterAsOrtValue(OrtAllocator *deleter, void *p_data,
                                                        size_t p_data_len, const int64_t *shape,
                                                        size_t shape_len,
                                                        ONNXTensorElementDataType type,
                                                        OrtValue **out)
{
    const OrtMemoryInfo *info;
    OrtStatus *status;

    ORT_NEED(deleter);
    ORT_NEED(out);
    status = ort_info_of(deleter, &info);
    if (!status)
        status = with_data(info, p_data, p_data_len, shape, shape_len, type, out);
    if (status)
        return status;
    (*out)->storage = ORT_ALLOCATED;
    (*out)->allocator = deleter;
    return NULL;
}

/* OrtApi since version 1: The allocator must outlive the value. ORT_FAIL: a negative dimension. */
OrtStatus *ort_CreateTensorAsOrtValue(OrtAllocator *allocator, const int64_t *shape,
                                      size_t shape_len, ONNXTensorElementDataType type,
                                      OrtValue **out)
{
    OrtValue *value = NULL;
    OrtStatus *status;
    size_t bytes;

    ORT_NEED(allocator);
    ORT_NEED(out);
    if (shape && is_negative(shape, shape_len))
        return ort_fail(ORT_FAIL, "Tensor shape.Size() must be >= 0; a size is below");
    status = shaped(shape, shape_len, type, &bytes, &value);
    if (status)
        return status;
    if (bytes > 0) {
        value->tensor.base = ort_alloc(allocator, bytes);
        if (!value->tensor.base) {
            ort_ReleaseValue(value);
            return ort_no_bytes(bytes);
        }
    }
    value->storage = ORT_ALLOCATED;
    value->allocator = allocator;
    value->tensor.bytes = bytes;
    if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING && bytes > 0)
        memset(value->tensor.base, 0, bytes); /* empty strings */
    *out = value;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_GetTensorMutableData(OrtValue *value, void **out)
{
    OrtStatus *status = need_data(__func__, value);

    if (status)
        return status;
    ORT_NEED(out);
    *out = bp_tensor_data(&value->tensor);
    return NULL;
}

/* OrtApi since version 23. */
OrtStatus *ort_GetTensorData(const OrtValue *value, const void **out)
{
    OrtStatus *status = need_data(__func__, value);

    if (status)
        return status;
    ORT_NEED(out);
    *out = bp_tensor_data(&value->tensor);
    return NULL;
}

/*
 * OrtApi since version 5: Row-major. ORT_INVALID_ARGUMENT: strings, types below a byte, or an index
 * out of range.
 */
OrtStatus *ort_TensorAt(OrtValue *value, const int64_t *location_values,
                        size_t location_values_count, void **out)
{
    OrtStatus *status = ort_need_tensor(__func__, value);
    const bp_tensor *tensor;
    size_t at = 0;

    if (status)
        return status;
    ORT_NEED(out);
    tensor = &value->tensor;
    if (tensor->dtype == BP_DTYPE_STRING || bp_dtype_bits(tensor->dtype) < 8)
        return ort_fail(
            ORT_INVALID_ARGUMENT,
            "an element of type %s has no address of its own: this API does not support "
            "strings and elements below a byte",
            bp_dtype_name(tensor->dtype));
    if (location_values_count != tensor->rank || (tensor->rank > 0 && !location_values))
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "location dimensions do not match shape size: %zu for rank %u",
                        location_values_count, tensor->rank);
    for (uint32_t d = 0; d < tensor->rank; d++) {
        if (location_values[d] < 0 || location_values[d] >= tensor->dims[d])
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "invalid location range: index %u is %lld of %lld", d,
                            (long long)location_values[d], (long long)tensor->dims[d]);
        at = at * (size_t)tensor->dims[d] + (size_t)location_values[d];
    }
    *out = (char *)tensor->base + tensor->offset + at * (bp_dtype_bits(tensor->dtype) / 8);
    return NULL;
}

/* OrtApi since version 23. */
OrtStatus *ort_GetTensorSizeInBytes(const OrtValue *ort_value, size_t *size)
{
    OrtStatus *status = ort_need_tensor(__func__, ort_value);
    struct ort_err err;

    if (status)
        return status;
    ORT_NEED(size);
    if (ort_value->tensor.dtype == BP_DTYPE_STRING)
        return ort_fail(
            ORT_INVALID_ARGUMENT,
            "String tensors are not supported by this API: strings have no size in bytes");
    return ort_from(bp_tensor_bytes(ort_value->tensor.dtype, ort_value->tensor.dims,
                                    ort_value->tensor.rank, size, ort_err_init(&err)),
                    &err, ORT_OTHER, NULL);
}

/* OrtApi since version 10: Borrowed from the value. */
OrtStatus *ort_GetTensorMemoryInfo(const OrtValue *value, const OrtMemoryInfo **mem_info)
{
    OrtStatus *status = need_data(__func__, value);

    if (status)
        return status;
    ORT_NEED(mem_info);
    *mem_info = value->memory ? value->memory : ort_cpu_memory();
    return NULL;
}
