/* SPDX-License-Identifier: MIT */
/*
 * sparse.c - sparse tensors as values (OrtApi since version 9): COO, CSR and block-sparse.
 *
 * Indices are checked when they are set, so runs can trust them.
 */

#include "config.h"

#include "ort/values/sparse.h"

#include <stdlib.h>
#include <string.h>

#include "ort/status.h"
#include "ort/values/value.h"

enum { VALUES, INNER, OUTER };

/* Frees one part: its shape, and its data if it is owned. */
static void drop(struct ort_sparse_part *part)
{
    ort_ReleaseTensorTypeAndShapeInfo(part->shape);
    free(part->owned);
    *part = (struct ort_sparse_part){0};
}

/* Borrowed data is left alone. */
void ort_sparse_destroy(struct ort_sparse *sparse)
{
    if (!sparse)
        return;
    for (int i = 0; i < ORT_SPARSE_PARTS; i++)
        drop(&sparse->parts[i]);
    ort_ReleaseTensorTypeAndShapeInfo(sparse->dense);
    free(sparse);
}

/* ORT_INVALID_ARGUMENT for other kinds. */
static OrtStatus *need_sparse(const OrtValue *value)
{
    if (!value->sparse)
        return ort_fail(ORT_INVALID_ARGUMENT, "the value is not a sparse tensor");
    return NULL;
}

/* Strings become spans, with their text after the spans in one block. */
static void *copy_texts(const char *const *texts, size_t n)
{
    size_t size = n * sizeof(bp_span) + 1;
    bp_span *spans;
    char *at;

    for (size_t i = 0; i < n; i++)
        size += strlen(texts[i]);
    spans = malloc(size);
    at = (char *)(spans + n);
    for (size_t i = 0; spans && i < n; at += spans[i++].size) {
        spans[i] = (bp_span){at, strlen(texts[i])};
        memcpy(at, texts[i], spans[i].size);
    }
    return spans;
}

/* One byte more, so that an empty part is not NULL. */
static void *copy_data(const void *data, size_t bytes)
{
    void *copy = malloc(bytes + 1);

    if (copy && bytes > 0)
        memcpy(copy, data, bytes);
    return copy;
}

/* Sets values or indices to the caller's data, or to a copy; strings come as char pointers. */
static OrtStatus *set(struct ort_sparse_part *part, ONNXTensorElementDataType type,
                      const int64_t *dims, size_t rank, const void *data, bool copy)
{
    bool is_text = type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING;
    struct ort_sparse_part made = {0};
    struct ort_err err;
    size_t bytes = 0;
    bp_rc rc = bp_tensor_bytes(is_text ? BP_DTYPE_U64 : ort_host_dtype(type), dims, (uint32_t)rank,
                               &bytes, ort_err_init(&err));

    if (rc < 0)
        return ort_from(rc, &err, ORT_OTHER, "sparse tensor: ");
    if (bytes > 0 && !data)
        return ort_fail(ORT_INVALID_ARGUMENT, "sparse tensor: %zu bytes are needed, none are there",
                        bytes);
    for (size_t i = 0; is_text && i < bytes / sizeof(char *); i++)
        ORT_NEED(((const char *const *)data)[i]);
    made.shape = ort_shape_create(type, dims, rank);
    made.data = data;
    if (copy) {
        made.owned = is_text ? copy_texts(data, bytes / sizeof(char *)) : copy_data(data, bytes);
        made.data = made.owned;
    }
    if (!made.shape || (copy && !made.owned)) {
        drop(&made);
        return ort_no_memory();
    }
    drop(part);
    *part = made;
    return NULL;
}

