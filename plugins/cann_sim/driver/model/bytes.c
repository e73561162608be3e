/* SPDX-License-Identifier: MIT */
/* bytes.c - writing and reading the bytes of models: little-endian, whatever the machine. */
#include <stdlib.h>
#include <string.h>

#include "model/model.h"

/* ---- writing -------------------------------------------------------------------------------- */

/* Sizes near SIZE_MAX fail instead of wrapping around. */
static bool reserve(struct sim_writer *writer, size_t size)
{
    size_t capacity;
    unsigned char *more;

    if (writer->failed || size > SIZE_MAX / 4 - writer->size) {
        writer->failed = true;
        return false;
    }
    if (writer->size + size <= writer->capacity)
        return true;
    capacity = 2 * (writer->size + size) + 256;
    more = realloc(writer->data, capacity);
    if (!more) {
        writer->failed = true;
        return false;
    }
    writer->data = more;
    writer->capacity = capacity;
    return true;
}

void sim_write(struct sim_writer *writer, const void *data, size_t size)
{
    if (!reserve(writer, size) || size == 0)
        return;
    memcpy(writer->data + writer->size, data, size);
    writer->size += size;
}

/* Signed numbers are written as their two's complement. */
void sim_write_u64(struct sim_writer *writer, uint64_t number)
{
    unsigned char eight[8];

    for (int i = 0; i < 8; i++)
        eight[i] = (unsigned char)(number >> 8 * i & 0xff);
    sim_write(writer, eight, sizeof eight);
}

void sim_write_block(struct sim_writer *writer, const void *data, size_t size)
{
    sim_write_u64(writer, size);
    sim_write(writer, data, size);
}

void sim_write_string(struct sim_writer *writer, const char *text)
{
    sim_write_block(writer, text, strlen(text) + 1);
}

void sim_write_desc(struct sim_writer *writer, const aclTensorDesc *desc)
{
    sim_write_u64(writer, (uint64_t)(int64_t)desc->type);
    sim_write_u64(writer, (uint64_t)(int64_t)desc->format);
    sim_write_u64(writer, desc->rank);
    for (size_t i = 0; i < desc->rank; i++)
        sim_write_u64(writer, (uint64_t)desc->dims[i]);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* The next `size` bytes, or a failure that lasts. */
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

uint64_t sim_read_u64(struct sim_reader *reader)
{
    const unsigned char *at = take(reader, 8);
    uint64_t number = 0;

    for (int i = 0; at && i < 8; i++)
        number |= (uint64_t)at[i] << 8 * i;
    return number;
}

/* A length from a file is held against what there is before it is used. */
const void *sim_read_block(struct sim_reader *reader, size_t *size)
{
    uint64_t wanted = sim_read_u64(reader);

    *size = 0;
    if (wanted > reader->size)
        reader->failed = true;
    if (reader->failed || wanted == 0)
        return NULL;
    *size = (size_t)wanted;
    return take(reader, *size);
}

const char *sim_read_string(struct sim_reader *reader)
{
    size_t size;
    const char *text = sim_read_block(reader, &size);

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
