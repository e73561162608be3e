/* SPDX-License-Identifier: MIT */
/*
 * rebuild.c - a model with the graph that passes made of it: it is encoded and opened again, and its
 * weights share the memory of the first model's.
 */

#include "config.h"

#include <stdlib.h>

#include "graph/schema.h"
#include "graph/schema_table.h"
#include "model/save.h"
#include "model/write/write.h"

enum {
    /* ModelProto */
    IR_VERSION_FIELD = 1,
    GRAPH_FIELD = 7,
    OPSET_FIELD = 8,
    FUNCTION_FIELD = 25,
    /* GraphProto */
    NODE_FIELD = 1,
    INITIALIZER_FIELD = 5,
    INPUT_FIELD = 11,
    OUTPUT_FIELD = 12,
    VALUE_FIELD = 13,
    SPARSE_FIELD = 15,
    /* the first version in which initializers need not be inputs */
    IR_VERSION_LEAST = 4
};

/* ---- fields that are copied ------------------------------------------------------------------ */

static void copy(struct bp_writer *w, const struct bp_part *part)
{
    bp_put_raw(&w->put, part->begin, (size_t)(part->end - part->begin));
}

/* The value of a ValueInfoProto; NULL: the graph has none of that name. */
static const struct bp_ir_value *value_of(struct bp_writer *w, const struct bp_ir *ir,
                                          const struct bp_part *info)
{
    struct bp_part field;

    for (const uint8_t *p = info->content; p < info->end;) {
        const char *name;
        uint32_t value;

        p = bp_save_next(p, info->end, &field);
        if (field.number != 1)
            continue;
        name = bp_region_text(&w->region, (const char *)field.content,
                              (size_t)(field.end - field.content));
        if (!name)
            w->put.failed = true;
        value = name ? bp_strmap_get(&ir->by_name, name, BP_NONE) : BP_NONE;
        return value == BP_NONE ? NULL : &ir->values[value];
    }
    return NULL;
}

/* An input whose default is a constant of the new graph is not an input any more. */
static void copy_input(struct bp_writer *w, const struct bp_ir *ir, const struct bp_part *info)
{
    const uint32_t frozen = BP_IR_DEFAULTED | BP_IR_CONSTANT;
    const struct bp_ir_value *value = value_of(w, ir, info);

    if (value && (value->flags & frozen) == frozen)
        return;
    if (value && w->writes_inputs)
        bp_write_value(w, INPUT_FIELD, value);
    else
        copy(w, info);
}

/* Of what a compiled program gives the graph knows more than the model said. */
static void copy_output(struct bp_writer *w, const struct bp_ir *ir, const struct bp_part *info)
{
    const struct bp_ir_value *value = value_of(w, ir, info);

    if (value && value->producer != BP_NONE && bp_node_is_context(&ir->nodes[value->producer]))
        bp_write_value(w, OUTPUT_FIELD, value);
    else
        copy(w, info);
}

/* Fields of the main graph; inputs and outputs only from the model or edit that they count of. */
static void copy_graph(struct bp_writer *w, const struct bp_ir *ir, const struct bp_part *graph,
                       bool is_model, bool has_inputs, bool has_outputs)
{
    for (const uint8_t *p = graph->content; p < graph->end;) {
        struct bp_part field;

        p = bp_save_next(p, graph->end, &field);
        switch (field.number) {
        case NODE_FIELD:
        case INITIALIZER_FIELD:
        case SPARSE_FIELD:
        case VALUE_FIELD:
            break;
        case INPUT_FIELD:
            if (has_inputs)
                copy_input(w, ir, &field);
            break;
        case OUTPUT_FIELD:
            if (has_outputs)
                copy_output(w, ir, &field);
            break;
        default:
            if (is_model)
                copy(w, &field);
        }
    }
}

/* The bytes of the model (0) or of an edit (from 1). */
static bp_span bytes_of(const struct bp_onnx *onnx, uint32_t i)
{
    const struct bp_bytes *file = &onnx->source.file;

    return i == 0 ? (bp_span){file->data, file->size} : onnx->edits[i - 1];
}

/* The model (0) or the last edit that has inputs (or outputs) of the main graph. */
static uint32_t find_last(const struct bp_onnx *onnx, uint32_t number)
{
    uint32_t last = 0;

    for (uint32_t i = 1; i <= onnx->n_edits; i++) {
        bp_span bytes = bytes_of(onnx, i);
        const uint8_t *end = (const uint8_t *)bytes.data + bytes.size;
        struct bp_part part, inner;

        for (const uint8_t *p = bytes.data; p < end;) {
            p = bp_save_next(p, end, &part);
            for (const uint8_t *q = part.content; part.number == GRAPH_FIELD && q < part.end;) {
                q = bp_save_next(q, part.end, &inner);
                if (inner.number == number)
                    last = i;
            }
        }
    }
    return last;
}

