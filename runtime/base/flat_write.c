/* SPDX-License-Identifier: MIT */
/* flat_write.c - FlatBuffers, the writing half; see flat.c for the format. */

#include "config.h"

#include "base/flat_write.h"

#include <stdlib.h>
#include <string.h>

enum {
    OFFSET = 4,
    MAX_SLOTS = 16,
    MAX_FIELDS = 16,
    LARGE = 1024,     /* bytes; data of that size and more is aligned to LARGE_ALIGN */
    LARGE_ALIGN = 64, /* for vector instructions */
    SMALL_ALIGN = 16  /* for smaller data */
};

/*
 * Appends n zero bytes and returns their offset. After a failure it returns 0 and appends nothing,
 * so one test of `failed` at the end is enough. The limit is INT32_MAX, because some offsets are
 * signed.
 */
static uint32_t take(struct bp_flat_out *out, size_t n)
{
    size_t at = out->size, cap = out->cap;

    if (out->failed || n > INT32_MAX || at + n > INT32_MAX) {
        out->failed = true;
        return 0;
    }
    while (cap < at + n)
        cap = cap ? cap * 2 : 1024;
    if (cap > out->cap) {
        uint8_t *data = realloc(out->data, cap);

        if (!data) {
            out->failed = true;
            return 0;
        }
        out->data = data;
        out->cap = cap;
    }
    memset(out->data + at, 0, n);
    out->size = at + n;
    return (uint32_t)at;
}

void bp_flat_set(struct bp_flat_out *out, uint32_t at, const void *bytes, size_t n)
{
    if (!out->failed && n > 0)
        memcpy(out->data + at, bytes, n);
}

/* Pads so that the byte `ahead` bytes after the next one lies at a multiple of `align`. */
static void pad(struct bp_flat_out *out, size_t ahead, size_t align)
{
    size_t rest = (out->size + ahead) % align;

    if (rest > 0)
        take(out, align - rest);
}

/* The offset at `at` refers to what comes next. */
static void link_next(struct bp_flat_out *out, uint32_t at)
{
    uint32_t distance = (uint32_t)out->size - at;

    bp_flat_set(out, at, &distance, sizeof distance);
}

