/* SPDX-License-Identifier: MIT */
/* proto.c - protobuf's wire format, the writing half. */

#include "config.h"

#include "ort/proto.h"

#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, BYTES = 2, FIXED32 = 5, VARINT_MAX = 10 };

/* Room for n bytes, which are counted; NULL: no memory. */
static uint8_t *take(struct ort_proto *proto, size_t n)
{
    size_t need;
    uint8_t *place;

    if (proto->failed || __builtin_add_overflow(proto->size, n, &need)) {
        proto->failed = true;
        return NULL;
    }
    if (need > proto->cap) {
        size_t cap = need < SIZE_MAX / 2 ? need * 2 : need;
        uint8_t *data = realloc(proto->data, cap);

        if (!data) {
            proto->failed = true;
            return NULL;
        }
        proto->data = data;
        proto->cap = cap;
    }
    place = proto->data + proto->size;
    proto->size = need;
    return place;
}

static size_t encode(uint8_t *to, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        to[n++] = (uint8_t)(value | 0x80);
    to[n++] = (uint8_t)value;
    return n;
}

static void put(struct ort_proto *proto, const void *bytes, size_t n)
{
    uint8_t *place = take(proto, n);

    if (place && n > 0)
        memcpy(place, bytes, n);
}

static void put_varint(struct ort_proto *proto, uint64_t value)
{
    uint8_t bytes[VARINT_MAX];

    put(proto, bytes, encode(bytes, value));
}

void ort_proto_int(struct ort_proto *proto, uint32_t field, int64_t value)
{
    put_varint(proto, field << 3 | VARINT);
    put_varint(proto, (uint64_t)value);
}

void ort_proto_float(struct ort_proto *proto, uint32_t field, float value)
{
    put_varint(proto, field << 3 | FIXED32);
    put(proto, &value, sizeof value);
}

void ort_proto_bytes(struct ort_proto *proto, uint32_t field, const void *bytes, size_t n)
{
    put_varint(proto, field << 3 | BYTES);
    put_varint(proto, n);
    put(proto, bytes, n);
}

void ort_proto_text(struct ort_proto *proto, uint32_t field, const char *text)
{
    ort_proto_bytes(proto, field, text, strlen(text));
}

size_t ort_proto_begin(struct ort_proto *proto, uint32_t field)
{
    put_varint(proto, field << 3 | BYTES);
    return proto->size;
}

/* The length is known now: what came after the mark makes room for it. */
void ort_proto_end(struct ort_proto *proto, size_t mark)
{
    uint8_t bytes[VARINT_MAX];
    size_t size = proto->size - mark;
    size_t n = encode(bytes, size);

    if (!take(proto, n))
        return;
    memmove(proto->data + mark + n, proto->data + mark, size);
    memcpy(proto->data + mark, bytes, n);
}
