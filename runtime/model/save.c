/* SPDX-License-Identifier: MIT */
/*
 * save.c - writes a model as bytes, with its initializers inside or in other files.
 *
 * The opened bytes are copied field by field, unknown fields too; only tensors whose data moves are
 * encoded anew, and the lengths of the messages around them. The result is a list of pieces that
 * point at existing bytes, so that weights are not copied before they are written.
 */

#include "config.h"

#include "model/save.h"

#include <stdlib.h>

#include "model/ort_format/write.h"
#include "model/sink.h"
#include "model/wire/wire.h"

enum {
    GRAPH_FIELD = 7,
    OPSET_FIELD = 8,
    INITIALIZER_FIELD = 5,
    INPUT_FIELD = 11,
    OUTPUT_FIELD = 12
};

/* ---- pieces ---------------------------------------------------------------------------------- */

/* Pieces grow by doubling. */
bp_rc bp_save_push(struct bp_saver *s, const void *bytes, size_t n)
{
    if (s->n_pieces == s->cap_pieces) {
        size_t cap = s->cap_pieces ? s->cap_pieces * 2 : 64;
        bp_span *pieces = realloc(s->pieces, cap * sizeof *pieces);

        if (!pieces)
            return bp_fail_nomem(s->err, "the saved model");
        s->pieces = pieces;
        s->cap_pieces = cap;
    }
    s->pieces[s->n_pieces++] = (bp_span){bytes, n};
    s->size += n;
    return BP_OK;
}

/* Bytes that follow the last piece directly make it longer, so an unchanged model is one piece. */
bp_rc bp_save_add(struct bp_saver *s, const void *bytes, size_t n)
{
    bp_span *last = s->n_pieces > 0 ? &s->pieces[s->n_pieces - 1] : NULL;

    if (n == 0)
        return BP_OK;
    if (!last || (const uint8_t *)last->data + last->size != (const uint8_t *)bytes)
        return bp_save_push(s, bytes, n);
    last->size += n;
    s->size += n;
    return BP_OK;
}

/* Base 128, low bits first; bit 7 says that another byte follows. */
static size_t put_varint(uint8_t *to, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        to[n++] = (uint8_t)(value | 0x80);
    to[n++] = (uint8_t)value;
    return n;
}

