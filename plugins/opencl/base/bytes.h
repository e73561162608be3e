/* SPDX-License-Identifier: MIT */
/*
 * bytes.h - numbers and blocks of bytes, written to a sink and read back. Numbers are little-
 * endian. After a failure nothing more is written, and what is read is 0 or empty.
 */
#ifndef BP_OPENCL_BYTES_H
#define BP_OPENCL_BYTES_H

#include <stdbool.h>

#include <bp/sdk.h>

struct bp_opencl_writer {
    const bp_sink *sink;
    uint64_t sum; /* of all that was written, FNV-1a; begins as BP_OPENCL_SUM */
    bp_rc rc;
};

#define BP_OPENCL_SUM UINT64_C(0xcbf29ce484222325)

struct bp_opencl_reader {
    const char *data;
    size_t size, at;
    bool has_failed;
};

static inline uint64_t bp_opencl_sum(uint64_t sum, const void *bytes, size_t n)
{
    const unsigned char *at = bytes;

    for (size_t i = 0; i < n; i++)
        sum = (sum ^ at[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static inline void bp_opencl_put(struct bp_opencl_writer *w, const void *bytes, size_t n)
{
    if (w->rc < 0 || n == 0)
        return;
    w->sum = bp_opencl_sum(w->sum, bytes, n);
    w->rc = w->sink->write(w->sink->h, bytes, n);
}

static inline void bp_opencl_put_u64(struct bp_opencl_writer *w, uint64_t value)
{
    unsigned char bytes[8];

    for (uint32_t i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(value >> (8 * i));
    bp_opencl_put(w, bytes, sizeof bytes);
}

/* Bytes with their number before them. */
static inline void bp_opencl_put_block(struct bp_opencl_writer *w, const void *bytes, size_t n)
{
    bp_opencl_put_u64(w, n);
    bp_opencl_put(w, bytes, n);
}

static inline void bp_opencl_put_text(struct bp_opencl_writer *w, const char *text)
{
    bp_opencl_put_block(w, text, strlen(text) + 1);
}

static inline bp_span bp_opencl_get(struct bp_opencl_reader *r, uint64_t n)
{
    bp_span block = {0};

    if (r->has_failed || n > r->size - r->at) {
        r->has_failed = true;
        return block;
    }
    block = (bp_span){r->data + r->at, (size_t)n};
    r->at += (size_t)n;
    return block;
}

static inline uint64_t bp_opencl_get_u64(struct bp_opencl_reader *r)
{
    const bp_span bytes = bp_opencl_get(r, 8);
    uint64_t value = 0;

    for (uint32_t i = 0; i < bytes.size; i++)
        value |= (uint64_t)((const unsigned char *)bytes.data)[i] << (8 * i);
    return value;
}

/* A number of 32 bits; another one is a failure. */
static inline uint32_t bp_opencl_get_u32(struct bp_opencl_reader *r)
{
    uint64_t value = bp_opencl_get_u64(r);

    r->has_failed = r->has_failed || value > UINT32_MAX;
    return r->has_failed ? 0 : (uint32_t)value;
}

static inline bp_span bp_opencl_get_block(struct bp_opencl_reader *r)
{
    return bp_opencl_get(r, bp_opencl_get_u64(r));
}

/* "" after a failure, and where no NUL ends it. */
static inline const char *bp_opencl_get_text(struct bp_opencl_reader *r)
{
    bp_span block = bp_opencl_get_block(r);

    if (block.size == 0 || ((const char *)block.data)[block.size - 1] != '\0') {
        r->has_failed = true;
        return "";
    }
    return block.data;
}

#endif
