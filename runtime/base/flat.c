/* SPDX-License-Identifier: MIT */
/*
 * flat.c - reads FlatBuffers. A table begins with the signed distance back to its vtable, which has
 * its own length, the table's length, and for each field its offset in the table, or 0 if the field
 * is absent. Fields refer to strings, lists and tables by unsigned distances forward.
 */

#include "config.h"

#include "base/flat.h"

#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "needs a little-endian machine");

enum { OFFSET = 4, VTABLE_HEAD = 4, IDENTIFIER_AT = 4, LEAST = 8 };

static uint32_t load32(const uint8_t *bytes)
{
    uint32_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

static uint32_t load16(const uint8_t *bytes)
{
    uint16_t value;

    memcpy(&value, bytes, sizeof value);
    return value;
}

/* Are there n bytes at `at`? */
static bool has(const struct bp_flat *flat, uint64_t at, uint64_t n)
{
    return at <= flat->size && n <= flat->size - at;
}

/* ---- tables ---------------------------------------------------------------------------------- */

/*
 * The distance to the vtable is signed and subtracted, so that several tables can share one vtable
 * (FlatBuffers, "Internals").
 */
static bp_rc find_table(const struct bp_flat *flat, uint64_t at, const char *name,
                        struct bp_flat_table *out, bp_err *err)
{
    int64_t fields;
    uint32_t length;

    if (!has(flat, at, OFFSET))
        return bp_fail(err, BP_E_INVALID, "%s: its table is at byte %llu of %zu", name,
                       (unsigned long long)at, flat->size);
    fields = (int64_t)at - (int32_t)load32(flat->bytes + at);
    if (fields < 0 || !has(flat, (uint64_t)fields, VTABLE_HEAD))
        return bp_fail(err, BP_E_INVALID,
                       "%s: the list of fields of its table is at byte %lld of %zu", name,
                       (long long)fields, flat->size);
    length = load16(flat->bytes + fields);
    if (length < VTABLE_HEAD || length % 2 != 0 || !has(flat, (uint64_t)fields, length))
        return bp_fail(err, BP_E_INVALID,
                       "%s: the list of fields at byte %lld has %u bytes, the buffer has %zu", name,
                       (long long)fields, length, flat->size);
    *out = (struct bp_flat_table){.flat = flat,
                                  .at = (uint32_t)at,
                                  .fields = (uint32_t)fields + VTABLE_HEAD,
                                  .n_fields = (length - VTABLE_HEAD) / 2,
                                  .size = load16(flat->bytes + fields + 2)};
    if (out->size < OFFSET || !has(flat, at, out->size))
        return bp_fail(err, BP_E_INVALID, "%s: the table at byte %llu has %u bytes, the buffer %zu",
                       name, (unsigned long long)at, out->size, flat->size);
    return BP_OK;
}

bool bp_flat_is(const void *bytes, size_t size, const char *identifier)
{
    return size >= LEAST && memcmp((const uint8_t *)bytes + IDENTIFIER_AT, identifier, 4) == 0;
}

bp_rc bp_flat_open(const void *bytes, size_t size, struct bp_flat *flat, struct bp_flat_table *out,
                   bp_err *err)
{
    *flat = (struct bp_flat){bytes, size};
    if (size < LEAST)
        return bp_fail(err, BP_E_INVALID, "it has %zu bytes, and the head alone has %d", size,
                       (int)LEAST);
    if (size > INT32_MAX) /* offsets reach no further */
        return bp_fail(err, BP_E_INVALID, "it has %zu bytes, and FlatBuffers end at 2 GiB", size);
    return find_table(flat, load32(flat->bytes), "the root", out, err);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/*
 * Finds the `width` bytes of a field; *out is 0 if it is absent. A field beyond the vtable is
 * absent too: the writer's schema was older.
 */
static bp_rc find(const struct bp_flat_table *table, const struct bp_flat_field *field,
                  uint32_t width, uint32_t *out, bp_err *err)
{
    uint32_t offset = 0;

    *out = 0;
    if (field->number < table->n_fields)
        offset = load16(table->flat->bytes + table->fields + 2u * field->number);
    if (offset == 0)
        return BP_OK;
    if (offset < OFFSET || offset > table->size || width > table->size - offset)
        return bp_fail(err, BP_E_INVALID, "%s: it is at %u of the %u bytes of the table at byte %u",
                       field->name, offset, table->size, table->at);
    *out = table->at + offset;
    return BP_OK;
}

static bp_rc find_number(const struct bp_flat_table *table, const struct bp_flat_field *field,
                         uint32_t width, void *out, bp_err *err)
{
    uint32_t at;
    bp_rc rc = find(table, field, width, &at, err);

    if (rc >= 0 && at > 0)
        memcpy(out, table->flat->bytes + at, width);
    return rc;
}

bp_rc bp_flat_u8(const struct bp_flat_table *table, const struct bp_flat_field *field, uint8_t def,
                 uint8_t *out, bp_err *err)
{
    *out = def;
    return find_number(table, field, sizeof *out, out, err);
}

bp_rc bp_flat_i32(const struct bp_flat_table *table, const struct bp_flat_field *field, int32_t def,
                  int32_t *out, bp_err *err)
{
    *out = def;
    return find_number(table, field, sizeof *out, out, err);
}

bp_rc bp_flat_i64(const struct bp_flat_table *table, const struct bp_flat_field *field, int64_t def,
                  int64_t *out, bp_err *err)
{
    *out = def;
    return find_number(table, field, sizeof *out, out, err);
}

bp_rc bp_flat_f32(const struct bp_flat_table *table, const struct bp_flat_field *field, float def,
                  float *out, bp_err *err)
{
    *out = def;
    return find_number(table, field, sizeof *out, out, err);
}

/*
 * The target of the offset at byte `at`, which lies in the buffer. The sum may exceed 4 GiB, hence
 * 64 bits; callers check it against the buffer.
 */
static uint64_t follow(const struct bp_flat *flat, uint32_t at)
{
    return (uint64_t)at + load32(flat->bytes + at);
}

/* A list at `at`, followed by `n_behind` bytes, such as a string's NUL. */
static bp_rc find_list(const struct bp_flat *flat, uint64_t at, uint32_t width, uint32_t n_behind,
                       const char *name, struct bp_flat_list *out, bp_err *err)
{
    uint32_t n;

    if (!has(flat, at, OFFSET))
        return bp_fail(err, BP_E_INVALID, "%s: it is at byte %llu of %zu", name,
                       (unsigned long long)at, flat->size);
    n = load32(flat->bytes + at);
    if (!has(flat, at + OFFSET, (uint64_t)n * width + n_behind))
        return bp_fail(err, BP_E_INVALID,
                       "%s: it has %u items of %u bytes at byte %llu, the buffer ends at %zu", name,
                       n, width, (unsigned long long)at, flat->size);
    *out = (struct bp_flat_list){flat, flat->bytes + at + OFFSET, (uint32_t)at + OFFSET, n, name};
    return BP_OK;
}

/* The NUL after a string is not counted in its length, but has to be there. */
static bp_rc find_text(const struct bp_flat *flat, uint64_t at, const char *name, bp_span *out,
                       bp_err *err)
{
    struct bp_flat_list list;
    bp_rc rc = find_list(flat, at, 1, 1, name, &list, err);

    if (rc < 0)
        return rc;
    if (list.bytes[list.n] != 0)
        return bp_fail(err, BP_E_INVALID, "%s: the string at byte %u does not end with a NUL", name,
                       list.at);
    *out = (bp_span){list.bytes, list.n};
    return BP_OK;
}

bp_rc bp_flat_text(const struct bp_flat_table *table, const struct bp_flat_field *field,
                   bp_span *out, bp_err *err)
{
    uint32_t at;
    bp_rc rc = find(table, field, OFFSET, &at, err);

    *out = (bp_span){NULL, 0};
    if (rc < 0 || at == 0)
        return rc;
    return find_text(table->flat, follow(table->flat, at), field->name, out, err);
}

bp_rc bp_flat_child(const struct bp_flat_table *table, const struct bp_flat_field *field,
                    struct bp_flat_table *out, bp_err *err)
{
    uint32_t at;
    bp_rc rc = find(table, field, OFFSET, &at, err);

    *out = (struct bp_flat_table){0};
    if (rc < 0 || at == 0)
        return rc;
    return find_table(table->flat, follow(table->flat, at), field->name, out, err);
}

/* A field that is left out gives an empty list, never NULL bytes. */
bp_rc bp_flat_list(const struct bp_flat_table *table, const struct bp_flat_field *field,
                   uint32_t width, struct bp_flat_list *out, bp_err *err)
{
    uint32_t at;
    bp_rc rc = find(table, field, OFFSET, &at, err);

    *out = (struct bp_flat_list){table->flat, table->flat->bytes, 0, 0, field->name};
    if (rc < 0 || at == 0)
        return rc;
    return find_list(table->flat, follow(table->flat, at), width, 0, field->name, out, err);
}

/* ---- items ----------------------------------------------------------------------------------- */

/* memcpy(), because the buffer may have any alignment. */
int64_t bp_flat_item_i64(const struct bp_flat_list *list, uint32_t i)
{
    int64_t value;

    memcpy(&value, list->bytes + (size_t)i * sizeof value, sizeof value);
    return value;
}

float bp_flat_item_f32(const struct bp_flat_list *list, uint32_t i)
{
    float value;

    memcpy(&value, list->bytes + (size_t)i * sizeof value, sizeof value);
    return value;
}

bp_rc bp_flat_item_text(const struct bp_flat_list *list, uint32_t i, bp_span *out, bp_err *err)
{
    return find_text(list->flat, follow(list->flat, list->at + i * OFFSET), list->name, out, err);
}

bp_rc bp_flat_item_child(const struct bp_flat_list *list, uint32_t i, struct bp_flat_table *out,
                         bp_err *err)
{
    return find_table(list->flat, follow(list->flat, list->at + i * OFFSET), list->name, out, err);
}
