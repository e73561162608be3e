/* SPDX-License-Identifier: MIT */
/*
 * wire.c - one pass over protobuf's wire format, with an explicit stack instead of recursion.
 *
 * A field is a varint tag (number << 3 | wire type) and a value: a varint, 8 bytes, a length and
 * bytes, or 4 bytes. Groups (types 3 and 4) don't exist in ONNX and are refused.
 */

#include "config.h"

#include "model/wire/wire.h"

#include <stdlib.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* A message that is being read. */
struct frame {
    const uint8_t *begin, *end;
    const uint8_t *tag; /* of the current field */
    enum bp_message_type type;
    uint32_t number; /* of that field; 0: none yet */
    uint32_t seen;   /* bit i: singular message field i was read */
    size_t slot;     /* in the copy: where the length goes */
    bool has_chunk;  /* the last chunk belongs to this tensor */
};

struct scanner {
    const uint8_t *bytes, *p;
    struct bp_wire *wire;
    uint32_t depth, n_messages;
    bp_err *err;
    struct frame frames[BP_WIRE_MAX_DEPTH];
};

/* A field's tag and the extent of its value. */
struct item {
    const struct bp_field *field;
    uint32_t number, wire_type;
    const uint8_t *value; /* after tag and length */
    size_t size;
};

/* Seven bits a byte, low bits first; ten bytes at most. */
const uint8_t *bp_wire_varint(const uint8_t *p, const uint8_t *end, uint64_t *out)
{
    uint64_t value = 0;

    for (unsigned shift = 0; shift < 70 && p < end; shift += 7) {
        uint8_t byte = *p++;

        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            *out = value;
            return p;
        }
    }
    return NULL;
}

/* ---- errors ---------------------------------------------------------------------------------- */

/*
 * The index of a frame's field in its list. Fields before it were checked, so this needs no checks.
 */
static uint32_t ordinal(const struct frame *frame)
{
    const uint8_t *p = frame->begin;
    uint32_t n = 0;

    while (p && p < frame->tag) {
        uint64_t tag = 0, size = 0;

        p = bp_wire_varint(p, frame->end, &tag);
        if (p && (tag & 7) == WIRE_VARINT)
            p = bp_wire_varint(p, frame->end, &size);
        else if (p && (tag & 7) == WIRE_BYTES)
            p = bp_wire_varint(p, frame->end, &size);
        if (p && (tag & 7) != WIRE_VARINT)
            p += (tag & 7) == WIRE_BYTES ? size : (tag & 7) == WIRE_FIXED64 ? 8 : 4;
        n += (tag >> 3) == frame->number;
    }
    return n;
}

/* The path of the current field: "graph.node[3].attribute[0].t.dims". */
static void describe_place(const struct scanner *s, char *buf, size_t cap)
{
    size_t len = (size_t)snprintf(buf, cap, "%s", bp_message_name(s->frames[0].type));

    for (uint32_t i = 0; i < s->depth && len < cap; i++) {
        const struct frame *frame = &s->frames[i];
        const struct bp_field *field = bp_field_find(frame->type, frame->number);

        if (frame->number == 0)
            break;
        if (field->kind == BP_FIELD_UNKNOWN)
            len += (size_t)snprintf(buf + len, cap - len, ".(%u)", frame->number);
        else if (field->is_list)
            len += (size_t)snprintf(buf + len, cap - len, ".%s[%u]", field->name, ordinal(frame));
        else
            len += (size_t)snprintf(buf + len, cap - len, ".%s", field->name);
    }
}

static bp_rc refuse(struct scanner *s, const char *fmt, ...) BP_PRINTF(2, 3);
/* All refusals are BP_E_INVALID with path and byte offset. */
static bp_rc refuse(struct scanner *s, const char *fmt, ...)
{
    char place[256], what[128];
    va_list args;

    describe_place(s, place, sizeof place);
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return bp_fail(s->err, BP_E_INVALID, "%s, byte %zu: %s", place, (size_t)(s->p - s->bytes),
                   what);
}

/* ---- the copy -------------------------------------------------------------------------------- */