/* Wire type 2: a length, then bytes. */
size_t bp_save_head(uint8_t *to, uint32_t field, uint64_t size)
{
    size_t n = put_varint(to, field << 3 | 2);

    return n + put_varint(to + n, size);
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* Wire types: 0 varint, 1 eight bytes, 2 length and bytes, 5 four bytes. */
const uint8_t *bp_save_next(const uint8_t *p, const uint8_t *end, struct bp_part *out)
{
    uint64_t value = 0;

    out->begin = p;
    p = bp_wire_varint(p, end, &value);
    out->number = (uint32_t)(value >> 3);
    out->wire_type = value & 7;
    out->content = p;
    if (out->wire_type == 0) {
        p = bp_wire_varint(p, end, &value);
    } else if (out->wire_type == 2) {
        p = bp_wire_varint(p, end, &value);
        out->content = p;
        p += value;
    } else {
        p += out->wire_type == 1 ? 8 : 4;
    }
    out->end = p;
    return p;
}

/* ---- messages -------------------------------------------------------------------------------- */

static bp_rc copy_fields(struct bp_saver *s, enum bp_message_type type, const uint8_t *begin,
                         const uint8_t *end, bool *changed);

/* Only messages of these types can contain a tensor; all others are copied as they are. */
static bool may_hold_tensors(const struct bp_field *field)
{
    return field->kind == BP_FIELD_MESSAGE &&
           (field->type == BP_MSG_ATTRIBUTE || field->type == BP_MSG_FUNCTION ||
            field->type == BP_MSG_GRAPH || field->type == BP_MSG_NODE ||
            field->type == BP_MSG_SPARSE || field->type == BP_MSG_TENSOR);
}

/* The main graph: the model's fields, then those that edits add. */
static bp_rc copy_main(struct bp_saver *s, const struct bp_part *part, bool *changed)
{
    const struct bp_onnx *onnx = s->onnx;
    bp_rc rc;

    s->edit = 0;
    s->is_main = true;
    rc = copy_fields(s, BP_MSG_GRAPH, part->content, part->end, changed);
    for (uint32_t i = 0; i < onnx->n_edits && rc >= 0; i++) {
        const uint8_t *p = onnx->edits[i].data;
        const uint8_t *end = p + onnx->edits[i].size;
        struct bp_part field;

        s->edit = i + 1;
        *changed = true;
        while (p < end && rc >= 0) {
            p = bp_save_next(p, end, &field);
            if (field.number == GRAPH_FIELD)
                rc = copy_fields(s, BP_MSG_GRAPH, field.content, field.end, changed);
        }
    }
    s->is_main = false;
    return rc;
}

/* Only the main graph itself has initializers that may be replaced; is_main is false inside it. */
static bp_rc copy_content(struct bp_saver *s, enum bp_message_type parent,
                          const struct bp_field *field, const struct bp_part *part, bool *changed)
{
    bool was_main = s->is_main;
    bp_rc rc;

    if (field->type == BP_MSG_TENSOR)
        return bp_save_tensor(s, part, parent == BP_MSG_GRAPH && part->number == INITIALIZER_FIELD,
                              changed);
    if (parent == BP_MSG_MODEL && field->type == BP_MSG_GRAPH)
        return copy_main(s, part, changed);
    s->is_main = false;
    rc = copy_fields(s, field->type, part->content, part->end, changed);
    s->is_main = was_main;
    return rc;
}

/* A nested message: with a new length if something inside changed, else as it was. */
static bp_rc copy_message(struct bp_saver *s, enum bp_message_type parent,
                          const struct bp_field *field, const struct bp_part *part, bool *changed)
{
    size_t mark = s->n_pieces;
    uint64_t size = s->size;
    uint8_t *head = bp_region_alloc(&s->region, 20);
    bool is_new = false;
    size_t n;
    bp_rc rc;

    if (!head)
        return bp_fail_nomem(s->err, "the saved model");
    rc = bp_save_push(s, head, 1); /* the length is filled in when it is known */
    if (rc >= 0)
        rc = copy_content(s, parent, field, part, &is_new);
    if (rc < 0)
        return rc;
    if (!is_new) {
        s->n_pieces = mark;
        s->size = size;
        return bp_save_add(s, part->begin, (size_t)(part->end - part->begin));
    }
    *changed = true;
    n = bp_save_head(head, part->number, s->size - size - 1);
    s->pieces[mark].size = n;
    s->size += n - 1;
    return BP_OK;
}

/* Inputs and outputs of the main graph are those of the last edit that has any. */
static bool is_replaced(const struct bp_saver *s, enum bp_message_type type, uint32_t number)
{
    return s->is_main && type == BP_MSG_GRAPH &&
           ((number == INPUT_FIELD && s->edit != s->inputs_from) ||
            (number == OUTPUT_FIELD && s->edit != s->outputs_from));
}

/* Recursive; the scan's BP_WIRE_MAX_DEPTH bounds the depth. */
static bp_rc copy_fields(struct bp_saver *s, enum bp_message_type type, const uint8_t *begin,
                         const uint8_t *end, bool *changed)
{
    const uint8_t *p = begin;
    struct bp_part part;
    bp_rc rc = BP_OK;

    while (p < end && rc >= 0) {
        const struct bp_field *field;

        p = bp_save_next(p, end, &part);
        field = bp_field_find(type, part.number);
        if (is_replaced(s, type, part.number))
            *changed = true;
        else if (may_hold_tensors(field))
            rc = copy_message(s, type, field, &part, changed);
        else
            rc = bp_save_add(s, part.begin, (size_t)(part.end - part.begin));
    }
    return rc;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Finds which edit's inputs and outputs count, and appends the imports of all edits. */
static bp_rc add_edits(struct bp_saver *s)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < s->onnx->n_edits && rc >= 0; i++) {
        const uint8_t *p = s->onnx->edits[i].data;
        const uint8_t *end = p + s->onnx->edits[i].size;
        struct bp_part part, inner;

        while (p < end && rc >= 0) {
            p = bp_save_next(p, end, &part);
            if (part.number == OPSET_FIELD)
                rc = bp_save_add(s, part.begin, (size_t)(part.end - part.begin));
            for (const uint8_t *q = part.content; part.number == GRAPH_FIELD && q < part.end;) {
                q = bp_save_next(q, part.end, &inner);
                if (inner.number == INPUT_FIELD)
                    s->inputs_from = i + 1;
                else if (inner.number == OUTPUT_FIELD)
                    s->outputs_from = i + 1;
            }
        }
    }
    return rc;
}

/* Protobuf's lengths are int32, so a message ends at 2 GiB. */
static bp_rc write_all(struct bp_saver *s)
{
    const bp_model_sink *sink = s->sink;
    bp_rc rc;

    if (s->size > INT32_MAX)
        return bp_fail(s->err, BP_E_INVALID,
                       "the model would have %llu bytes, and protobuf ends at 2 GiB: put its "
                       "initializers into another file",
                       (unsigned long long)s->size);
    rc = bp_sink_begin(sink, s->size, s->err);
    for (size_t i = 0; i < s->n_pieces && rc >= 0; i++)
        rc = bp_sink_write(sink, s->pieces[i].data, s->pieces[i].size, s->err);
    return rc;
}

bp_rc bp_onnx_save(const struct bp_onnx *onnx, const bp_model_sink *sink, bp_err *err)
{
    const struct bp_bytes *file = &onnx->source.file;
    struct bp_saver s = {.onnx = onnx, .sink = sink, .err = err};
    bool ignored = false;
    bp_rc rc;

    if (sink->format == BP_MODEL_FORMAT_ORT)
        return bp_ort_write(onnx, sink, err);
    rc = add_edits(&s);
    if (rc >= 0)
        rc = copy_fields(&s, BP_MSG_MODEL, file->data, file->data + file->size, &ignored);
    if (rc >= 0)
        rc = write_all(&s);
    bp_region_finish(&s.region);
    free(s.pieces);
    return rc < 0 ? bp_fail_in(err, rc, "%s", onnx->name) : rc;
}
