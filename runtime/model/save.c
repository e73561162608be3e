/* SPDX-License-Identifier: MIT */
/*
 * save.c - a model as bytes again, with its initializers within or elsewhere.
 *
 * What was opened is copied field by field, also what we do not read; only tensors whose data moves
 * are written anew, and with them the lengths of the messages around. The result is a list of
 * pieces that point to where the bytes are, so that weights are not copied before they are written.
 */

#include "config.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/external.h"
#include "model/model.h"
#include "model/unpack.h"

enum {
    GRAPH_FIELD = 7,
    OPSET_FIELD = 8,
    INITIALIZER_FIELD = 5,
    INPUT_FIELD = 11,
    OUTPUT_FIELD = 12
};

struct saver {
    const struct bp_onnx *onnx;
    const bp_model_sink *sink;
    struct bp_region region; /* heads of messages, numbers of tensors that had to be made */
    bp_span *pieces;
    size_t n_pieces, cap_pieces;
    uint64_t size; /* of all pieces */
    bool is_main;  /* in the main graph itself, whose initializers may be given */
    /* whose inputs and outputs the main graph has: the model's (0) or those of an edit (from 1) */
    uint32_t inputs_from, outputs_from;
    uint32_t edit; /* where in that order the copying is */
    bp_err *err;
};

/* A field as it stands in the bytes. */
struct part {
    uint32_t number, wire_type;
    const uint8_t *begin;   /* its tag */
    const uint8_t *content; /* of one with a length: behind that */
    const uint8_t *end;
};

/* ---- pieces ------------------------------------------------------------------------------------ */

/* A piece of its own. */
static bp_rc push(struct saver *s, const void *bytes, size_t n)
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

/* Bytes that may lengthen the last piece, when they are right behind it. */
static bp_rc add(struct saver *s, const void *bytes, size_t n)
{
    bp_span *last = s->n_pieces > 0 ? &s->pieces[s->n_pieces - 1] : NULL;

    if (n == 0)
        return BP_OK;
    if (!last || (const uint8_t *)last->data + last->size != (const uint8_t *)bytes)
        return push(s, bytes, n);
    last->size += n;
    s->size += n;
    return BP_OK;
}

static size_t put_varint(uint8_t *to, uint64_t value)
{
    size_t n = 0;

    for (; value >= 0x80; value >>= 7)
        to[n++] = (uint8_t)(value | 0x80);
    to[n++] = (uint8_t)value;
    return n;
}

/* Tag and length of a field with `size` bytes. */
static size_t put_head(uint8_t *to, uint32_t field, uint64_t size)
{
    size_t n = put_varint(to, field << 3 | 2);

    return n + put_varint(to + n, size);
}

static bp_rc add_bytes(struct saver *s, uint32_t field, const void *bytes, size_t size)
{
    uint8_t *head = bp_region_alloc(&s->region, 20);
    bp_rc rc;

    if (!head)
        return bp_fail_nomem(s->err, "the saved model");
    rc = add(s, head, put_head(head, field, size));
    return rc < 0 ? rc : add(s, bytes, size);
}

/* An entry of external_data. */
static bp_rc add_entry(struct saver *s, const char *key, const char *value)
{
    size_t n_key = strlen(key), n_value = strlen(value);
    uint8_t *text = bp_region_alloc(&s->region, n_key + n_value + 40);
    size_t n;

    if (!text)
        return bp_fail_nomem(s->err, "the saved model");
    n = put_head(text, 1, n_key);
    memcpy(text + n, key, n_key);
    n += n_key;
    n += put_head(text + n, 2, n_value);
    memcpy(text + n, value, n_value);
    return add_bytes(s, 13, text, n + n_value);
}

/* ---- fields ------------------------------------------------------------------------------------ */

/* The field at p. The bytes were scanned when the model was opened: their framing is sound. */
static const uint8_t *next_part(const uint8_t *p, const uint8_t *end, struct part *out)
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

/* ---- tensors ----------------------------------------------------------------------------------- */