/* A sparse value without values and indices. */
static OrtStatus *create(const int64_t *dims, size_t rank, ONNXTensorElementDataType type,
                         OrtValue **out)
{
    static const int64_t none[1];
    OrtValue *value;

    if (rank > 0)
        ORT_NEED(dims);
    if (ort_host_dtype(type) == BP_DTYPE_NONE)
        return ort_fail(ORT_NOT_IMPLEMENTED, "sparse tensors of type %s are not implemented",
                        ort_dtype_word(type));
    for (size_t d = 0; d < rank; d++) {
        if (dims[d] < 0)
            return ort_fail(ORT_INVALID_ARGUMENT, "tensor shape: dimension %zu is negative", d);
    }
    value = ort_value_create(ONNX_TYPE_SPARSETENSOR);
    if (value)
        value->sparse = calloc(1, sizeof *value->sparse);
    if (value && value->sparse)
        value->sparse->dense = ort_shape_create(type, rank ? dims : none, rank);
    if (!value || !value->sparse || !value->sparse->dense) {
        ort_ReleaseValue(value);
        return ort_no_memory();
    }
    value->has_value = true;
    *out = value;
    return NULL;
}

/* ---- indices ------------------------------------------------------------------------------------ */

/* 0 until values are set. */
static size_t count_values(const OrtValue *value)
{
    size_t n = 0;

    if (value->sparse->parts[VALUES].shape)
        ort_ReleaseStatus(ort_GetTensorShapeElementCount(value->sparse->parts[VALUES].shape, &n));
    return n;
}

/* COO: linear indices into the flattened tensor. */
static OrtStatus *check_linear(const OrtTensorTypeAndShapeInfo *dense, const int64_t *at, size_t n)
{
    size_t limit = 0;

    ort_ReleaseStatus(ort_GetTensorShapeElementCount(dense, &limit));
    for (size_t i = 0; i < n; i++) {
        if (at[i] < 0 || (uint64_t)at[i] >= limit)
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "COO linear index out of bounds: %lld must be in [0, %zu)",
                            (long long)at[i], limit);
    }
    return NULL;
}

/* COO: row and column, for a matrix. */
static OrtStatus *check_pairs(const OrtTensorTypeAndShapeInfo *dense, const int64_t *at, size_t n)
{
    if (dense->rank != 2)
        return ort_fail(ORT_INVALID_ARGUMENT, "COO 2D indices require dense shape of 2 dimensions");
    for (size_t i = 0; i < n; i++, at += 2) {
        if (at[0] < 0 || at[0] >= dense->dims[0] || at[1] < 0 || at[1] >= dense->dims[1])
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "COO 2D index out of bounds: (%lld, %lld) must be in [0, %lld) x [0, "
                            "%lld)",
                            (long long)at[0], (long long)at[1], (long long)dense->dims[0],
                            (long long)dense->dims[1]);
    }
    return NULL;
}

/* One linear index for each value, or row and column of a matrix. */
static OrtStatus *set_coo(OrtValue *value, const int64_t *indices, size_t n, bool copy)
{
    const OrtTensorTypeAndShapeInfo *dense = value->sparse->dense;
    size_t n_values = count_values(value);
    int64_t dims[2] = {(int64_t)n, 2};
    size_t rank = 1;
    OrtStatus *status;

    if (n != n_values && n != 2 * n_values)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "COO indices count must be equal to or twice the values count. There are "
                        "%zu indices for %zu values",
                        n, n_values);
    if (n > 0)
        ORT_NEED(indices);
    if (n != n_values) {
        dims[0] = (int64_t)n_values;
        rank = 2;
    }
    status = rank == 2 ? check_pairs(dense, indices, n_values) : check_linear(dense, indices, n);
    if (!status)
        status = set(&value->sparse->parts[INNER], ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, dims, rank,
                     indices, copy);
    if (!status)
        value->sparse->format = ORT_SPARSE_COO;
    return status;
}

/* CSR: column indices. */
static OrtStatus *check_inner(const OrtTensorTypeAndShapeInfo *dense, const int64_t *at, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (at[i] < 0 || at[i] >= dense->dims[1])
            return ort_fail(ORT_INVALID_ARGUMENT,
                            "CSR inner index out of bounds: %lld must be in [0, %lld)",
                            (long long)at[i], (long long)dense->dims[1]);
    }
    return NULL;
}

