/* SPDX-License-Identifier: MIT */
/* sparse_object.c - converts sparse tensors between OrtValue and the host's objects. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "ort/status.h"
#include "ort/values/sparse.h"
#include "ort/values/value.h"

enum { VALUES, INDICES };

/* ---- to the host ------------------------------------------------------------------------------- */

/* A tensor that borrows a part. */
static bp_tensor show(const struct ort_sparse_part *part)
{
    bp_tensor tensor = {.base = (void *)(uintptr_t)part->data, /* only read from */
                        .dims = part->shape->dims,
                        .rank = (uint32_t)part->shape->rank,
                        .dtype = ort_host_dtype(part->shape->dtype)};
    struct ort_err err;

    if (tensor.dtype == BP_DTYPE_STRING)
        tensor.bytes = ort_tensor_count(&tensor) * sizeof(bp_span);
    else /* the sizes were checked when the part was set */
        ort_ReleaseStatus(ort_from(bp_tensor_bytes(tensor.dtype, tensor.dims, tensor.rank,
                                                   &tensor.bytes, ort_err_init(&err)),
                                   &err, ORT_OTHER, NULL));
    return tensor;
}

bp_tensor ort_sparse_values(const struct ort_sparse *sparse)
{
    return sparse->parts[VALUES].shape ? show(&sparse->parts[VALUES]) : (bp_tensor){0};
}

/* ORT_INVALID_ARGUMENT: values or indices are not set. */
OrtStatus *ort_sparse_to_object(const struct ort_sparse *sparse, bp_object **out)
{
    bp_tensor dense = {.dims = sparse->dense->dims,
                       .rank = (uint32_t)sparse->dense->rank,
                       .dtype = ort_host_dtype(sparse->dense->dtype)};
    uint32_t n = sparse->format == ORT_SPARSE_CSRC ? 3 : 2;
    bp_object *parts[ORT_SPARSE_PARTS] = {NULL};
    struct ort_err err;
    bp_rc rc = BP_OK;

    ort_err_init(&err);
    for (uint32_t i = 0; i < n; i++) {
        if (!sparse->parts[i].shape)
            return ort_fail(ORT_INVALID_ARGUMENT, "the sparse tensor has no values or no indices");
    }
    for (uint32_t i = 0; i < n && rc >= 0; i++) {
        bp_tensor tensor = show(&sparse->parts[i]);

        rc = bp_object_from_tensor(&tensor, &parts[i], &err.err);
    }
    if (rc >= 0) /* formats have the same values in both APIs */
        rc = bp_object_sparse((uint32_t)sparse->format, &dense, parts, n, out, &err.err);
    for (uint32_t i = 0; i < n; i++)
        bp_object_release(parts[i]);
    return ort_from(rc, &err, ORT_OTHER, NULL);
}

/* ---- from the host ----------------------------------------------------------------------------- */

/* A scalar's dims must not be NULL, which would mean unknown. */
static OrtTensorTypeAndShapeInfo *shape_of(const bp_tensor *tensor)
{
    static const int64_t none[1];

    return ort_shape_create(ort_dtype(tensor->dtype), tensor->rank ? tensor->dims : none,
                            tensor->rank);
}

/* Without parts; dims are copied. */
static struct ort_sparse *create(const bp_tensor *dense, OrtSparseFormat format)
{
    struct ort_sparse *sparse = calloc(1, sizeof *sparse);

    if (!sparse)
        return NULL;
    sparse->format = format;
    sparse->dense = shape_of(dense);
    if (sparse->dense)
        return sparse;
    ort_sparse_destroy(sparse);
    return NULL;
}

/* Parts are borrowed from the object. */
OrtStatus *ort_sparse_of_object(const bp_object *object, struct ort_sparse **out)
{
    struct ort_sparse *sparse =
        create(bp_object_dense(object), (OrtSparseFormat)bp_object_format(object));

    for (uint32_t i = 0; sparse && i < bp_object_count(object); i++) {
        const bp_tensor *part = bp_object_tensor(bp_object_item(object, i));

        sparse->parts[i].shape = shape_of(part);
        sparse->parts[i].data = bp_tensor_data(part);
        if (!sparse->parts[i].shape) {
            ort_sparse_destroy(sparse);
            sparse = NULL;
        }
    }
    *out = sparse;
    return sparse ? NULL : ort_no_memory();
}

/* Is any bit of element i set? -0.0 counts as nonzero. */
static bool is_set(const unsigned char *data, size_t width, size_t i)
{
    for (size_t k = 0; k < width; k++) {
        if (data[i * width + k] != 0)
            return true;
    }
    return false;
}

/* A 1-D shape. */
static OrtTensorTypeAndShapeInfo *list_of(ONNXTensorElementDataType type, size_t n)
{
    int64_t dims[1] = {(int64_t)n};

    return ort_shape_create(type, dims, 1);
}

/* Two passes: count, then copy. */
OrtStatus *ort_sparse_of_dense(const bp_tensor *dense, struct ort_sparse **out)
{
    struct ort_sparse *sparse = create(dense, ORT_SPARSE_COO);
    const unsigned char *data = bp_tensor_data(dense);
    size_t width = bp_dtype_width(dense->dtype) / 8, all = ort_tensor_count(dense), n = 0;
    struct ort_sparse_part *values, *indices;

    *out = NULL;
    if (!sparse)
        return ort_no_memory();
    for (size_t i = 0; i < all; i++)
        n += is_set(data, width, i);
    values = &sparse->parts[VALUES];
    indices = &sparse->parts[INDICES];
    values->data = values->owned = malloc(n * width + 1);
    indices->data = indices->owned = malloc(n * sizeof(int64_t) + 1);
    values->shape = list_of(ort_dtype(dense->dtype), n);
    indices->shape = list_of(ONNX_TENSOR_ELEMENT_DATA_TYPE_INT64, n);
    if (!values->owned || !indices->owned || !values->shape || !indices->shape) {
        ort_sparse_destroy(sparse);
        return ort_no_memory();
    }
    n = 0;
    for (size_t i = 0; i < all; i++) {
        if (!is_set(data, width, i))
            continue;
        memcpy((char *)values->owned + n * width, data + i * width, width);
        ((int64_t *)indices->owned)[n++] = (int64_t)i;
    }
    *out = sparse;
    return NULL;
}
