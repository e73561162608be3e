/* SPDX-License-Identifier: MIT */
/* values.c - between what the tool reads and compares and the values of the C ABI. */

#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#include "ort/conform/conform.h"

/* ---- making ---------------------------------------------------------------------------------- */

static OrtValue *make_strings(const struct face *face, const bp_tensor *tensor)
{
    const bp_span *spans = bp_tensor_data(tensor);
    size_t n = (size_t)bp_dims_count(tensor->dims, tensor->rank);
    OrtValue *value = NULL;

    if (!face_ok(face,
                 face->api->CreateTensorAsOrtValue(face->heap, tensor->dims, tensor->rank,
                                                   ONNX_TENSOR_ELEMENT_DATA_TYPE_STRING, &value)))
        return NULL;
    for (size_t i = 0; i < n; i++) {
        char *text = NULL;

        if (!face_ok(face, face->api->GetResizedStringTensorElementBuffer(value, i, spans[i].size,
                                                                          &text))) {
            face->api->ReleaseValue(value);
            return NULL;
        }
        if (spans[i].size > 0)
            memcpy(text, spans[i].data, spans[i].size);
    }
    return value;
}

static OrtValue *make_tensor(const struct face *face, const bp_tensor *tensor)
{
    OrtValue *value = NULL;
    size_t bytes;

    if (tensor->dtype == BP_DTYPE_STRING)
        return make_strings(face, tensor);
    if (bp_tensor_bytes(tensor->dtype, tensor->dims, tensor->rank, &bytes, &face->cli->err) < 0 ||
        !face_ok(face, face->api->CreateTensorWithDataAsOrtValue(
                           face->memory, bp_tensor_data(tensor), bytes, tensor->dims, tensor->rank,
                           face_dtype(tensor->dtype), &value)))
        return NULL;
    return value;
}

static OrtValue *make_object(const struct face *face, const bp_object *object,
                             const bp_type_info *type);

/* A sequence's items; a map's keys and values. */
static OrtValue *make_container(const struct face *face, const bp_object *object,
                                const bp_type_info *type)
{
    bool is_map = bp_object_kind(object) == BP_KIND_MAP;
    uint32_t n = bp_object_count(object), made = 0;
    OrtValue **parts = xalloc(n, sizeof *parts);
    OrtValue *value = NULL;

    while (made < n) {
        parts[made] = make_object(face, bp_object_item(object, made), is_map ? NULL : type->item);
        if (!parts[made])
            break;
        made++;
    }
    if (made == n &&
        !face_ok(face, face->api->CreateValue((const OrtValue *const *)parts, n,
                                              is_map ? ONNX_TYPE_MAP : ONNX_TYPE_SEQUENCE, &value)))
        value = NULL;
    for (uint32_t i = 0; i < made; i++)
        face->api->ReleaseValue(parts[i]);
    free(parts);
    return value;
}

static OrtValue *make_object(const struct face *face, const bp_object *object,
                             const bp_type_info *type)
{
    const bp_tensor *tensor = bp_object_tensor(object);

    if (tensor)
        return make_tensor(face, tensor);
    if (bp_object_count(object) == 0)
        return value_make_empty(face, type);
    if (bp_object_kind(object) == BP_KIND_OPTIONAL)
        return make_object(face, bp_object_item(object, 0), type->item); /* it is what it holds */
    return make_container(face, object, type);
}

OrtValue *value_make(const struct face *face, const bp_binding *from, const bp_type_info *type)
{
    return from->object ? make_object(face, from->object, type) : make_tensor(face, &from->tensor);
}

/* ---- reading --------------------------------------------------------------------------------- */

/* The shape in `tensor`, whose dims are the caller's to free. */
static bool read_shape(const struct face *face, const OrtValue *value, bp_tensor *tensor)
{
    OrtTensorTypeAndShapeInfo *shape = NULL;
    ONNXTensorElementDataType dtype = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    size_t rank = 0;
    bool is_read;

    if (!face_ok(face, face->api->GetTensorTypeAndShape(value, &shape)))
        return false;
    is_read = face_ok(face, face->api->GetTensorElementType(shape, &dtype)) &&
              face_ok(face, face->api->GetDimensionsCount(shape, &rank));
    tensor->dims = xalloc(rank, sizeof *tensor->dims);
    tensor->rank = (uint32_t)rank;
    tensor->dtype = face_host_dtype(dtype);
    is_read = is_read && face_ok(face, face->api->GetDimensions(shape, tensor->dims, rank));
    face->api->ReleaseTensorTypeAndShapeInfo(shape);
    return is_read;
}

