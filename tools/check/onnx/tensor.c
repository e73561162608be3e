/* SPDX-License-Identifier: MIT */
/* tensor.c - TensorProto to elements: raw bytes, or a list of numbers whose field the type decides. */

#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <bp/sdk.h>

#include "check/onnx/tensor.h"
#include "onnx/wire.h"

/* The field that has a type's elements where they are not raw; 0: a type that the kit does not have. */
static uint32_t field_of(uint32_t dtype)
{
    switch (dtype) {
    case BP_DTYPE_F32:
        return TENSOR_FLOAT_DATA;
    case BP_DTYPE_F64:
        return TENSOR_DOUBLE_DATA;
    case BP_DTYPE_I64:
        return TENSOR_INT64_DATA;
    case BP_DTYPE_U32:
    case BP_DTYPE_U64:
        return TENSOR_UINT64_DATA;
    case BP_DTYPE_F16: /* its bits, as those of bfloat16 */
    case BP_DTYPE_BF16:
    case BP_DTYPE_I8:
    case BP_DTYPE_I16:
    case BP_DTYPE_I32:
    case BP_DTYPE_U8:
    case BP_DTYPE_U16:
    case BP_DTYPE_BOOL:
        return TENSOR_INT32_DATA;
    default:
        return 0;
    }
}

/* Elements that are being read. */
struct elements {
    struct kit_tensor *tensor;
    size_t n, count, width; /* width: bytes of an element */
};

/* The low bytes of `bits`: this machine's byte order is the file's, as that of all that ONNX runs on. */
static void put(struct elements *e, uint64_t bits)
{
    if (e->n < e->count)
        memcpy((char *)e->tensor->data + e->n * e->width, &bits, e->width);
    e->n++;
}

/* A list in one field: numbers of fixed size, or varints. */
static void put_packed(struct elements *e, const struct wire_field *field)
{
    struct wire wire = wire_in(field);
    size_t fixed = field->number == TENSOR_FLOAT_DATA    ? 4
                   : field->number == TENSOR_DOUBLE_DATA ? 8
                                                         : 0;
    uint64_t bits = 0;

    for (size_t at = 0; fixed > 0 && field->size - at >= fixed; at += fixed) {
        memcpy(&bits, field->data + at, fixed);
        put(e, bits);
    }
    while (fixed == 0 && wire_varint(&wire, &bits))
        put(e, bits);
}

/* The message's own facts: type, sizes, whether its elements are here. */
static const char *read_head(const void *proto, size_t size, struct kit_tensor *out)
{
    struct wire wire = wire_of(proto, size), dims;
    struct wire_field field;
    uint64_t dim;

    memset(out, 0, sizeof *out);
    while (wire_next(&wire, &field)) {
        if (field.number == TENSOR_DATA_TYPE)
            out->dtype = (uint32_t)field.value;
        if (field.number == TENSOR_DATA_LOCATION && field.value != 0)
            return "a tensor in another file";
        if (field.number != TENSOR_DIMS)
            continue;
        dims = wire_in(&field);
        while (field.type == WIRE_VARINT || wire_varint(&dims, &dim)) {
            if (out->rank == KIT_TENSOR_RANK)
                return "a tensor of more than 8 dimensions";
            out->dims[out->rank++] = (int64_t)(field.type == WIRE_VARINT ? field.value : dim);
            if (field.type == WIRE_VARINT)
                break;
        }
    }
    if (wire.is_broken)
        return "a tensor that is cut off";
    return field_of(out->dtype) == 0 ? "an element type that the kit does not have" : NULL;
}

/* bytes of the elements; false: more than any test has. */
static bool measure(struct kit_tensor *out, size_t *count)
{
    *count = 1;
    for (uint32_t d = 0; d < out->rank; d++) {
        if (out->dims[d] < 0 || out->dims[d] > INT32_MAX ||
            (out->dims[d] > 0 && *count > (size_t)(1 << 30) / (size_t)out->dims[d]))
            return false;
        *count *= (size_t)out->dims[d];
    }
    out->bytes = *count * (bp_dtype_width(out->dtype) / 8);
    return true;
}

static const char *read_elements(const void *proto, size_t size, size_t count,
                                 struct kit_tensor *out)
{
    struct elements e = {out, 0, count, bp_dtype_width(out->dtype) / 8};
    struct wire wire = wire_of(proto, size);
    struct wire_field field;

    while (wire_next(&wire, &field)) {
        if (field.number == TENSOR_RAW_DATA && field.size == out->bytes) {
            if (out->bytes > 0)
                memcpy(out->data, field.data, out->bytes);
            e.n = count;
        } else if (field.number == field_of(out->dtype) && field.type == WIRE_BYTES) {
            put_packed(&e, &field);
        } else if (field.number == field_of(out->dtype)) {
            put(&e, field.value);
        }
    }
    return e.n == count ? NULL : "a tensor with more or fewer elements than its shape says";
}

const char *kit_tensor_read(const void *proto, size_t size, struct kit_tensor *out)
{
    const char *why = read_head(proto, size, out);
    size_t count;

    if (why)
        return why;
    if (!measure(out, &count))
        return "a tensor that is too large";
    out->data = calloc(out->bytes + 1, 1);
    if (!out->data)
        abort();
    why = read_elements(proto, size, count, out);
    if (why) {
        free(out->data);
        out->data = NULL;
    }
    return why;
}
