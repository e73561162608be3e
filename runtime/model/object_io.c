/* SPDX-License-Identifier: MIT */
/*
 * object_io.c - bp_object_decode: a value of any kind (onnx-data.proto: TensorProto, SequenceProto,
 * OptionalProto, MapProto) from a file of its own.
 *
 * These files are the inputs and outputs of ONNX's backend tests (input_0.pb). The message does not
 * say its type: the caller does.
 */

#include "config.h"

#include <stdlib.h>

#include "model/tensor.h"
#include "model/wire/unpack.h"
#include "value/object.h"

/* State while one file is decoded. */
struct decoding {
    struct bp_source source;
    struct bp_region region;
    bp_err *err;
};

static bp_rc from_sequence(struct decoding *d, const Bp__SequenceProto *proto, bp_object **out);
static bp_rc from_optional(struct decoding *d, const Bp__OptionalProto *proto, bp_object **out);
static bp_rc from_map(struct decoding *d, const Bp__MapProto *proto, bp_object **out);

/* The object has a copy: the file's bytes may go. */
static bp_rc from_data(const struct bp_ir_data *data, bp_object **out, bp_err *err)
{
    bp_tensor tensor = {
        .base = (void *)(uintptr_t)data->bytes, /* only read from */
        .dims = (int64_t *)(uintptr_t)data->dims,
        .bytes = data->size,
        .rank = data->rank,
        .dtype = data->dtype,
    };

    return bp_object_from_tensor(&tensor, out, err);
}

static bp_rc from_tensor(struct decoding *d, const Bp__TensorProto *proto, bp_object **out)
{
    struct bp_ir_data data;
    bp_rc rc = bp_tensor_proto_read(proto, &d->source, &d->region, &data, d->err);

    return rc < 0 ? rc : from_data(&data, out, d->err);
}

/* Item i of a sequence, from the one list that is not empty. */
static bp_rc from_item(struct decoding *d, const Bp__SequenceProto *proto, uint32_t i,
                       bp_object **out)
{
    if (proto->n_tensor_values)
        return from_tensor(d, proto->tensor_values[i], out);
    if (proto->n_sequence_values)
        return from_sequence(d, proto->sequence_values[i], out);
    if (proto->n_map_values)
        return from_map(d, proto->map_values[i], out);
    return from_optional(d, proto->optional_values[i], out);
}

/* SequenceProto has a list for each kind of item; only one may be used. */
static bp_rc from_sequence(struct decoding *d, const Bp__SequenceProto *proto, bp_object **out)
{
    size_t n = proto->n_tensor_values + proto->n_sequence_values + proto->n_map_values +
               proto->n_optional_values;
    int lists = (proto->n_tensor_values > 0) + (proto->n_sequence_values > 0) +
                (proto->n_map_values > 0) + (proto->n_optional_values > 0);
    bp_rc rc;

    if (lists > 1 || n > INT32_MAX)
        return bp_fail(d->err, BP_E_INVALID, "the sequence has items of several kinds");
    rc = bp_object_new(BP_KIND_SEQUENCE, (uint32_t)n, out, d->err);
    for (uint32_t i = 0; rc >= 0 && i < n; i++) {
        rc = from_item(d, proto, i, &(*out)->items[i]);
        if (rc < 0)
            bp_fail_in(d->err, rc, "item %u of the sequence", i);
    }
    return rc;
}

/* elem_type is ignored: the field that is set tells the kind. */
static bp_rc from_optional(struct decoding *d, const Bp__OptionalProto *proto, bp_object **out)
{
    bool has_value =
        proto->tensor_value || proto->sequence_value || proto->map_value || proto->optional_value;
    bp_rc rc = bp_object_new(BP_KIND_OPTIONAL, has_value ? 1 : 0, out, d->err);

    if (rc < 0 || !has_value)
        return rc;
    if (proto->tensor_value)
        return from_tensor(d, proto->tensor_value, &(*out)->items[0]);
    if (proto->sequence_value)
        return from_sequence(d, proto->sequence_value, &(*out)->items[0]);
    if (proto->map_value)
        return from_map(d, proto->map_value, &(*out)->items[0]);
    return from_optional(d, proto->optional_value, &(*out)->items[0]);
}