/* CSR: offsets must begin with 0, not decrease, and end with the number of values. */
static OrtStatus *check_outer(const int64_t *at, size_t n, size_t n_inner)
{
    if (n == 0)
        return NULL;
    if (at[0] != 0)
        return ort_fail(ORT_INVALID_ARGUMENT, "CSR outer index must start at 0, got: %lld",
                        (long long)at[0]);
    for (size_t i = 1; i < n; i++) {
        if (at[i] < at[i - 1] || (uint64_t)at[i] > n_inner)
            return ort_fail(
                ORT_INVALID_ARGUMENT,
                "CSR outer index out of bounds or not monotonically non-decreasing: %lld",
                (long long)at[i]);
    }
    if ((uint64_t)at[n - 1] != n_inner)
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "CSR outer index last element must equal inner index count (%zu), got: "
                        "%lld",
                        n_inner, (long long)at[n - 1]);
    return NULL;
}

/* Inner indices are columns; outer ones are offsets of rows, one more than rows. */
static OrtStatus *set_csr(OrtValue *value, const int64_t *inner, size_t n_inner,
                          const int64_t *outer, size_t n_outer, bool copy)
{
    int64_t dims[2] = {(int64_t)n_inner, (int64_t)n_outer};
    const OrtTensorTypeAndShapeInfo *dense = value->sparse->dense;
    OrtStatus *status;

    if (dense->rank != 2 || n_inner != count_values(value) ||
        ((n_inner > 0 || n_outer > 0) && n_outer != (size_t)dense->dims[0] + 1))
        return ort_fail(ORT_INVALID_ARGUMENT,
                        "%zu inner and %zu outer indices do not fit %zu values of a tensor of rank "
                        "%zu",
                        n_inner, n_outer, count_values(value), dense->rank);
    if (n_inner > 0)
        ORT_NEED(inner);
    if (n_outer > 0)
        ORT_NEED(outer);
    status = check_inner(dense, inner, n_inner);
    if (!status)
        status = check_outer(outer, n_outer, n_inner);
    if (!status)
        status = set(&value->sparse->parts[INNER], ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &dims[0], 1,
                     inner, copy);
    if (!status)
        status = set(&value->sparse->parts[OUTER], ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, &dims[1], 1,
                     outer, copy);
    if (!status)
        value->sparse->format = ORT_SPARSE_CSRC;
    return status;
}

/* Indices of blocks are int32. */
static OrtStatus *set_block(OrtValue *value, const int64_t *shape, size_t rank,
                            const int32_t *indices, bool copy)
{
    OrtStatus *status = set(&value->sparse->parts[INNER], ONNX_TENSOR_ELEMENT_DATA_TYPE_INT32,
                            shape, rank, indices, copy);

    if (!status)
        value->sparse->format = ORT_SPARSE_BLOCK_SPARSE;
    return status;
}

/* ---- slots: creating and filling ----------------------------------------------------------------- */

/* OrtApi since version 9. */
OrtStatus *ort_CreateSparseTensorAsOrtValue(OrtAllocator *allocator, const int64_t *dense_shape,
                                            size_t dense_shape_len, ONNXTensorElementDataType type,
                                            OrtValue **out)
{
    ORT_NEED(allocator);
    ORT_NEED(out);
    return create(dense_shape, dense_shape_len, type, out);
}

