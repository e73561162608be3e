/* SPDX-License-Identifier: MIT */
/* put.c - protobuf's wire format, the writing half. */

#include "config.h"

#include "base/put.h"

#include <stdlib.h>
#include <string.h>

enum { VARINT = 0, BYTES = 2, FIXED32 = 5, VARINT_MAX = 10 };

/* Appends n bytes for the caller to fill; NULL: no memory. */
static uint8_t *take(struct bp_put *put, size_t n)
{
    size_t need;
    uint8_t *place;

    if (put->failed || __builtin_add_overflow(put->size, n, &need)) {
        put->failed = true;
        return NULL;
    }
    if (need > put->cap || !put->data) {
        size_t cap = need < SIZE_MAX / 2 ? need * 2 + 64 : need;
        uint8_t *data = realloc(put->data, cap);

        if (!data) {
            put->failed = true;
            return NULL;
        }
        put->data = data;
        put->cap = cap;
    }
    place = put->data + put->size;
    put->size = need;
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

void bp_put_raw(struct bp_put *put, const void *bytes, size_t n)
{
    uint8_t *place = take(put, n);

    if (place && n > 0)
        memcpy(place, bytes, n);
}

static void put_varint(struct bp_put *put, uint64_t value)
{
    uint8_t bytes[VARINT_MAX];

    bp_put_raw(put, bytes, encode(bytes, value));
}

static void put_tag(struct bp_put *put, uint32_t field, uint32_t wire_type)
{
    put_varint(put, (uint64_t)field << 3 | wire_type);
}

void bp_put_int(struct bp_put *put, uint32_t field, int64_t value)
{
    put_tag(put, field, VARINT);
    put_varint(put, (uint64_t)value);
}

void bp_put_float(struct bp_put *put, uint32_t field, float value)
{
    put_tag(put, field, FIXED32);
    bp_put_raw(put, &value, sizeof value);
}

void bp_put_bytes(struct bp_put *put, uint32_t field, const void *bytes, size_t n)
{
    put_tag(put, field, BYTES);
    put_varint(put, n);
    bp_put_raw(put, bytes, n);
}

void bp_put_text(struct bp_put *put, uint32_t field, const char *text)
{
    bp_put_bytes(put, field, text, strlen(text));
}

size_t bp_put_begin(struct bp_put *put, uint32_t field)
{
    put_tag(put, field, BYTES);
    return put->size;
}

/* The length goes before the content once that is known. */
void bp_put_end(struct bp_put *put, size_t mark)
{
    uint8_t bytes[VARINT_MAX];
    size_t size = put->size - mark;
    size_t n = encode(bytes, size);

    if (!take(put, n))
        return;
    memmove(put->data + mark + n, put->data + mark, size);
    memcpy(put->data + mark, bytes, n);
}
