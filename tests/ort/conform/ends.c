/* SPDX-License-Identifier: MIT */
/* ends.c - what the inputs and outputs of a session are, asked through the C ABI. */

#include "config.h"

#include <stdlib.h>

#include "ort/conform/conform.h"

ONNXTensorElementDataType face_dtype(uint32_t dtype)
{
    switch (dtype) {
    case BP_DTYPE_F8E8M0:
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0;
    case BP_DTYPE_U2:
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2;
    case BP_DTYPE_I2:
        return ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2;
    default:
        return (ONNXTensorElementDataType)dtype;
    }
}

uint32_t face_host_dtype(ONNXTensorElementDataType dtype)
{
    switch (dtype) {
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_FLOAT8E8M0:
        return BP_DTYPE_F8E8M0;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_UINT2:
        return BP_DTYPE_U2;
    case ONNX_TENSOR_ELEMENT_DATA_TYPE_INT2:
        return BP_DTYPE_I2;
    default:
        return (uint32_t)dtype;
    }
}

/* ---- types ----------------------------------------------------------------------------------- */

static void type_destroy(const bp_type_info *type)
{
    union {
        const bp_type_info *shown;
        bp_type_info *owned;
    } it = {type};

    if (!type)
        return;
    type_destroy(type->item);
    free(it.owned);
}

static bp_type_info *type_read(const struct face *face, const OrtTypeInfo *info);

/* Takes over the type of an item. */
static bool read_item(const struct face *face, OrtTypeInfo *item, bp_type_info *out)
{
    out->item = type_read(face, item);
    face->api->ReleaseTypeInfo(item);
    return out->item != NULL;
}

static bool read_tensor(const struct face *face, const OrtTypeInfo *info, bp_type_info *out)
{
    const OrtTensorTypeAndShapeInfo *tensor = NULL;
    ONNXTensorElementDataType dtype = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;

    if (!face_ok(face, face->api->CastTypeInfoToTensorInfo(info, &tensor)) ||
        !face_ok(face, face->api->GetTensorElementType(tensor, &dtype)))
        return false;
    out->kind = BP_KIND_TENSOR;
    out->dtype = face_host_dtype(dtype);
    return true;
}

static bool read_sequence(const struct face *face, const OrtTypeInfo *info, bp_type_info *out)
{
    const OrtSequenceTypeInfo *sequence = NULL;
    OrtTypeInfo *item = NULL;

    out->kind = BP_KIND_SEQUENCE;
    return face_ok(face, face->api->CastTypeInfoToSequenceTypeInfo(info, &sequence)) &&
           face_ok(face, face->api->GetSequenceElementType(sequence, &item)) &&
           read_item(face, item, out);
}

static bool read_optional(const struct face *face, const OrtTypeInfo *info, bp_type_info *out)
{
    const OrtOptionalTypeInfo *optional = NULL;
    OrtTypeInfo *item = NULL;

    out->kind = BP_KIND_OPTIONAL;
    return face_ok(face, face->api->CastTypeInfoToOptionalTypeInfo(info, &optional)) &&
           face_ok(face, face->api->GetOptionalContainedTypeInfo(optional, &item)) &&
           read_item(face, item, out);
}

static bool read_map(const struct face *face, const OrtTypeInfo *info, bp_type_info *out)
{
    const OrtMapTypeInfo *map = NULL;
    ONNXTensorElementDataType key = ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
    OrtTypeInfo *item = NULL;

    out->kind = BP_KIND_MAP;
    if (!face_ok(face, face->api->CastTypeInfoToMapTypeInfo(info, &map)) ||
        !face_ok(face, face->api->GetMapKeyType(map, &key)))
        return false;
    out->dtype = face_host_dtype(key);
    return face_ok(face, face->api->GetMapValueType(map, &item)) && read_item(face, item, out);
}

static bool read_kind(const struct face *face, const OrtTypeInfo *info, bp_type_info *out)
{
    ONNXType kind = ONNX_TYPE_UNKNOWN;

    if (!face_ok(face, face->api->GetOnnxTypeFromTypeInfo(info, &kind)))
        return false;
    switch (kind) {
    case ONNX_TYPE_TENSOR:
        return read_tensor(face, info, out);
    case ONNX_TYPE_SEQUENCE:
        return read_sequence(face, info, out);
    case ONNX_TYPE_OPTIONAL:
        return read_optional(face, info, out);
    case ONNX_TYPE_MAP:
        return read_map(face, info, out);
    default:
        snprintf(face->cli->words, sizeof face->cli->words, "an input or output of kind %d",
                 (int)kind);
        return false;
    }
}

static bp_type_info *type_read(const struct face *face, const OrtTypeInfo *info)
{
    bp_type_info *type = xalloc(1, sizeof *type);

    if (read_kind(face, info, type))
        return type;
    type_destroy(type);
    return NULL;
}

/* ---- ends ------------------------------------------------------------------------------------ */

static bool read_type(const struct face *face, OrtTypeInfo *info, bp_io_info *out)
{
    out->struct_size = sizeof *out;
    out->rank = BP_RANK_UNKNOWN;
    out->type = type_read(face, info);
    face->api->ReleaseTypeInfo(info);
    if (out->type && out->type->kind == BP_KIND_TENSOR)
        out->dtype = out->type->dtype;
    return out->type != NULL;
}

/* Takes over the name, which is the library's. */
static void take_name(const struct face *face, char *name, bp_io_info *out)
{
    out->name = xstrdup(name);
    face->heap->Free(face->heap, name);
}

static bool read_input(const struct face *face, const OrtSession *session, uint32_t i,
                       bp_io_info *out)
{
    OrtTypeInfo *info = NULL;
    char *name = NULL;

    if (!face_ok(face, face->api->SessionGetInputName(session, i, face->heap, &name)))
        return false;
    take_name(face, name, out);
    return face_ok(face, face->api->SessionGetInputTypeInfo(session, i, &info)) &&
           read_type(face, info, out);
}

static bool read_output(const struct face *face, const OrtSession *session, uint32_t i,
                        bp_io_info *out)
{
    OrtTypeInfo *info = NULL;
    char *name = NULL;

    if (!face_ok(face, face->api->SessionGetOutputName(session, i, face->heap, &name)))
        return false;
    take_name(face, name, out);
    return face_ok(face, face->api->SessionGetOutputTypeInfo(session, i, &info)) &&
           read_type(face, info, out);
}

bool ends_read(const struct face *face, const OrtSession *session, struct ends *out)
{
    size_t n_inputs = 0, n_outputs = 0;

    if (!face_ok(face, face->api->SessionGetInputCount(session, &n_inputs)) ||
        !face_ok(face, face->api->SessionGetOutputCount(session, &n_outputs)))
        return false;
    out->rows = xalloc(n_inputs + n_outputs, sizeof *out->rows);
    out->n_inputs = (uint32_t)n_inputs;
    out->n_outputs = (uint32_t)n_outputs;
    for (uint32_t i = 0; i < out->n_inputs; i++) {
        if (!read_input(face, session, i, &out->rows[i]))
            return false;
    }
    for (uint32_t i = 0; i < out->n_outputs; i++) {
        if (!read_output(face, session, i, &out->rows[out->n_inputs + i]))
            return false;
    }
    return true;
}

void ends_finish(struct ends *ends)
{
    for (uint32_t i = 0; i < ends->n_inputs + ends->n_outputs; i++) {
        union {
            const char *shown;
            char *owned;
        } name = {ends->rows[i].name};

        free(name.owned);
        type_destroy(ends->rows[i].type);
    }
    free(ends->rows);
    *ends = (struct ends){0};
}