/* OrtApi since version 9. */
OrtStatus *
ort_CreateSparseTensorWithValuesAsOrtValue(const OrtMemoryInfo *info, void *p_data,
                                           const int64_t *dense_shape, size_t dense_shape_len,
                                           const int64_t *values_shape, size_t values_shape_len,
                                           ONNXTensorElementDataType type, OrtValue **out)
{
    OrtValue *value = NULL;
    OrtStatus *status;

    ORT_NEED(info);
    ORT_NEED(out);
    if (values_shape_len > 0)
        ORT_NEED(values_shape);
    if (type == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
        return ort_fail(ORT_INVALID_ARGUMENT, "Can not use strings in pre-allocated memory. Use "
                                              "CreateSparseTensorAsOrtValue() to copy them");
    status = create(dense_shape, dense_shape_len, type, &value);
    if (!status)
        status =
            set(&value->sparse->parts[VALUES], type, values_shape, values_shape_len, p_data, false);
    if (status) {
        ort_ReleaseValue(value);
        return status;
    }
    *out = value;
    return NULL;
}

/* The three Fill functions copy values and indices. */
static OrtStatus *fill_values(OrtValue *value, const int64_t *shape, size_t rank,
                              const void *values)
{
    OrtStatus *status;

    ORT_NEED(value);
    if (rank > 0)
        ORT_NEED(shape);
    status = need_sparse(value);
    return status ? status
                  : set(&value->sparse->parts[VALUES], value->sparse->dense->dtype, shape, rank,
                        values, true);
}

/* OrtApi since version 9. */
OrtStatus *ort_FillSparseTensorCoo(OrtValue *ort_value, const OrtMemoryInfo *data_mem_info,
                                   const int64_t *values_shape, size_t values_shape_len,
                                   const void *values, const int64_t *indices_data,
                                   size_t indices_num)
{
    OrtStatus *status = fill_values(ort_value, values_shape, values_shape_len, values);

    (void)data_mem_info;
    return status ? status : set_coo(ort_value, indices_data, indices_num, true);
}

/* OrtApi since version 9. */
OrtStatus *ort_FillSparseTensorCsr(OrtValue *ort_value, const OrtMemoryInfo *data_mem_info,
                                   const int64_t *values_shape, size_t values_shape_len,
                                   const void *values, const int64_t *inner_indices_data,
                                   size_t inner_indices_num, const int64_t *outer_indices_data,
                                   size_t outer_indices_num)
{
    OrtStatus *status = fill_values(ort_value, values_shape, values_shape_len, values);

    (void)data_mem_info;
    return status ? status
                  : set_csr(ort_value, inner_indices_data, inner_indices_num, outer_indices_data,
                            outer_indices_num, true);
}

/* OrtApi since version 9. */
OrtStatus *ort_FillSparseTensorBlockSparse(OrtValue *ort_value, const OrtMemoryInfo *data_mem_info,
                                           const int64_t *values_shape, size_t values_shape_len,
                                           const void *values, const int64_t *indices_shape_data,
                                           size_t indices_shape_len, const int32_t *indices_data)
{
    OrtStatus *status = fill_values(ort_value, values_shape, values_shape_len, values);

    (void)data_mem_info;
    if (!status && indices_shape_len > 0)
        ORT_NEED(indices_shape_data);
    return status ? status
                  : set_block(ort_value, indices_shape_data, indices_shape_len, indices_data, true);
}

/* OrtApi since version 9: The indices are borrowed. */
OrtStatus *ort_UseCooIndices(OrtValue *ort_value, int64_t *indices_data, size_t indices_num)
{
    OrtStatus *status;

    ORT_NEED(ort_value);
    status = need_sparse(ort_value);
    return status ? status : set_coo(ort_value, indices_data, indices_num, false);
}

/* OrtApi since version 9: The indices are borrowed. */
OrtStatus *ort_UseCsrIndices(OrtValue *ort_value, int64_t *inner_data, size_t inner_num,
                             int64_t *outer_data, size_t outer_num)
{
    OrtStatus *status;

    ORT_NEED(ort_value);
    status = need_sparse(ort_value);
    return status ? status
                  : set_csr(ort_value, inner_data, inner_num, outer_data, outer_num, false);
}

/* OrtApi since version 9: The indices are borrowed. */
OrtStatus *ort_UseBlockSparseIndices(OrtValue *ort_value, const int64_t *indices_shape,
                                     size_t indices_shape_len, int32_t *indices_data)
{
    OrtStatus *status;

    ORT_NEED(ort_value);
    if (indices_shape_len > 0)
        ORT_NEED(indices_shape);
    status = need_sparse(ort_value);
    return status ? status
                  : set_block(ort_value, indices_shape, indices_shape_len, indices_data, false);
}

/* ---- slots: reading ------------------------------------------------------------------------------- */

/* OrtApi since version 9. */
OrtStatus *ort_GetSparseTensorFormat(const OrtValue *ort_value, OrtSparseFormat *out)
{
    OrtStatus *status;

    ORT_NEED(ort_value);
    ORT_NEED(out);
    status = need_sparse(ort_value);
    if (!status)
        *out = ort_value->sparse->format;
    return status;
}

/* ORT_INVALID_ARGUMENT: not set yet. */
static OrtStatus *part_of(const OrtValue *value, int index, const struct ort_sparse_part **out)
{
    OrtStatus *status;

    ORT_NEED(value);
    status = need_sparse(value);
    if (status)
        return status;
    *out = &value->sparse->parts[index];
    if (!(*out)->shape)
        return ort_fail(ORT_INVALID_ARGUMENT, "the sparse tensor has no such part yet");
    return NULL;
}

/* ORT_INVALID_ARGUMENT: the tensor has another format. */
static OrtStatus *indices_of(const OrtValue *value, OrtSparseIndicesFormat format,
                             const struct ort_sparse_part **out)
{
    static const OrtSparseFormat formats[] = {ORT_SPARSE_COO, ORT_SPARSE_CSRC, ORT_SPARSE_CSRC,
                                              ORT_SPARSE_BLOCK_SPARSE};
    OrtStatus *status = part_of(value, format == ORT_SPARSE_CSR_OUTER_INDICES ? OUTER : INNER, out);

    if (!status && ((size_t)format >= 4 || formats[format] != value->sparse->format))
        status = ort_fail(ORT_INVALID_ARGUMENT, "the sparse tensor has format %d, not that of %d",
                          (int)value->sparse->format, (int)format);
    return status;
}

/* OrtApi since version 9. */
OrtStatus *ort_GetSparseTensorValuesTypeAndShape(const OrtValue *ort_value,
                                                 OrtTensorTypeAndShapeInfo **out)
{
    const struct ort_sparse_part *part = NULL;
    OrtStatus *status = part_of(ort_value, VALUES, &part);

    if (status)
        return status;
    ORT_NEED(out);
    *out = ort_shape_copy(part->shape);
    return *out ? NULL : ort_no_memory();
}

/* OrtApi since version 9: Borrowed from the value; strings have functions of their own. */
OrtStatus *ort_GetSparseTensorValues(const OrtValue *ort_value, const void **out)
{
    const struct ort_sparse_part *part = NULL;
    OrtStatus *status = part_of(ort_value, VALUES, &part);

    if (status)
        return status;
    ORT_NEED(out);
    if (part->shape->dtype == ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING)
        return ort_fail(ORT_INVALID_ARGUMENT, "Use GetStringTensor*() API to retrieve strings");
    *out = part->data;
    return NULL;
}

/* OrtApi since version 9. */
OrtStatus *ort_GetSparseTensorIndicesTypeShape(const OrtValue *ort_value,
                                               OrtSparseIndicesFormat indices_format,
                                               OrtTensorTypeAndShapeInfo **out)
{
    const struct ort_sparse_part *part = NULL;
    OrtStatus *status = indices_of(ort_value, indices_format, &part);

    if (status)
        return status;
    ORT_NEED(out);
    *out = ort_shape_copy(part->shape);
    return *out ? NULL : ort_no_memory();
}

/* OrtApi since version 9. */
OrtStatus *ort_GetSparseTensorIndices(const OrtValue *ort_value,
                                      OrtSparseIndicesFormat indices_format, size_t *num_indices,
                                      const void **indices)
{
    const struct ort_sparse_part *part = NULL;
    OrtStatus *status = indices_of(ort_value, indices_format, &part);

    if (status)
        return status;
    ORT_NEED(num_indices);
    ORT_NEED(indices);
    *indices = part->data;
    return ort_GetTensorShapeElementCount(part->shape, num_indices);
}
