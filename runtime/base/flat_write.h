/* SPDX-License-Identifier: MIT */
/*
 * flat_write.h - writes FlatBuffers from front to back: what a field refers to comes after the
 * table that has it. Large data is not copied: it comes last and is written from where it lies.
 *
 *     struct bp_flat_slot name = {.number = 0, .width = 4};
 *     bp_flat_put_table(&out, 0, &name, 1);     // the root
 *     bp_flat_put_text(&out, name.at, "x", 1);  // its field 0
 */
#ifndef BP_BASE_FLAT_WRITE_H
#define BP_BASE_FLAT_WRITE_H

#include "base/status.h"

/* Data that a list of bytes has, of which the field is at `at`. */
struct bp_flat_blob {
    const void *bytes;
    size_t size;
    uint32_t at;
};

/* Start from {0}, then bp_flat_begin(). After a failed allocation `failed` stays set. */
struct bp_flat_out {
    uint8_t *data;
    size_t size, cap;
    struct bp_flat_blob *blobs;
    size_t n_blobs, cap_blobs;
    bool failed;
};

/* A field of a table that is being written. */
struct bp_flat_slot {
    uint16_t number;
    uint16_t width; /* 1, 4 or 8 bytes; 4 for what comes by offset */
    uint32_t at;    /* set: where the field is, to put there what it refers to */
    uint64_t value; /* of a number */
};

void bp_flat_begin(struct bp_flat_out *out, const char *identifier);
/* A table that the offset at `at` (0: the root's) refers to, with n <= 16 fields. */
void bp_flat_put_table(struct bp_flat_out *out, uint32_t at, struct bp_flat_slot *slots,
                       uint32_t n);
void bp_flat_put_text(struct bp_flat_out *out, uint32_t at, const void *text, size_t n);
/* A list of n items of `width` bytes (4 or 8), zeroes; returns where the first is. */
uint32_t bp_flat_put_list(struct bp_flat_out *out, uint32_t at, size_t n, uint32_t width);
/* Writes an item of a list of numbers. */
void bp_flat_set(struct bp_flat_out *out, uint32_t at, const void *bytes, size_t n);
/* A list of bytes, which must live until the end. */
void bp_flat_put_blob(struct bp_flat_out *out, uint32_t at, const void *bytes, size_t n);

/*
 * Ends the buffer: calls `begin` (may be NULL) with its size, then `write` with consecutive parts.
 * BP_E_INVALID: it would exceed 2 GiB, the limit of FlatBuffers.
 */
bp_rc bp_flat_end(struct bp_flat_out *out, bp_rc (*begin)(void *user, uint64_t size, bp_err *err),
                  bp_rc (*write)(void *user, const void *bytes, size_t size, bp_err *err),
                  void *user, bp_err *err) BP_CHECKED;
void bp_flat_finish(struct bp_flat_out *out);

#endif
