/* SPDX-License-Identifier: MIT */
/*
 * op_model.c - writes a ModelProto of one node in protobuf's wire format; the literals are field
 * numbers of onnx.proto.
 */

#include "config.h"

#include "ort/custom/op_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IR_VERSION = 8, BYTES = 2, FIXED32 = 5 /* wire types */ };

struct writer {
    unsigned char *data;
    size_t size, cap;
    bool failed;
};

/* Grows by doubling; `failed` stays set after a lack of memory. */
static void put(struct writer *w, const void *bytes, size_t n)
{
    if (w->size + n > w->cap) {
        size_t cap = (w->size + n) * 2 + 64;
        unsigned char *data = realloc(w->data, cap);

        if (!data) {
            w->failed = true;
            return;
        }
        w->data = data;
        w->cap = cap;
    }
    if (n > 0)
        memcpy(w->data + w->size, bytes, n);
    w->size += n;
}

/* Seven bits a byte, low bits first. */
static void put_varint(struct writer *w, uint64_t value)
{
    unsigned char byte;

    for (; value >= 0x80; value >>= 7) {
        byte = (unsigned char)(value | 0x80);
        put(w, &byte, 1);
    }
    byte = (unsigned char)value;
    put(w, &byte, 1);
}

static void put_int(struct writer *w, uint32_t field, int64_t value)
{
    put_varint(w, field << 3);
    put_varint(w, (uint64_t)value);
}

static void put_bytes(struct writer *w, uint32_t field, const void *bytes, size_t n)
{
    put_varint(w, field << 3 | BYTES);
    put_varint(w, n);
    put(w, bytes, n);
}

static void put_text(struct writer *w, uint32_t field, const char *text)
{
    put_bytes(w, field, text, strlen(text));
}

static void put_float(struct writer *w, uint32_t field, const void *four)
{
    put_varint(w, field << 3 | FIXED32);
    put(w, four, sizeof(float)); /* the machine's order is little-endian, as the host needs */
}

/* Appends a nested message as a field and frees it. */
static void put_message(struct writer *w, uint32_t field, struct writer *message)
{
    put_bytes(w, field, message->data, message->size);
    w->failed |= message->failed;
    free(message->data);
}

/* ---- attributes ------------------------------------------------------------------------------ */

/* AttributeProto: f (2), i (3), floats (7), ints (8). */
static void put_scalars(struct writer *w, const OrtOpAttr *attr)
{
    bool is_float = attr->type == ORT_OP_ATTR_FLOAT || attr->type == ORT_OP_ATTR_FLOATS;
    size_t width = is_float ? sizeof(float) : sizeof(int64_t);
    uint32_t field = attr->type == ORT_OP_ATTR_FLOAT    ? 2
                     : attr->type == ORT_OP_ATTR_INT    ? 3
                     : attr->type == ORT_OP_ATTR_FLOATS ? 7
                                                        : 8;

    for (size_t at = 0; at < attr->bytes; at += width) {
        int64_t number;

        if (is_float) {
            put_float(w, field, attr->data + at);
        } else {
            memcpy(&number, attr->data + at, sizeof number);
            put_int(w, field, number);
        }
    }
}

/* AttributeProto: name (1), s (4), strings (9), type (20). */
static void put_attr(struct writer *node, const OrtOpAttr *attr)
{
    static const int types[] = {
        [ORT_OP_ATTR_INT] = 2,    [ORT_OP_ATTR_INTS] = 7,   [ORT_OP_ATTR_FLOAT] = 1,
        [ORT_OP_ATTR_FLOATS] = 6, [ORT_OP_ATTR_STRING] = 3, [ORT_OP_ATTR_STRINGS] = 8,
    };
    struct writer w = {0};

    put_text(&w, 1, attr->name);
    if (attr->type == ORT_OP_ATTR_STRING) {
        put_bytes(&w, 4, attr->data, attr->bytes);
    } else if (attr->type == ORT_OP_ATTR_STRINGS) {
        for (size_t at = 0; at < attr->bytes; at += strlen(attr->data + at) + 1)
            put_text(&w, 9, attr->data + at);
    } else {
        put_scalars(&w, attr);
    }
    put_int(&w, 20, types[attr->type]);
    put_message(node, 5, &w);
}

/* ---- the model ------------------------------------------------------------------------------- */

/* Before types are known all inputs are present. */
static bool has_input(const struct ort_op_model *model, uint32_t i)
{
    return !model->dtypes || model->dtypes[i];
}

/* "i0", "o1"; "" for an absent value, as ONNX writes it. */
static void put_name(struct writer *w, uint32_t field, char kind, uint32_t i, bool is_there)
{
    char name[16] = "";

    if (is_there)
        snprintf(name, sizeof name, "%c%u", kind, i);
    put_text(w, field, name);
}

/* NodeProto of the operator. */
static void put_node(struct writer *graph, const struct ort_op_model *model)
{
    struct writer w = {0};

    for (uint32_t i = 0; i < model->n_in; i++)
        put_name(&w, 1, 'i', i, has_input(model, i));
    for (uint32_t i = 0; i < model->n_out; i++)
        put_name(&w, 2, 'o', i, !model->wanted || model->wanted[i]);
    put_text(&w, 4, model->op);
    put_text(&w, 7, model->domain);
    for (uint32_t i = 0; i < model->n_attrs; i++)
        put_attr(&w, model->attrs[i]);
    put_message(graph, 1, &w);
}

/* A ValueInfoProto; without an element type it has a name only. */
static void put_value_info(struct writer *graph, uint32_t field, char kind, uint32_t i,
                           uint32_t dtype)
{
    struct writer w = {0}, type = {0}, tensor = {0};

    put_name(&w, 1, kind, i, true);
    if (dtype) {
        put_int(&tensor, 1, dtype);
        put_message(&type, 1, &tensor);
        put_message(&w, 2, &type);
    }
    put_message(graph, field, &w);
}

/* GraphProto: the node, its inputs and outputs. */
static void put_graph(struct writer *file, const struct ort_op_model *model)
{
    struct writer w = {0};

    put_node(&w, model);
    put_text(&w, 2, model->op);
    for (uint32_t i = 0; i < model->n_in; i++) {
        if (has_input(model, i))
            put_value_info(&w, 11, 'i', i, model->dtypes ? model->dtypes[i] : 0);
    }
    for (uint32_t i = 0; i < model->n_out; i++) {
        if (!model->wanted || model->wanted[i])
            put_value_info(&w, 12, 'o', i, 0);
    }
    put_message(file, 7, &w);
}

/* ModelProto with one import. */
void *ort_op_model_write(const struct ort_op_model *model, size_t *size)
{
    struct writer w = {0}, opset = {0};

    put_int(&w, 1, IR_VERSION);
    put_graph(&w, model);
    put_text(&opset, 1, model->domain);
    put_int(&opset, 2, model->version);
    put_message(&w, 8, &opset);
    if (w.failed) {
        free(w.data);
        return NULL;
    }
    *size = w.size;
    return w.data;
}