/* Spans over the text of all elements; both are the caller's to free. */
static bool read_strings(const struct face *face, const OrtValue *value, bp_tensor *tensor,
                         char **text)
{
    size_t n = (size_t)bp_dims_count(tensor->dims, tensor->rank), bytes = 0;
    bp_span *spans = xalloc(n, sizeof *spans);
    size_t *offsets = xalloc(n, sizeof *offsets);
    bool is_read;

    tensor->base = spans;
    tensor->bytes = n * sizeof *spans;
    is_read = face_ok(face, face->api->GetStringTensorDataLength(value, &bytes));
    *text = xalloc(bytes + 1, 1);
    is_read = is_read &&
              face_ok(face, face->api->GetStringTensorContent(value, *text, bytes, offsets, n));
    for (size_t i = 0; i < n && is_read; i++)
        spans[i] = (bp_span){*text + offsets[i], (i + 1 < n ? offsets[i + 1] : bytes) - offsets[i]};
    free(offsets);
    return is_read;
}

/* A tensor's content as an object, which the caller releases; NULL: see face_ok(). */
static bp_object *read_tensor(const struct face *face, OrtValue *value)
{
    bool is_text;
    bp_tensor view = {0};
    bp_object *object = NULL;
    char *text = NULL;
    bool is_read = read_shape(face, value, &view);

    is_text = view.dtype == BP_DTYPE_STRING;
    if (is_read && is_text)
        is_read = read_strings(face, value, &view, &text);
    else if (is_read)
        is_read =
            face_ok(face, face->api->GetTensorMutableData(value, &view.base)) &&
            bp_tensor_bytes(view.dtype, view.dims, view.rank, &view.bytes, &face->cli->err) >= 0;
    if (is_read && bp_object_from_tensor(&view, &object, &face->cli->err) < 0)
        object = NULL;
    if (is_text)
        free(view.base);
    free(view.dims);
    free(text);
    return object;
}

static bp_object *read_object(const struct face *face, OrtValue *value, const bp_type_info *type);

static bp_object *join(const struct face *face, bp_object **parts, uint32_t n, bool is_map)
{
    bp_object *object = NULL;
    bp_rc rc = is_map ? bp_object_map(parts[0], parts[1], &object, &face->cli->err)
                      : bp_object_sequence(parts, n, &object, &face->cli->err);

    return rc < 0 ? NULL : object;
}

static bp_object *read_container(const struct face *face, const OrtValue *value,
                                 const bp_type_info *type)
{
    bool is_map = type->kind == BP_KIND_MAP;
    bp_object **parts;
    bp_object *object = NULL;
    uint32_t got = 0;
    size_t n = 0;

    if (!face_ok(face, face->api->GetValueCount(value, &n)))
        return NULL;
    parts = xalloc(n + 1, sizeof *parts);
    while (got < n) {
        OrtValue *part = NULL;

        if (!face_ok(face, face->api->GetValue(value, (int)got, face->heap, &part)))
            break;
        parts[got] = is_map ? read_tensor(face, part) : read_object(face, part, type->item);
        face->api->ReleaseValue(part);
        if (!parts[got])
            break;
        got++;
    }
    if (got == n)
        object = join(face, parts, got, is_map);
    for (uint32_t i = 0; i < got; i++)
        bp_object_release(parts[i]);
    free(parts);
    return object;
}

/* What is in an optional is handed out as what it is. */
static bp_object *read_optional(const struct face *face, OrtValue *value, const bp_type_info *type)
{
    bp_object *item = NULL, *object = NULL;
    int has_value = 0;

    if (!face_ok(face, face->api->HasValue(value, &has_value)))
        return NULL;
    if (has_value) {
        item = read_object(face, value, type->item);
        if (!item)
            return NULL;
    }
    if (bp_object_optional(item, &object, &face->cli->err) < 0)
        object = NULL;
    bp_object_release(item);
    return object;
}

static bp_object *read_object(const struct face *face, OrtValue *value, const bp_type_info *type)
{
    switch (type->kind) {
    case BP_KIND_OPTIONAL:
        return read_optional(face, value, type);
    case BP_KIND_TENSOR:
        return read_tensor(face, value);
    default:
        return read_container(face, value, type);
    }
}

/* The object's tensor with memory of its own. */
static bool take_tensor(const struct face *face, const bp_object *object, bp_tensor *out)
{
    void *bytes = NULL;
    size_t size = 0;
    bool is_taken =
        bp_tensor_encode(bp_object_tensor(object), "", &bytes, &size, &face->cli->err) >= 0 &&
        bp_tensor_decode(bytes, size, out, NULL, &face->cli->err) >= 0;

    bp_free(bytes);
    return is_taken;
}

bool value_read(const struct face *face, OrtValue *value, const bp_type_info *type, bp_binding *out)
{
    bp_object *object = read_object(face, value, type);
    bool is_read = object != NULL;

    if (object && type->kind == BP_KIND_TENSOR) {
        is_read = take_tensor(face, object, &out->tensor);
        bp_object_release(object);
    } else {
        out->object = object;
    }
    return is_read;
}