/* A tensor and where its data is and goes. */
struct moved {
    const uint8_t *begin, *end; /* its message */
    const Bp__TensorProto *proto;
    struct bp_ir_data data;
    const char *from, *to; /* external files; NULL: within */
    uint64_t from_offset, to_offset;
};

static bp_rc ask_place(struct saver *s, struct moved *tensor)
{
    const struct bp_ir_data *data = &tensor->data;
    bp_weight_info info = {
        .struct_size = sizeof info,
        .name = bp_text_or_empty(tensor->proto->name),
        .tensor = {.base = (void *)(uintptr_t)data->bytes, /* only read from */
                   .dims = (int64_t *)(uintptr_t)data->dims,
                   .bytes = data->size,
                   .rank = data->rank,
                   .dtype = data->dtype},
        .file = tensor->from,
        .offset = tensor->from_offset,
    };
    const char *file = NULL;
    bp_rc rc = s->sink->place(s->sink->user, &info, &file, &tensor->to_offset, s->err);

    if (rc < 0)
        return bp_err_complete(s->err, rc);
    if (file) {
        tensor->to = bp_region_string(&s->region, file);
        if (!tensor->to)
            return bp_fail_nomem(s->err, "the saved model");
    }
    return BP_OK;
}

/* The fields that say no data. */
static bp_rc add_rest(struct saver *s, const struct moved *tensor)
{
    const uint8_t *p = tensor->begin;
    struct part part;
    bp_rc rc = BP_OK;

    while (p < tensor->end && rc >= 0) {
        p = next_part(p, tensor->end, &part);
        switch (part.number) {
        case BP_TENSOR_FLOAT_DATA:
        case BP_TENSOR_INT32_DATA:
        case BP_TENSOR_STRING_DATA:
        case BP_TENSOR_INT64_DATA:
        case BP_TENSOR_RAW_DATA:
        case BP_TENSOR_DOUBLE_DATA:
        case BP_TENSOR_UINT64_DATA:
        case 13: /* external_data */
        case 14: /* data_location */
            break;
        default:
            rc = add(s, part.begin, (size_t)(part.end - part.begin));
        }
    }
    return rc;
}

static bp_rc add_strings(struct saver *s, const struct bp_ir_data *data)
{
    const bp_span *spans = (const bp_span *)(const void *)data->bytes;
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < data->size / sizeof *spans && rc >= 0; i++)
        rc = add_bytes(s, BP_TENSOR_STRING_DATA, spans[i].data, spans[i].size);
    return rc;
}

static bp_rc add_tensor(struct saver *s, const struct moved *tensor)
{
    static const uint8_t location[] = {14 << 3, BP_TENSOR_EXTERNAL};
    char text[24];
    bp_rc rc = add_rest(s, tensor);

    if (rc >= 0 && tensor->data.dtype == BP_DTYPE_STRING)
        return add_strings(s, &tensor->data);
    if (rc >= 0 && !tensor->to)
        return add_bytes(s, BP_TENSOR_RAW_DATA, tensor->data.bytes, tensor->data.size);
    if (rc >= 0)
        rc = add_entry(s, "location", tensor->to);
    snprintf(text, sizeof text, "%llu", (unsigned long long)tensor->to_offset);
    if (rc >= 0)
        rc = add_entry(s, "offset", text);
    snprintf(text, sizeof text, "%zu", tensor->data.size);
    if (rc >= 0)
        rc = add_entry(s, "length", text);
    return rc < 0 ? rc : add(s, location, sizeof location);
}

static bp_rc read_tensor(struct saver *s, struct moved *tensor, const struct bp_source *source)
{
    bp_rc rc = bp_tensor_proto_read(tensor->proto, source, &s->region, &tensor->data, s->err);

    return rc < 0 ? rc : bp_ir_data_load(&tensor->data, s->err);
}

