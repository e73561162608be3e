/* SPDX-License-Identifier: MIT */
/* tensor_io.c - bp_tensor_decode and bp_tensor_encode: one TensorProto as a file of its own. */

#include "config.h"

#include <stdlib.h>

#include "model/tensor.h"
#include "model/wire/unpack.h"
#include "value/tensor.h"

/* ---- decode ---------------------------------------------------------------------------------- */

/* The caller's tensor owns its memory. */
static bp_rc copy_tensor(const struct bp_ir_data *data, bp_tensor *out, bp_err *err)
{
    bp_tensor tensor = {
        .base = (void *)(uintptr_t)data->bytes, /* only read from */
        .dims = (int64_t *)(uintptr_t)data->dims,
        .bytes = data->size,
        .rank = data->rank,
        .dtype = data->dtype,
    };

    return bp_tensor_copy(&tensor, out, err);
}

/* *name is the caller's to free(); it is NULL after a failure. */
bp_rc bp_tensor_decode(const void *bytes, size_t size, bp_tensor *out, char **name, bp_err *err)
{
    struct bp_region region = {0};
    struct bp_wire wire = {0};
    struct bp_source source = {.file = {.data = bytes, .size = size}};
    const Bp__TensorProto *proto = NULL;
    struct bp_ir_data data;
    bp_rc rc;

    if (!bytes)
        return bp_fail_null(err, "the list of bytes");
    if (!out)
        return bp_fail_null(err, "the tensor");
    memset(out, 0, sizeof *out);
    if (name)
        *name = NULL;
    rc = bp_unpack_tensor(bytes, size, &wire, &region, &proto, err);
    if (rc < 0)
        goto out;
    source.chunks = wire.chunks;
    source.n_chunks = wire.n_chunks;
    rc = bp_tensor_proto_read(proto, &source, &region, &data, err);
    if (rc < 0)
        goto out;
    if (name) {
        *name = strdup(bp_text_or_empty(proto->name));
        if (!*name) {
            rc = bp_fail_nomem(err, "the tensor's name");
            goto out;
        }
    }
    rc = copy_tensor(&data, out, err);
    if (rc < 0 && name) {
        free(*name);
        *name = NULL;
    }
out:
    bp_wire_finish(&wire);
    bp_region_finish(&region);
    return bp_done(err, rc);
}

/* ---- encode ---------------------------------------------------------------------------------- */

/* Counts while `to` is NULL, then writes: the same calls do both, so the sizes agree. */
struct writer {
    uint8_t *to;
    size_t size;
    bool is_too_large;
};

/* Sizes are added with overflow checks. */
static void put_bytes(struct writer *writer, const void *bytes, size_t n)
{
    if (writer->to && n > 0)
        memcpy(writer->to + writer->size, bytes, n);
    if (!bp_add_size(writer->size, n, &writer->size))
        writer->is_too_large = true;
}

static void put_varint(struct writer *writer, uint64_t value)
{
    uint8_t byte;

    for (; value >= 0x80; value >>= 7) {
        byte = (uint8_t)(value | 0x80);
        put_bytes(writer, &byte, 1);
    }
    byte = (uint8_t)value;
    put_bytes(writer, &byte, 1);
}

/* Wire type 0. */
static void put_int(struct writer *writer, uint32_t field, uint64_t value)
{
    put_varint(writer, field << 3);
    put_varint(writer, value);
}

/* Wire type 2. */
static void put_blob(struct writer *writer, uint32_t field, const void *bytes, size_t n)
{
    put_varint(writer, field << 3 | 2);
    put_varint(writer, n);
    put_bytes(writer, bytes, n);
}

/* Fields: 1 dims, 2 data_type, 6 string_data, 8 name, 9 raw_data. */
static void put_tensor(struct writer *writer, const bp_tensor *tensor, const char *name, size_t n)
{
    const void *data = n > 0 ? bp_tensor_data(tensor) : NULL;

    writer->size = 0;
    for (uint32_t i = 0; i < tensor->rank; i++)
        put_int(writer, 1, (uint64_t)tensor->dims[i]);
    put_int(writer, 2, tensor->dtype);
    if (tensor->dtype == BP_DTYPE_STRING) {
        const bp_span *spans = data;

        for (size_t i = 0; i < n / sizeof *spans; i++)
            put_blob(writer, BP_TENSOR_STRING_DATA, spans[i].data, spans[i].size);
    }
    if (name)
        put_blob(writer, 8, name, strlen(name));
    if (tensor->dtype != BP_DTYPE_STRING)
        put_blob(writer, BP_TENSOR_RAW_DATA, data, n);
}

/* A string may only be NULL if it is empty. */
static bp_rc check_strings(const bp_tensor *tensor, size_t n, bp_err *err)
{
    const bp_span *spans = bp_tensor_data(tensor);

    for (size_t i = 0; i < n; i++) {
        if (!spans[i].data && spans[i].size > 0)
            return bp_fail(err, BP_E_INVALID, "string %zu of the tensor has no text", i);
    }
    return BP_OK;
}

/* Tensors in device memory must be copied to the host first. */
bp_rc bp_tensor_check(const bp_tensor *tensor, size_t *out, bp_err *err)
{
    bp_rc rc;

    if (tensor->rank > 0 && !tensor->dims)
        return bp_fail(err, BP_E_INVALID, "the tensor has rank %u and no dims", tensor->rank);
    if (tensor->space != BP_SPACE_HOST)
        return bp_fail(err, BP_E_INVALID, "the tensor is in a device's memory: copy it first");
    rc = bp_tensor_span_bytes(tensor->dtype, tensor->dims, tensor->rank, out, err);
    if (rc < 0)
        return rc;
    if (*out > tensor->bytes || (*out > 0 && !tensor->base))
        return bp_fail(err, BP_E_INVALID, "the tensor's dims need %zu bytes, it has %zu", *out,
                       tensor->base ? tensor->bytes : 0);
    if (tensor->dtype == BP_DTYPE_STRING && *out > 0)
        return check_strings(tensor, *out / sizeof(bp_span), err);
    return BP_OK;
}

/* *out is the caller's to free(). Protobuf's lengths end at 2 GiB. */
bp_rc bp_tensor_encode(const bp_tensor *tensor, const char *name, void **out, size_t *size,
                       bp_err *err)
{
    struct writer writer = {0};
    size_t n;
    bp_rc rc;

    if (!tensor)
        return bp_fail_null(err, "the tensor");
    if (!out)
        return bp_fail_null(err, "out");
    if (!size)
        return bp_fail_null(err, "size");
    *out = NULL;
    *size = 0;
    rc = bp_tensor_check(tensor, &n, err);
    if (rc < 0)
        return rc;
    put_tensor(&writer, tensor, name, n);
    if (writer.is_too_large || writer.size > INT32_MAX)
        return bp_fail(err, BP_E_INVALID, "the tensor is larger than 2 GiB, where protobuf ends");
    writer.to = malloc(writer.size);
    if (!writer.to)
        return bp_fail_nomem(err, "the encoded tensor");
    put_tensor(&writer, tensor, name, n);
    *out = writer.to;
    *size = writer.size;
    return bp_done(err, BP_OK);
}