static void copy_graphs(struct bp_writer *w, const struct bp_ir *ir)
{
    uint32_t inputs = find_last(w->onnx, INPUT_FIELD), outputs = find_last(w->onnx, OUTPUT_FIELD);

    for (uint32_t i = 0; i <= w->onnx->n_edits; i++) {
        bp_span bytes = bytes_of(w->onnx, i);
        const uint8_t *end = (const uint8_t *)bytes.data + bytes.size;
        struct bp_part part;

        for (const uint8_t *p = bytes.data; p < end;) {
            p = bp_save_next(p, end, &part);
            if (part.number == GRAPH_FIELD)
                copy_graph(w, ir, &part, i == 0, i == inputs, i == outputs);
        }
    }
}

/* Metadata, producer, doc string and all fields that the host does not read. */
static void copy_model(struct bp_writer *w)
{
    bp_span bytes = bytes_of(w->onnx, 0);
    const uint8_t *end = (const uint8_t *)bytes.data + bytes.size;
    struct bp_part part;

    for (const uint8_t *p = bytes.data; p < end;) {
        p = bp_save_next(p, end, &part);
        if (part.number != IR_VERSION_FIELD && part.number != GRAPH_FIELD &&
            part.number != OPSET_FIELD && part.number != FUNCTION_FIELD)
            copy(w, &part);
    }
}

/* ---- what is new ----------------------------------------------------------------------------- */

static void write_imports(struct bp_writer *w)
{
    for (uint32_t i = 0; i < w->n_imports; i++) {
        const struct bp_import *import = &w->imports[i];
        size_t mark;

        /* a domain that only function calls used is not imported any more */
        if (import->version == 0 || (!import->is_used && !bp_schema_newest(import->domain)))
            continue;
        mark = bp_put_begin(&w->put, OPSET_FIELD);
        if (import->domain[0])
            bp_put_text(&w->put, 1, import->domain);
        bp_put_int(&w->put, 2, import->version);
        bp_put_end(&w->put, mark);
    }
}

static bp_rc write_model(struct bp_writer *w, const struct bp_ir *ir)
{
    int64_t version = w->onnx->proto->ir_version;
    bp_rc rc = bp_write_imports(w, ir, w->err);
    size_t mark;

    w->weights = bp_region_array(&w->region, ir->n_values, sizeof *w->weights);
    if (rc >= 0 && !w->weights)
        rc = bp_fail_nomem(w->err, "the written model");
    if (rc < 0)
        return rc;
    bp_put_int(&w->put, IR_VERSION_FIELD, version > IR_VERSION_LEAST ? version : IR_VERSION_LEAST);
    copy_model(w);
    write_imports(w);
    mark = bp_put_begin(&w->put, GRAPH_FIELD);
    copy_graphs(w, ir);
    rc = bp_write_graph(w, ir);
    bp_put_end(&w->put, mark);
    return rc >= 0 && w->put.failed ? bp_fail_nomem(w->err, "the written model") : rc;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* *region is taken over on success: it holds the constants that the weights point at. */
bp_rc bp_onnx_rebuild(struct bp_onnx *onnx, const struct bp_ir *ir, const struct bp_rebuild *how,
                      struct bp_region *region, struct bp_onnx **out, bp_err *err)
{
    struct bp_writer w = {.onnx = onnx,
                          .symbols = ir->symbols,
                          .writes_inputs = how && how->writes_inputs,
                          .err = err};
    bp_model_source source = {.struct_size = sizeof source, .dir = how ? how->dir : NULL};
    bp_rc rc = write_model(&w, ir);

    *out = NULL;
    if (rc >= 0) {
        source.bytes = w.put.data;
        source.size = w.put.size;
        source.weights = w.weights;
        source.n_weights = w.n_weights;
        rc = bp_onnx_open_source(&source, out, err);
    }
    bp_region_finish(&w.region);
    if (rc < 0) {
        free(w.put.data);
        return bp_fail_in(err, rc, "%s", onnx->name);
    }
    (*out)->of = bp_onnx_ref(onnx);
    (*out)->own_bytes = w.put.data;
    (*out)->own = *region;
    *region = (struct bp_region){0};
    return BP_OK;
}