/* Copies the content of a tensor's message; *changed: not as it was. */
static bp_rc copy_tensor(struct saver *s, const struct part *part, bool is_weight, bool *changed)
{
    struct moved tensor = {.begin = part->content, .end = part->end};
    struct bp_source source = s->onnx->source;
    size_t size = (size_t)(part->end - part->content);
    struct bp_wire wire = {0};
    Bp__TensorProto own;
    bool is_asked;
    bp_rc rc = bp_unpack_tensor(part->content, size, &wire, &s->region, &tensor.proto, s->err);

    if (rc < 0)
        return rc;
    own = *tensor.proto;
    if (is_weight && s->is_main)
        own.given = bp_strmap_get(&s->onnx->given, bp_text_or_empty(own.name), 0);
    tensor.proto = &own;
    source.chunks = wire.chunks;
    source.n_chunks = wire.n_chunks;
    *changed = own.given > 0 || own.data_location == BP_TENSOR_EXTERNAL;
    is_asked = is_weight && s->sink->place && own.data_type != BP_DTYPE_STRING;
    if (*changed || is_asked)
        rc = read_tensor(s, &tensor, &source);
    if (rc >= 0 && own.given == 0 && own.data_location == BP_TENSOR_EXTERNAL)
        rc = bp_external_where(&own, &tensor.from, &tensor.from_offset, s->err);
    if (rc >= 0 && is_asked)
        rc = ask_place(s, &tensor);
    *changed = *changed || tensor.to;
    if (rc >= 0 && *changed)
        rc = add_tensor(s, &tensor);
    bp_wire_finish(&wire);
    return rc;
}

/* ---- messages ---------------------------------------------------------------------------------- */

static bp_rc copy_fields(struct saver *s, enum bp_message_type type, const uint8_t *begin,
                         const uint8_t *end, bool *changed);

static bool may_hold_tensors(const struct bp_field *field)
{
    return field->kind == BP_FIELD_MESSAGE &&
           (field->type == BP_MSG_ATTRIBUTE || field->type == BP_MSG_FUNCTION ||
            field->type == BP_MSG_GRAPH || field->type == BP_MSG_NODE ||
            field->type == BP_MSG_SPARSE || field->type == BP_MSG_TENSOR);
}

/* The main graph: the model's, then what edits add to it. */
static bp_rc copy_main(struct saver *s, const struct part *part, bool *changed)
{
    const struct bp_onnx *onnx = s->onnx;
    bp_rc rc;

    s->edit = 0;
    s->is_main = true;
    rc = copy_fields(s, BP_MSG_GRAPH, part->content, part->end, changed);
    for (uint32_t i = 0; i < onnx->n_edits && rc >= 0; i++) {
        const uint8_t *p = onnx->edits[i].data;
        const uint8_t *end = p + onnx->edits[i].size;
        struct part field;

        s->edit = i + 1;
        *changed = true;
        while (p < end && rc >= 0) {
            p = next_part(p, end, &field);
            if (field.number == GRAPH_FIELD)
                rc = copy_fields(s, BP_MSG_GRAPH, field.content, field.end, changed);
        }
    }
    s->is_main = false;
    return rc;
}

static bp_rc copy_content(struct saver *s, enum bp_message_type parent,
                          const struct bp_field *field, const struct part *part, bool *changed)
{
    bool was_main = s->is_main;
    bp_rc rc;

    if (field->type == BP_MSG_TENSOR)
        return copy_tensor(s, part, parent == BP_MSG_GRAPH && part->number == INITIALIZER_FIELD,
                           changed);
    if (parent == BP_MSG_MODEL && field->type == BP_MSG_GRAPH)
        return copy_main(s, part, changed);
    s->is_main = false;
    rc = copy_fields(s, field->type, part->content, part->end, changed);
    s->is_main = was_main;
    return rc;
}

/* A message within: with a new length when something in it changed, else as it is. */
static bp_rc copy_message(struct saver *s, enum bp_message_type parent,
                          const struct bp_field *field, const struct part *part, bool *changed)
{
    size_t mark = s->n_pieces;
    uint64_t size = s->size;
    uint8_t *head = bp_region_alloc(&s->region, 20);
    bool is_new = false;
    size_t n;
    bp_rc rc;

    if (!head)
        return bp_fail_nomem(s->err, "the saved model");
    rc = push(s, head, 1); /* its length comes when it is known */
    if (rc >= 0)
        rc = copy_content(s, parent, field, part, &is_new);
    if (rc < 0)
        return rc;
    if (!is_new) {
        s->n_pieces = mark;
        s->size = size;
        return add(s, part->begin, (size_t)(part->end - part->begin));
    }
    *changed = true;
    n = put_head(head, part->number, s->size - size - 1);
    s->pieces[mark].size = n;
    s->size += n - 1;
    return BP_OK;
}