/* Grows the copy; beyond BP_WIRE_MAX_STRUCTURE the file is refused. */
static bp_rc reserve(struct scanner *s, size_t n)
{
    struct bp_wire *wire = s->wire;
    size_t cap = wire->cap ? wire->cap : 4096;
    uint8_t *copy;

    if (n > BP_WIRE_MAX_STRUCTURE || wire->size > BP_WIRE_MAX_STRUCTURE - n)
        return refuse(s, "more than %d MiB of structure", BP_WIRE_MAX_STRUCTURE >> 20);
    if (wire->size + n <= wire->cap)
        return BP_OK;
    while (cap < wire->size + n)
        cap *= 2;
    copy = realloc(wire->copy, cap);
    if (!copy)
        return bp_fail_nomem(s->err, "the structure of the model");
    wire->copy = copy;
    wire->cap = cap;
    return BP_OK;
}

/* reserve() made space for it. */
static void put_varint(struct bp_wire *wire, uint64_t value)
{
    while (value >= 0x80) {
        wire->copy[wire->size++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    wire->copy[wire->size++] = (uint8_t)value;
}

static void put_bytes(struct bp_wire *wire, const void *bytes, size_t n)
{
    if (n > 0)
        memcpy(wire->copy + wire->size, bytes, n);
    wire->size += n;
}

/* Copies the tag, the length if the wire type has one, and the value. */
static bp_rc copy_item(struct scanner *s, const struct item *item)
{
    bp_rc rc = reserve(s, 5 + 10 + item->size);

    if (rc < 0)
        return rc;
    put_varint(s->wire, item->number << 3 | item->wire_type);
    if (item->wire_type == WIRE_BYTES)
        put_varint(s->wire, item->size);
    put_bytes(s->wire, item->value, item->size);
    return BP_OK;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* A length beyond the enclosing message is refused, so no read leaves the file. */
static bp_rc read_length(struct scanner *s, const uint8_t *end, size_t *out)
{
    uint64_t size;
    const uint8_t *p = bp_wire_varint(s->p, end, &size);

    if (!p)
        return refuse(s, "the length does not end");
    if (size > (size_t)(end - p))
        return refuse(s, "says %llu bytes where %zu are left", (unsigned long long)size,
                      (size_t)(end - p));
    s->p = p;
    *out = (size_t)size;
    return BP_OK;
}

/* Reads tag and length; s->p is after the value afterwards. */
static bp_rc read_item(struct scanner *s, struct frame *frame, struct item *item)
{
    uint64_t tag, ignored;
    const uint8_t *p = bp_wire_varint(s->p, frame->end, &tag);
    size_t left;
    bp_rc rc;

    frame->tag = s->p;
    frame->number = 0;
    if (!p || tag >> 3 == 0 || tag >> 3 >= 1u << 29)
        return refuse(s, "this is not a field");
    frame->number = (uint32_t)(tag >> 3);
    item->number = frame->number;
    item->wire_type = tag & 7;
    item->field = bp_field_find(frame->type, item->number);
    item->value = s->p = p;
    item->size = 0;
    left = (size_t)(frame->end - p);

    switch (item->wire_type) {
    case WIRE_VARINT:
        p = bp_wire_varint(p, frame->end, &ignored);
        if (!p)
            return refuse(s, "the number does not end");
        item->size = (size_t)(p - item->value);
        break;
    case WIRE_FIXED64:
    case WIRE_FIXED32:
        item->size = item->wire_type == WIRE_FIXED64 ? 8 : 4;
        if (item->size > left)
            return refuse(s, "%zu bytes are missing", item->size - left);
        break;
    case WIRE_BYTES:
        rc = read_length(s, frame->end, &item->size);
        if (rc < 0)
            return rc;
        item->value = s->p;
        break;
    default:
        return refuse(s, "wire type %u, which ONNX does not have", item->wire_type);
    }
    s->p = item->value + item->size;
    return BP_OK;
}

/* Do packed varints end exactly at the end of the field? */
static bool are_varints(const uint8_t *p, size_t size)
{
    const uint8_t *end = p + size;
    uint64_t ignored;

    while (p && p < end)
        p = bp_wire_varint(p, end, &ignored);
    return p != NULL;
}

/* The wire type doesn't fit the field's kind. */
static bp_rc refuse_type(struct scanner *s, const struct item *item)
{
    static const char *const names[] = {"a varint", "8 bytes", "bytes", "", "", "4 bytes"};

    return refuse(s, "holds %s, which is not its type", names[item->wire_type]);
}

/* Repeated scalars may be packed (proto3) or one field each (proto2): both are valid. */
static bp_rc read_scalar(struct scanner *s, const struct item *item, uint32_t wire_type)
{
    if (item->wire_type == WIRE_BYTES && item->field->is_list) {
        if (wire_type == WIRE_FIXED32 ? item->size % 4 != 0 : !are_varints(item->value, item->size))
            return refuse(s, "its %zu bytes are not a list of numbers", item->size);
    } else if (item->wire_type != wire_type) {
        return refuse_type(s, item);
    }
    return copy_item(s, item);
}

/* ---- tensor data ----------------------------------------------------------------------------- */

/*
 * A new row of the chunk table; the copy gets its index in a field of our own instead of the data.
 */
static bp_rc add_chunk(struct scanner *s, const struct bp_chunk *chunk)
{
    struct bp_wire *wire = s->wire;
    bp_rc rc = reserve(s, 10);

    if (rc < 0)
        return rc;
    if (wire->n_chunks == wire->cap_chunks) {
        size_t cap = wire->cap_chunks ? (size_t)wire->cap_chunks * 2 : 64;
        struct bp_chunk *chunks = realloc(wire->chunks, cap * sizeof *chunks);

        if (!chunks)
            return bp_fail_nomem(s->err, "the table of tensors");
        wire->chunks = chunks;
        wire->cap_chunks = (uint32_t)cap;
    }
    put_varint(wire, BP_TENSOR_CHUNK << 3 | WIRE_VARINT);
    put_varint(wire, wire->n_chunks);
    wire->chunks[wire->n_chunks++] = *chunk;
    return BP_OK;
}

/* Packed data is one chunk; its elements are checked when they are read. */
static bp_rc read_data(struct scanner *s, struct frame *frame, const struct item *item)
{
    static const uint8_t element[] = {
        [BP_FIELD_BYTES] = WIRE_BYTES,
        [BP_FIELD_FLOATS] = WIRE_FIXED32,
        [BP_FIELD_DOUBLES] = WIRE_FIXED64,
        [BP_FIELD_INTS] = WIRE_VARINT,
    };
    struct bp_chunk chunk = {item->value, item->size, item->number, false};
    struct bp_chunk *last;

    if (item->wire_type == WIRE_BYTES) {
        frame->has_chunk = true;
        return add_chunk(s, &chunk);
    }
    if (item->wire_type != element[item->field->kind])
        return refuse_type(s, item);

    /* an unpacked element with its tag: consecutive ones form one chunk */
    last = frame->has_chunk ? &s->wire->chunks[s->wire->n_chunks - 1] : NULL;
    if (last && last->is_tagged && last->field == item->number &&
        last->data + last->size == frame->tag) {
        last->size += (size_t)(s->p - frame->tag);
        return BP_OK;
    }
    chunk.data = frame->tag;
    chunk.size = (size_t)(s->p - frame->tag);
    chunk.is_tagged = true;
    frame->has_chunk = true;
    return add_chunk(s, &chunk);
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Starts a nested message; `slot` is where its length goes in the copy. */
static void push_frame(struct scanner *s, enum bp_message_type type, const uint8_t *begin,
                       size_t size, size_t slot)
{
    struct frame *frame = &s->frames[s->depth++];

    memset(frame, 0, sizeof *frame);
    frame->begin = begin;
    frame->end = begin + size;
    frame->type = type;
    frame->slot = slot;
    s->p = begin;
}

/* Depth and count are limited, because each message costs memory when it is unpacked. */
static bp_rc open_message(struct scanner *s, struct frame *frame, const struct item *item)
{
    size_t slot;
    bp_rc rc;

    if (item->wire_type != WIRE_BYTES)
        return refuse_type(s, item);
    if (s->depth == BP_WIRE_MAX_DEPTH)
        return refuse(s, "more than %d messages within each other", BP_WIRE_MAX_DEPTH);
    if (++s->n_messages > BP_WIRE_MAX_MESSAGES)
        return refuse(s, "more than %d messages", BP_WIRE_MAX_MESSAGES);
    if (!item->field->is_list) {
        if (frame->seen & 1u << item->number)
            return refuse(s, "comes twice");
        frame->seen |= 1u << item->number;
    }
    rc = reserve(s, 5 + BP_WIRE_LENGTH_BYTES);
    if (rc < 0)
        return rc;
    put_varint(s->wire, item->number << 3 | WIRE_BYTES);
    slot = s->wire->size;
    s->wire->size += BP_WIRE_LENGTH_BYTES;
    push_frame(s, item->field->type, item->value, item->size, slot);
    return BP_OK;
}

/* Fills in the length, padded to BP_WIRE_LENGTH_BYTES with continuation bits. */
static void close_message(struct scanner *s)
{
    const struct frame *frame = &s->frames[--s->depth];
    size_t size = s->wire->size - frame->slot - BP_WIRE_LENGTH_BYTES;
    uint8_t *slot;

    if (s->depth == 0)
        return;
    slot = s->wire->copy + frame->slot;
    for (int i = 0; i < BP_WIRE_LENGTH_BYTES; i++) {
        slot[i] = (uint8_t)((size & 0x7f) | (i < BP_WIRE_LENGTH_BYTES - 1 ? 0x80 : 0));
        size >>= 7;
    }
}

/* Unknown fields are skipped: they don't reach protobuf-c. */
static bp_rc read_field(struct scanner *s)
{
    struct frame *frame = &s->frames[s->depth - 1];
    struct item item;
    bp_rc rc = read_item(s, frame, &item);

    if (rc < 0)
        return rc;
    switch (item.field->kind) {
    case BP_FIELD_UNKNOWN:
        return BP_OK;
    case BP_FIELD_INT:
        return read_scalar(s, &item, WIRE_VARINT);
    case BP_FIELD_FLOAT:
        return read_scalar(s, &item, WIRE_FIXED32);
    case BP_FIELD_TEXT:
        return item.wire_type == WIRE_BYTES ? copy_item(s, &item) : refuse_type(s, &item);
    case BP_FIELD_MESSAGE:
        return open_message(s, frame, &item);
    case BP_FIELD_BYTES:
    case BP_FIELD_FLOATS:
    case BP_FIELD_DOUBLES:
    case BP_FIELD_INTS:
        return read_data(s, frame, &item);
    }
    return BP_OK;
}

/* Iterative: the frames are the stack, BP_WIRE_MAX_DEPTH of them. */
bp_rc bp_wire_scan(const void *bytes, size_t size, enum bp_message_type root, struct bp_wire *out,
                   bp_err *err)
{
    struct scanner s; /* its frames are set as they are used */
    bp_rc rc = BP_OK;

    if (size == 0)
        bytes = ""; /* arithmetic on NULL is undefined */
    s.bytes = bytes;
    s.wire = out;
    s.depth = s.n_messages = 0;
    s.err = err;
    push_frame(&s, root, bytes, size, 0);
    while (rc >= 0 && s.depth > 0) {
        if (s.p == s.frames[s.depth - 1].end)
            close_message(&s);
        else
            rc = read_field(&s);
    }
    if (rc < 0)
        bp_wire_finish(out);
    return rc;
}

void bp_wire_drop_copy(struct bp_wire *wire)
{
    free(wire->copy);
    wire->copy = NULL;
    wire->size = wire->cap = 0;
}

void bp_wire_finish(struct bp_wire *wire)
{
    bp_wire_drop_copy(wire);
    free(wire->chunks);
    memset(wire, 0, sizeof *wire);
}
