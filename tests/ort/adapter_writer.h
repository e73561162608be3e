/* SPDX-License-Identifier: MIT */
/*
 * adapter_writer.h - writes files of LoRA adapters, sound and unsound ones.
 *
 *     static const struct parameter p = {"B", dims, 2, FLOAT, weights, sizeof weights};
 *     struct buffer b = adapter_file(&p, 1, 1);
 *     ... b.data, b.n ...
 */
#ifndef BP_TESTS_ORT_ADAPTER_WRITER_H
#define BP_TESTS_ORT_ADAPTER_WRITER_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A FlatBuffer written from front to back, so that offsets are patched once their target is there. */
struct buffer {
    uint8_t data[1024];
    size_t n;
};

static inline void put(struct buffer *b, const void *bytes, size_t n)
{
    if (n > sizeof b->data - b->n)
        abort();
    memcpy(b->data + b->n, bytes, n);
    b->n += n;
}

static inline size_t put32(struct buffer *b, uint32_t value)
{
    put(b, &value, sizeof value);
    return b->n - sizeof value;
}

/* Zeroes until `ahead` bytes from here is a multiple of 8. */
static inline void pad(struct buffer *b, size_t ahead)
{
    while ((b->n + ahead) % 8 != 0)
        put(b, "", 1);
}

static inline void point(struct buffer *b, size_t from)
{
    uint32_t distance = (uint32_t)(b->n - from);

    memcpy(b->data + from, &distance, sizeof distance);
}

/* The fields of a table with four of them, then its beginning. Gives where the first field is. */
static inline size_t put_table(struct buffer *b, size_t pointed_from)
{
    static const uint16_t fields[] = {12, 20, 4, 8, 12, 16};

    put(b, fields, sizeof fields);
    point(b, pointed_from);
    put32(b, sizeof fields);
    for (int i = 0; i < 4; i++)
        put32(b, 0);
    return b->n - 16;
}

static inline void set32(struct buffer *b, size_t at, uint32_t value)
{
    memcpy(b->data + at, &value, sizeof value);
}

struct parameter {
    const char *name;
    const int64_t *dims;
    uint32_t n_dims, type;
    const void *bytes;
    uint32_t n_bytes;
};

static inline void put_parameter(struct buffer *b, size_t pointed_from, const struct parameter *p)
{
    size_t table;

    pad(b, 0);
    table = put_table(b, pointed_from);
    set32(b, table + 8, p->type);
    point(b, table);
    put32(b, (uint32_t)strlen(p->name));
    put(b, p->name, strlen(p->name) + 1);
    pad(b, 4);
    point(b, table + 4);
    put32(b, p->n_dims);
    put(b, p->dims, p->n_dims * sizeof *p->dims);
    pad(b, 4);
    point(b, table + 12);
    put32(b, p->n_bytes);
    put(b, p->bytes, p->n_bytes);
}

static inline struct buffer adapter_file(const struct parameter *parameters, uint32_t n,
                                         uint32_t version)
{
    struct buffer b = {.n = 0};
    size_t table, list;

    put32(&b, 0);
    put(&b, "TORT", 4);
    table = put_table(&b, 0);
    set32(&b, table, version);
    set32(&b, table + 4, 1);
    set32(&b, table + 8, 1);
    point(&b, table + 12);
    put32(&b, n);
    list = b.n;
    for (uint32_t i = 0; i < n; i++)
        put32(&b, 0);
    for (uint32_t i = 0; i < n; i++)
        put_parameter(&b, list + 4 * i, &parameters[i]);
    return b;
}

#endif
