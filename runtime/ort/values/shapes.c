/* SPDX-License-Identifier: MIT */
/* shapes.c - OrtTensorTypeAndShapeInfo: element type, dimensions and their names. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/status.h"
#include "ort/values/types.h"

/* Dimensions are 0 and without names afterwards. False: no memory, and nothing changed. */
static bool set_rank(OrtTensorTypeAndShapeInfo *shape, size_t rank)
{
    int64_t *dims = calloc(rank + 1, sizeof *dims);
    char **symbols = calloc(rank + 1, sizeof *symbols);

    if (!dims || !symbols) {
        free(dims);
        free(symbols);
        return false;
    }
    for (size_t d = 0; d < shape->rank; d++)
        free(shape->symbols[d]);
    free(shape->dims);
    free(shape->symbols);
    shape->dims = dims;
    shape->symbols = symbols;
    shape->rank = rank;
    return true;
}

OrtTensorTypeAndShapeInfo *ort_shape_create(ONNXTensorElementDataType dtype, const int64_t *dims,
                                            size_t rank)
{
    OrtTensorTypeAndShapeInfo *shape = calloc(1, sizeof *shape);

    if (!shape || !set_rank(shape, rank)) {
        free(shape);
        return NULL;
    }
    shape->dtype = dtype;
    shape->has_shape = dims != NULL;
    if (dims)
        memcpy(shape->dims, dims, rank * sizeof *dims);
    return shape;
}

OrtTensorTypeAndShapeInfo *ort_shape_copy(const OrtTensorTypeAndShapeInfo *shape)
{
    OrtTensorTypeAndShapeInfo *copy = ort_shape_create(shape->dtype, shape->dims, shape->rank);

    if (!copy)
        return NULL;
    copy->has_shape = shape->has_shape;
    for (size_t d = 0; d < shape->rank; d++) {
        if (!shape->symbols[d])
            continue;
        copy->symbols[d] = strdup(shape->symbols[d]);
        if (!copy->symbols[d]) {
            ort_ReleaseTensorTypeAndShapeInfo(copy);
            return NULL;
        }
    }
    return copy;
}

/* ---- slots ----------------------------------------------------------------------------------- */

/* OrtApi since version 1. */
OrtStatus *ort_CreateTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo **out)
{
    ORT_NEED(out);
    *out = ort_shape_create(ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, NULL, 0);
    return *out ? NULL : ort_no_memory();
}

/* OrtApi since version 1. */
void ort_ReleaseTensorTypeAndShapeInfo(OrtTensorTypeAndShapeInfo *input)
{
    if (!input)
        return;
    for (size_t d = 0; d < input->rank; d++)
        free(input->symbols[d]);
    free(input->symbols);
    free(input->dims);
    free(input);
}

/* OrtApi since version 1. */
OrtStatus *ort_SetTensorElementType(OrtTensorTypeAndShapeInfo *info, ONNXTensorElementDataType type)
{
    ORT_NEED(info);
    info->dtype = type;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_SetDimensions(OrtTensorTypeAndShapeInfo *info, const int64_t *dim_values,
                             size_t dim_count)
{
    ORT_NEED(info);
    if (dim_count > 0)
        ORT_NEED(dim_values);
    if (!set_rank(info, dim_count))
        return ort_no_memory();
    for (size_t d = 0; d < dim_count; d++)
        info->dims[d] = dim_values[d];
    info->has_shape = true;
    return NULL;
}

/* Appends unknown dimensions. */
static OrtStatus *add_dims(OrtTensorTypeAndShapeInfo *info, size_t rank)
{
    int64_t *dims = malloc((rank + 1) * sizeof *dims);

    if (!dims)
        return ort_no_memory();
    for (size_t d = 0; d < rank; d++)
        dims[d] = d < info->rank ? info->dims[d] : -1;
    if (!set_rank(info, rank)) {
        free(dims);
        return ort_no_memory();
    }
    memcpy(info->dims, dims, rank * sizeof *dims);
    info->has_shape = true;
    free(dims);
    return NULL;
}

/* OrtApi since version 17: Sets names only; more names than dimensions append dimensions. */
OrtStatus *ort_SetSymbolicDimensions(OrtTensorTypeAndShapeInfo *info, const char *dim_params[],
                                     size_t dim_params_length)
{
    OrtStatus *status = NULL;

    ORT_NEED(info);
    if (dim_params_length > 0)
        ORT_NEED(dim_params);
    if (!info->has_shape || dim_params_length > info->rank)
        status = add_dims(info, dim_params_length);
    for (size_t d = 0; d < info->rank && !status; d++) {
        const char *name = d < dim_params_length && dim_params[d] ? dim_params[d] : "";
        char *copy = strdup(name);

        if (!copy)
            return ort_no_memory();
        free(info->symbols[d]);
        info->symbols[d] = copy;
    }
    return status;
}

/* OrtApi since version 1. */
OrtStatus *ort_GetTensorElementType(const OrtTensorTypeAndShapeInfo *info,
                                    ONNXTensorElementDataType *out)
{
    ORT_NEED(info);
    ORT_NEED(out);
    *out = info->dtype;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_GetDimensionsCount(const OrtTensorTypeAndShapeInfo *info, size_t *out)
{
    ORT_NEED(info);
    ORT_NEED(out);
    *out = info->rank;
    return NULL;
}

/* OrtApi since version 1. */
OrtStatus *ort_GetDimensions(const OrtTensorTypeAndShapeInfo *info, int64_t *dim_values,
                             size_t dim_values_length)
{
    ORT_NEED(info);
    if (dim_values_length > 0)
        ORT_NEED(dim_values);
    for (size_t d = 0; d < dim_values_length && d < info->rank; d++)
        dim_values[d] = info->dims[d];
    return NULL;
}

/* OrtApi since version 1: Names are the info's; "" for a dimension without one. */
OrtStatus *ort_GetSymbolicDimensions(const OrtTensorTypeAndShapeInfo *info,
                                     const char *dim_params[], size_t dim_params_length)
{
    ORT_NEED(info);
    if (dim_params_length > 0)
        ORT_NEED(dim_params);
    for (size_t d = 0; d < dim_params_length && d < info->rank; d++)
        dim_params[d] = info->symbols[d] ? info->symbols[d] : "";
    return NULL;
}

/* OrtApi since version 1: ORT_FAIL: a dimension is unknown, or the product overflows. */
OrtStatus *ort_GetTensorShapeElementCount(const OrtTensorTypeAndShapeInfo *info, size_t *out)
{
    size_t count = 1;

    ORT_NEED(info);
    ORT_NEED(out);
    for (size_t d = 0; d < info->rank; d++) {
        if (info->dims[d] < 0)
            return ort_fail(ORT_FAIL, "the size of dimension %zu is not known", d);
        if (__builtin_mul_overflow(count, (size_t)info->dims[d], &count))
            return ort_fail(ORT_FAIL, "the number of elements is too large to count");
    }
    *out = count;
    return NULL;
}

/* OrtApi since version 24. */
bool ort_TensorTypeAndShape_HasShape(const OrtTensorTypeAndShapeInfo *info)
{
    return info && info->has_shape;
}