void bp_flat_begin(struct bp_flat_out *out, const char *identifier)
{
    uint32_t at = take(out, 2 * OFFSET);

    bp_flat_set(out, at + OFFSET, identifier, OFFSET);
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* Widest first, so that none needs padding. */
static uint32_t lay_out(struct bp_flat_slot *slots, uint32_t n)
{
    static const uint16_t widths[] = {8, 4, 1};
    uint32_t size = OFFSET;

    for (uint32_t w = 0; w < 3; w++) {
        for (uint32_t i = 0; i < n; i++) {
            if (slots[i].width != widths[w])
                continue;
            if (w == 0 && size == OFFSET)
                size = 8; /* the table begins at a multiple of 8 then */
            slots[i].at = size;
            size += slots[i].width;
        }
    }
    return size;
}

/*
 * The vtable goes before its table, padded so that the table begins at a multiple of 8 wherever it
 * has a field of 8 bytes.
 */
void bp_flat_put_table(struct bp_flat_out *out, uint32_t at, struct bp_flat_slot *slots, uint32_t n)
{
    uint16_t fields[2 + MAX_FIELDS] = {0};
    uint32_t n_fields = 0, size, start, table;
    int32_t back;

    if (n > MAX_SLOTS) {
        out->failed = true;
        return;
    }
    size = lay_out(slots, n);
    for (uint32_t i = 0; i < n; i++) {
        if (slots[i].number >= MAX_FIELDS) {
            out->failed = true;
            return;
        }
        fields[2 + slots[i].number] = (uint16_t)slots[i].at;
        if (slots[i].number >= n_fields)
            n_fields = slots[i].number + 1u;
    }
    fields[0] = (uint16_t)((2 + n_fields) * sizeof *fields);
    fields[1] = (uint16_t)size;
    pad(out, fields[0], 8);
    start = take(out, fields[0]);
    bp_flat_set(out, start, fields, fields[0]);
    link_next(out, at);
    table = take(out, size);
    back = (int32_t)(table - start);
    bp_flat_set(out, table, &back, sizeof back);
    for (uint32_t i = 0; i < n; i++) {
        slots[i].at += table;
        bp_flat_set(out, slots[i].at, &slots[i].value, slots[i].width);
    }
}

/* ---- strings and lists ----------------------------------------------------------------------- */

void bp_flat_put_text(struct bp_flat_out *out, uint32_t at, const void *text, size_t n)
{
    uint32_t length = (uint32_t)n, start;

    pad(out, 0, OFFSET);
    link_next(out, at);
    start = take(out, n > INT32_MAX ? n : OFFSET + n + 1);
    bp_flat_set(out, start, &length, sizeof length);
    bp_flat_set(out, start + OFFSET, text, n);
}

uint32_t bp_flat_put_list(struct bp_flat_out *out, uint32_t at, size_t n, uint32_t width)
{
    uint32_t length = (uint32_t)n, start;
    size_t size;

    pad(out, OFFSET, width < OFFSET ? OFFSET : width);
    link_next(out, at);
    if (!bp_mul_size(n, width, &size) || size > INT32_MAX)
        size = (size_t)INT32_MAX + 1; /* which fails */
    start = take(out, size > INT32_MAX ? size : OFFSET + size);
    bp_flat_set(out, start, &length, sizeof length);
    return start + OFFSET;
}

/*
 * Large data goes last, so that the offsets of all else stay small; until then the pointer is
 * borrowed.
 */
void bp_flat_put_blob(struct bp_flat_out *out, uint32_t at, const void *bytes, size_t n)
{
    if (out->n_blobs == out->cap_blobs) {
        size_t cap = out->cap_blobs ? out->cap_blobs * 2 : 64;
        struct bp_flat_blob *blobs = realloc(out->blobs, cap * sizeof *blobs);

        if (!blobs) {
            out->failed = true;
            return;
        }
        out->blobs = blobs;
        out->cap_blobs = cap;
    }
    out->blobs[out->n_blobs++] = (struct bp_flat_blob){bytes, n, at};
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Zeroes between `at`, where the last part ended, and the length before the blob. */
static uint64_t gap(uint64_t at, const struct bp_flat_blob *blob)
{
    uint64_t align = blob->size >= LARGE ? LARGE_ALIGN : SMALL_ALIGN;

    return (align - (at + OFFSET) % align) % align;
}

/* Sets the offsets of fields that refer to blobs; returns the total size, 0: over the limit. */
static uint64_t place_blobs(struct bp_flat_out *out)
{
    uint64_t at = out->size;

    for (size_t i = 0; i < out->n_blobs; i++) {
        const struct bp_flat_blob *blob = &out->blobs[i];
        uint32_t distance;

        at += gap(at, blob);
        if (blob->size > INT32_MAX || at > INT32_MAX)
            return 0;
        distance = (uint32_t)at - blob->at;
        bp_flat_set(out, blob->at, &distance, sizeof distance);
        at += OFFSET + blob->size;
    }
    return at <= INT32_MAX ? at : 0;
}

static bp_rc write_blob(const struct bp_flat_blob *blob, uint64_t at,
                        bp_rc (*write)(void *user, const void *bytes, size_t size, bp_err *err),
                        void *user, bp_err *err)
{
    uint8_t head[LARGE_ALIGN + OFFSET] = {0};
    uint32_t length = (uint32_t)blob->size;
    size_t n = (size_t)gap(at, blob);
    bp_rc rc;

    memcpy(head + n, &length, sizeof length);
    rc = write(user, head, n + OFFSET, err);
    return rc >= 0 && blob->size > 0 ? write(user, blob->bytes, blob->size, err) : rc;
}

bp_rc bp_flat_end(struct bp_flat_out *out, bp_rc (*begin)(void *user, uint64_t size, bp_err *err),
                  bp_rc (*write)(void *user, const void *bytes, size_t size, bp_err *err),
                  void *user, bp_err *err)
{
    uint64_t at = out->size, size = out->failed ? 0 : place_blobs(out);
    bp_rc rc = BP_OK;

    if (out->failed)
        return bp_fail_nomem(err, "the written file");
    if (size == 0)
        return bp_fail(err, BP_E_INVALID, "the file would be over 2 GiB, where FlatBuffers end");
    if (begin)
        rc = begin(user, size, err);
    if (rc >= 0)
        rc = write(user, out->data, out->size, err);
    for (size_t i = 0; i < out->n_blobs && rc >= 0; i++) {
        rc = write_blob(&out->blobs[i], at, write, user, err);
        at += gap(at, &out->blobs[i]) + OFFSET + out->blobs[i].size;
    }
    return rc < 0 ? bp_err_complete(err, rc) : rc;
}

void bp_flat_finish(struct bp_flat_out *out)
{
    free(out->data);
    free(out->blobs);
    *out = (struct bp_flat_out){0};
}
