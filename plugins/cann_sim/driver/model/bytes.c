/* SPDX-License-Identifier: MIT */
/* bytes.c - writing and reading the bytes of models. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* ---- writing -------------------------------------------------------------------------------- */

static bool make_room(struct sim_bytes *bytes, size_t size)
{
    size_t capacity;
    unsigned char *more;

    if (bytes->failed || size > SIZE_MAX / 4 - bytes->size) {
        bytes->failed = true;
        return false;
    }
    if (bytes->size + size <= bytes->capacity)
        return true;
    capacity = 2 * (bytes->size + size) + 256;
    more = realloc(bytes->data, capacity);
    if (!more) {
        bytes->failed = true;
        return false;
    }
    bytes->data = more;
    bytes->capacity = capacity;
    return true;
}

void sim_put(struct sim_bytes *bytes, const void *data, size_t size)
{
    if (!make_room(bytes, size) || size == 0)
        return;
    memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void sim_put_number(struct sim_bytes *bytes, uint64_t number)
{
    unsigned char eight[8];

    for (int i = 0; i < 8; i++)
        eight[i] = (unsigned char)(number >> 8 * i & 0xff);
    sim_put(bytes, eight, sizeof eight);
}

void sim_put_block(struct sim_bytes *bytes, const void *data, size_t size)
{
    sim_put_number(bytes, size);
    sim_put(bytes, data, size);
}

void sim_put_text(struct sim_bytes *bytes, const char *text)
{
    sim_put_block(bytes, text, strlen(text) + 1);
}

void sim_put_desc(struct sim_bytes *bytes, const aclTensorDesc *desc)
{
    sim_put_number(bytes, (uint64_t)(int64_t)desc->type);
    sim_put_number(bytes, (uint64_t)(int64_t)desc->format);
    sim_put_number(bytes, desc->rank);
    for (size_t i = 0; i < desc->rank; i++)
        sim_put_number(bytes, (uint64_t)desc->dims[i]);
}

/* ---- reading -------------------------------------------------------------------------------- */

static const unsigned char *take(struct sim_reader *reader, size_t size)
{
    const unsigned char *at = reader->data + reader->at;

    if (reader->failed || size > reader->size - reader->at) {
        reader->failed = true;
        return NULL;
    }
    reader->at += size;
    return at;
}

uint64_t sim_take_number(struct sim_reader *reader)
{
    const unsigned char *at = take(reader, 8);
    uint64_t number = 0;

    for (int i = 0; at && i < 8; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

const void *sim_take_block(struct sim_reader *reader, size_t *size)
{
    uint64_t wanted = sim_take_number(reader);

    *size = 0;
    if (wanted > reader->size)
        reader->failed = true;
    if (reader->failed || wanted == 0)
        return NULL;
    *size = (size_t)wanted;
    return take(reader, *size);
}

const char *sim_take_text(struct sim_reader *reader)
{
    size_t size;
    const char *text = sim_take_block(reader, &size);

    if (!text || text[size - 1] != 0 || strlen(text) != size - 1) {
        reader->failed = true;
        return "";
    }
    return text;
}

/* FNV-1a: against a file that was cut or spoilt, not against malice. */
uint64_t sim_checksum(const void *data, size_t size)
{
    const unsigned char *bytes = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);

    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}
