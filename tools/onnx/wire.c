/* SPDX-License-Identifier: MIT */
/* wire.c - the wire format of protobuf: tags, varints, lengths. */

#include "onnx/wire.h"

#include <string.h>

struct wire wire_of(const void *data, size_t size)
{
    const unsigned char *begin =
        data ? data : (const unsigned char *)""; /* no arithmetic on NULL */
    struct wire wire = {begin, begin + (data ? size : 0), false};

    return wire;
}

struct wire wire_in(const struct wire_field *field)
{
    return wire_of(field->data, field->type == WIRE_BYTES ? field->size : 0);
}

bool wire_varint(struct wire *wire, uint64_t *out)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 70 && wire->at < wire->end; shift += 7) {
        unsigned char byte = *wire->at++;

        if (shift < 64)
            value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128) {
            *out = value;
            return true;
        }
    }
    wire->is_broken = wire->is_broken || wire->at < wire->end;
    return false;
}

/* n bytes as an integer, the lowest first. */
static bool fixed(struct wire *wire, unsigned n, uint64_t *out)
{
    if ((size_t)(wire->end - wire->at) < n)
        return false;
    *out = 0;
    for (unsigned i = 0; i < n; i++)
        *out |= (uint64_t)wire->at[i] << (8 * i);
    wire->at += n;
    return true;
}

static bool bytes(struct wire *wire, struct wire_field *out)
{
    uint64_t size;

    if (!wire_varint(wire, &size) || size > (uint64_t)(wire->end - wire->at))
        return false;
    out->data = wire->at;
    out->size = (size_t)size;
    wire->at += size;
    return true;
}

static bool content(struct wire *wire, struct wire_field *out)
{
    switch (out->type) {
    case WIRE_VARINT:
        return wire_varint(wire, &out->value);
    case WIRE_FIXED64:
        return fixed(wire, 8, &out->value);
    case WIRE_FIXED32:
        return fixed(wire, 4, &out->value);
    case WIRE_BYTES:
        return bytes(wire, out);
    default:
        return false;
    }
}

bool wire_next(struct wire *wire, struct wire_field *out)
{
    uint64_t tag;

    memset(out, 0, sizeof *out);
    out->whole = wire->at;
    if (wire->is_broken || wire->at >= wire->end)
        return false;
    wire->is_broken = true; /* until the whole field was there */
    if (!wire_varint(wire, &tag) || tag >> 3 == 0 || tag >> 3 > UINT32_MAX)
        return false;
    out->number = (uint32_t)(tag >> 3);
    out->type = (uint32_t)(tag & 7);
    if (!content(wire, out))
        return false;
    wire->is_broken = false;
    out->whole_size = (size_t)(wire->at - out->whole);
    return true;
}

bool wire_find(const void *data, size_t size, uint32_t number, struct wire_field *out)
{
    struct wire wire = wire_of(data, size);
    struct wire_field field;
    bool is_found = false;

    while (wire_next(&wire, &field)) {
        if (field.number == number) {
            *out = field;
            is_found = true;
        }
    }
    return is_found;
}

bool wire_is(const struct wire_field *field, const char *text, size_t size)
{
    return field->type == WIRE_BYTES && field->size == size && memcmp(field->data, text, size) == 0;
}