/* Inputs and outputs of the main graph are the last edit's that has some. */
static bool is_replaced(const struct saver *s, enum bp_message_type type, uint32_t number)
{
    return s->is_main && type == BP_MSG_GRAPH &&
           ((number == INPUT_FIELD && s->edit != s->inputs_from) ||
            (number == OUTPUT_FIELD && s->edit != s->outputs_from));
}

/* Recursion ends with the nesting that the scan allowed. */
static bp_rc copy_fields(struct saver *s, enum bp_message_type type, const uint8_t *begin,
                         const uint8_t *end, bool *changed)
{
    const uint8_t *p = begin;
    struct part part;
    bp_rc rc = BP_OK;

    while (p < end && rc >= 0) {
        const struct bp_field *field;

        p = next_part(p, end, &part);
        field = bp_field_find(type, part.number);
        if (is_replaced(s, type, part.number))
            *changed = true;
        else if (may_hold_tensors(field))
            rc = copy_message(s, type, field, &part, changed);
        else
            rc = add(s, part.begin, (size_t)(part.end - part.begin));
    }
    return rc;
}

/* ---- the whole --------------------------------------------------------------------------------- */

/* Finds whose inputs and outputs count, and adds the operator sets that edits import. */
static bp_rc add_edits(struct saver *s)
{
    bp_rc rc = BP_OK;

    for (uint32_t i = 0; i < s->onnx->n_edits && rc >= 0; i++) {
        const uint8_t *p = s->onnx->edits[i].data;
        const uint8_t *end = p + s->onnx->edits[i].size;
        struct part part, inner;

        while (p < end && rc >= 0) {
            p = next_part(p, end, &part);
            if (part.number == OPSET_FIELD)
                rc = add(s, part.begin, (size_t)(part.end - part.begin));
            for (const uint8_t *q = part.content; part.number == GRAPH_FIELD && q < part.end;) {
                q = next_part(q, part.end, &inner);
                if (inner.number == INPUT_FIELD)
                    s->inputs_from = i + 1;
                else if (inner.number == OUTPUT_FIELD)
                    s->outputs_from = i + 1;
            }
        }
    }
    return rc;
}

static bp_rc write_all(struct saver *s)
{
    const bp_model_sink *sink = s->sink;
    bp_rc rc = BP_OK;

    if (s->size > INT32_MAX)
        return bp_fail(s->err, BP_E_INVALID,
                       "the model would have %llu bytes, and protobuf ends at 2 GiB: put its "
                       "initializers into another file",
                       (unsigned long long)s->size);
    if (sink->begin)
        rc = sink->begin(sink->user, s->size, s->err);
    for (size_t i = 0; i < s->n_pieces && rc >= 0; i++)
        rc = sink->write(sink->user, s->pieces[i].data, s->pieces[i].size, s->err);
    return rc < 0 ? bp_err_complete(s->err, rc) : rc;
}

bp_rc bp_onnx_save(const struct bp_onnx *onnx, const bp_model_sink *sink, bp_err *err)
{
    const struct bp_bytes *file = &onnx->source.file;
    struct saver s = {.onnx = onnx, .sink = sink, .err = err};
    bool ignored = false;
    bp_rc rc = add_edits(&s);

    if (rc >= 0)
        rc = copy_fields(&s, BP_MSG_MODEL, file->data, file->data + file->size, &ignored);
    if (rc >= 0)
        rc = write_all(&s);
    bp_region_finish(&s.region);
    free(s.pieces);
    return rc < 0 ? bp_fail_in(err, rc, "%s", onnx->name) : rc;
}