/* String keys have a list of their own in MapProto. */
static bp_rc string_keys(struct decoding *d, const Bp__MapProto *proto, bp_object **out)
{
    int64_t dims[1] = {(int64_t)proto->n_string_keys};
    bp_span *spans = bp_region_array(&d->region, proto->n_string_keys, sizeof *spans);
    struct bp_ir_data data = {.dims = dims, .rank = 1, .dtype = BP_DTYPE_STRING};

    if (!spans)
        return bp_fail_nomem(d->err, "a map's keys");
    for (size_t i = 0; i < proto->n_string_keys; i++)
        spans[i] = (bp_span){proto->string_keys[i].data, proto->string_keys[i].len};
    data.bytes = (const uint8_t *)spans;
    data.size = proto->n_string_keys * sizeof *spans;
    return from_data(&data, out, d->err);
}

/* Keys of any integer type are kept as int64. */
static bp_rc from_map(struct decoding *d, const Bp__MapProto *proto, bp_object **out)
{
    int64_t dims[1] = {(int64_t)proto->n_keys};
    struct bp_ir_data keys = {.dims = dims,
                              .bytes = (const uint8_t *)proto->keys,
                              .size = proto->n_keys * sizeof *proto->keys,
                              .rank = 1,
                              .dtype = BP_DTYPE_I64};
    bp_object *items[2] = {NULL, NULL};
    bp_rc rc;

    if (!proto->values)
        return bp_fail(d->err, BP_E_INVALID, "the map has no values");
    rc = proto->n_string_keys ? string_keys(d, proto, &items[0])
                              : from_data(&keys, &items[0], d->err);
    if (rc >= 0)
        rc = from_sequence(d, proto->values, &items[1]);
    if (rc >= 0)
        rc = bp_object_map(items[0], items[1], out, d->err);
    bp_object_release(items[0]);
    bp_object_release(items[1]);
    return rc;
}

static bp_rc decode(struct decoding *d, uint32_t kind, const void *message, bp_object **out)
{
    switch (kind) {
    case BP_KIND_TENSOR:
        return from_tensor(d, message, out);
    case BP_KIND_SEQUENCE:
        return from_sequence(d, message, out);
    case BP_KIND_OPTIONAL:
        return from_optional(d, message, out);
    default:
        return from_map(d, message, out);
    }
}

bp_rc bp_object_decode(const void *bytes, size_t size, uint32_t kind, bp_object **out, bp_err *err)
{
    static const struct {
        enum bp_message_type type;
        const ProtobufCMessageDescriptor *descriptor;
    } kinds[] = {
        [BP_KIND_TENSOR] = {BP_MSG_TENSOR, &bp__tensor_proto__descriptor},
        [BP_KIND_SEQUENCE] = {BP_MSG_SEQUENCE, &bp__sequence_proto__descriptor},
        [BP_KIND_OPTIONAL] = {BP_MSG_OPTIONAL, &bp__optional_proto__descriptor},
        [BP_KIND_MAP] = {BP_MSG_MAP, &bp__map_proto__descriptor},
    };
    struct decoding d = {.source = {.file = {.data = bytes, .size = size}}, .err = err};
    struct bp_wire wire = {0};
    const void *message;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (kind >= sizeof kinds / sizeof kinds[0])
        return bp_fail(err, BP_E_INVALID, "%u is not a kind of value that a file holds", kind);
    rc = bp_unpack(bytes, size, kinds[kind].type, kinds[kind].descriptor, &wire, &d.region,
                   &message, err);
    d.source.chunks = wire.chunks;
    d.source.n_chunks = wire.n_chunks;
    if (rc >= 0)
        rc = decode(&d, kind, message, out);
    if (rc < 0) {
        bp_object_release(*out);
        *out = NULL;
    }
    bp_wire_finish(&wire);
    bp_region_finish(&d.region);
    return bp_done(err, rc);
}
