/* SPDX-License-Identifier: MIT */
/*
 * save_tensor.c - a tensor of a model that is saved: as it was, or with its data elsewhere.
 *
 * The data moves when the application gave it, when it was external, or when the sink puts it into
 * a file (bp_model_sink.place).
 */

#include "config.h"

#include <stdio.h>

#include "model/external.h"
#include "model/save.h"
#include "model/sink.h"
#include "model/wire/unpack.h"

/* ---- fields that are new --------------------------------------------------------------------- */

static bp_rc add_bytes(struct bp_saver *s, uint32_t field, const void *bytes, size_t size)
{
    uint8_t *head = bp_region_alloc(&s->region, 20);
    bp_rc rc;

    if (!head)
        return bp_fail_nomem(s->err, "the saved model");
    rc = bp_save_add(s, head, bp_save_head(head, field, size));
    return rc < 0 ? rc : bp_save_add(s, bytes, size);
}

/* An entry of external_data (field 13): key is field 1, value field 2. */
static bp_rc add_entry(struct bp_saver *s, const char *key, const char *value)
{
    size_t n_key = strlen(key), n_value = strlen(value);
    uint8_t *text = bp_region_alloc(&s->region, n_key + n_value + 40);
    size_t n;

    if (!text)
        return bp_fail_nomem(s->err, "the saved model");
    n = bp_save_head(text, 1, n_key);
    memcpy(text + n, key, n_key);
    n += n_key;
    n += bp_save_head(text + n, 2, n_value);
    memcpy(text + n, value, n_value);
    return add_bytes(s, 13, text, n + n_value);
}

/* ---- tensors --------------------------------------------------------------------------------- */

/* A tensor and where its data is and goes. */
struct moved {
    const uint8_t *begin, *end; /* its message */
    const Bp__TensorProto *proto;
    struct bp_ir_data data;
    const char *from, *to; /* external files; NULL: inside the model */
    uint64_t from_offset, to_offset;
};

/* Asks the sink where the data shall be; without a file name it stays in the model. */
static bp_rc ask_place(struct bp_saver *s, struct moved *tensor)
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
    bp_rc rc = bp_sink_place(s->sink, &info, &file, &tensor->to_offset, s->err);

    if (rc < 0)
        return rc;
    if (file) {
        tensor->to = bp_region_string(&s->region, file);
        if (!tensor->to)
            return bp_fail_nomem(s->err, "the saved model");
    }
    return BP_OK;
}

/* Copies all fields but those that hold data: dims, type, name, doc string. */
static bp_rc add_rest(struct bp_saver *s, const struct moved *tensor)
{
    const uint8_t *p = tensor->begin;
    struct bp_part part;
    bp_rc rc = BP_OK;

    while (p < tensor->end && rc >= 0) {
        p = bp_save_next(p, tensor->end, &part);
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
            rc = bp_save_add(s, part.begin, (size_t)(part.end - part.begin));
        }
    }
    return rc;
}

/* Strings can't be external in ONNX, so they stay in string_data. */
static bp_rc add_strings(struct bp_saver *s, const struct bp_ir_data *data)
{
    const bp_span *spans = (const bp_span *)(const void *)data->bytes;
    bp_rc rc = BP_OK;

    for (size_t i = 0; i < data->size / sizeof *spans && rc >= 0; i++)
        rc = add_bytes(s, BP_TENSOR_STRING_DATA, spans[i].data, spans[i].size);
    return rc;
}

/* Data inside the model is written as raw_data, whatever field it was in before. */
static bp_rc add_tensor(struct bp_saver *s, const struct moved *tensor)
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
    return rc < 0 ? rc : bp_save_add(s, location, sizeof location);
}

static bp_rc read_tensor(struct bp_saver *s, struct moved *tensor, const struct bp_source *source)
{
    bp_rc rc = bp_tensor_proto_read(tensor->proto, source, &s->region, &tensor->data, s->err);

    return rc < 0 ? rc : bp_ir_data_load(&tensor->data, s->err);
}

/* Weights of the main graph alone are offered to the sink. */
bp_rc bp_save_tensor(struct bp_saver *s, const struct bp_part *part, bool is_weight, bool *changed)
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
    if (rc >= 0 && own.given == 0 && bp_external_is_beside(source.external, &own))
        rc = bp_external_where(&own, &tensor.from, &tensor.from_offset, s->err);
    if (rc >= 0 && is_asked)
        rc = ask_place(s, &tensor);
    *changed = *changed || tensor.to;
    if (rc >= 0 && *changed)
        rc = add_tensor(s, &tensor);
    bp_wire_finish(&wire);
    return rc;
}
