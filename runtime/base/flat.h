/* SPDX-License-Identifier: MIT */
/*
 * flat.h - reads FlatBuffers from files that may be hostile: each offset, table, list and string is
 * checked against the buffer before it is used. Numbers are little-endian and may have any
 * alignment. Errors are BP_E_INVALID and name the field and the byte.
 */
#ifndef BP_BASE_FLAT_H
#define BP_BASE_FLAT_H

#include "base/status.h"

/* Borrowed bytes; everything that is read points into them. */
struct bp_flat {
    const uint8_t *bytes;
    size_t size;
};

/* A field of a table: its place in the schema, and its name for errors ("Graph.nodes"). */
struct bp_flat_field {
    uint16_t number;
    const char *name;
};

/* The list of a table's fields (vtable) is checked when the table is found. */
struct bp_flat_table {
    const struct bp_flat *flat; /* NULL: the field that would hold it is left out */
    uint32_t at;                /* byte in the buffer */
    uint32_t fields, n_fields;  /* where the offsets of its fields are, two bytes each */
    uint32_t size;
};

struct bp_flat_list {
    const struct bp_flat *flat;
    const uint8_t *bytes; /* the first item; never NULL */
    uint32_t at, n;
    const char *name; /* of its field */
};

/* Does the buffer have this file identifier (four bytes, at byte 4)? */
bool bp_flat_is(const void *bytes, size_t size, const char *identifier);
/* The root table; `flat` is set and must outlive what is read from it. */
bp_rc bp_flat_open(const void *bytes, size_t size, struct bp_flat *flat, struct bp_flat_table *out,
                   bp_err *err) BP_CHECKED;

/* Numbers; `def` where the field is left out. */
bp_rc bp_flat_u8(const struct bp_flat_table *table, const struct bp_flat_field *field, uint8_t def,
                 uint8_t *out, bp_err *err) BP_CHECKED;
bp_rc bp_flat_i32(const struct bp_flat_table *table, const struct bp_flat_field *field, int32_t def,
                  int32_t *out, bp_err *err) BP_CHECKED;
bp_rc bp_flat_i64(const struct bp_flat_table *table, const struct bp_flat_field *field, int64_t def,
                  int64_t *out, bp_err *err) BP_CHECKED;
bp_rc bp_flat_f32(const struct bp_flat_table *table, const struct bp_flat_field *field, float def,
                  float *out, bp_err *err) BP_CHECKED;
/* A string, which a NUL follows; data is NULL where the field is left out. */
bp_rc bp_flat_text(const struct bp_flat_table *table, const struct bp_flat_field *field,
                   bp_span *out, bp_err *err) BP_CHECKED;
bp_rc bp_flat_child(const struct bp_flat_table *table, const struct bp_flat_field *field,
                    struct bp_flat_table *out, bp_err *err) BP_CHECKED;
/* A list of items of `width` bytes: numbers, or the four bytes of a string's or table's offset. */
bp_rc bp_flat_list(const struct bp_flat_table *table, const struct bp_flat_field *field,
                   uint32_t width, struct bp_flat_list *out, bp_err *err) BP_CHECKED;

/* Item i < n of a list of numbers, */
int64_t bp_flat_item_i64(const struct bp_flat_list *list, uint32_t i);
float bp_flat_item_f32(const struct bp_flat_list *list, uint32_t i);
/* of strings, and of tables. */
bp_rc bp_flat_item_text(const struct bp_flat_list *list, uint32_t i, bp_span *out,
                        bp_err *err) BP_CHECKED;
bp_rc bp_flat_item_child(const struct bp_flat_list *list, uint32_t i, struct bp_flat_table *out,
                         bp_err *err) BP_CHECKED;

#endif
