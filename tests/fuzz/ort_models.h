/* SPDX-License-Identifier: MIT */
/* ort_models.h - small models in ONNX Runtime's own format, written by our writer and by hand. */
#ifndef BP_TESTS_ORT_MODELS_H
#define BP_TESTS_ORT_MODELS_H

#include <stdlib.h>

#include "base/flat_write.h"
#include "model/onnx.h"
#include "model/ort_format/schema.h"
#include "support/model_bytes.h"
#include "support/proto_writer.h"

/* ---- as ONNX --------------------------------------------------------------------------------- */

/* A weight, an input with a default, a size with a name, an input left out, metadata. */
static inline void ort_write_plain(struct pw *w)
{
    pw_open_model(w);
    pw_open(w, 11);
    pw_text(w, 1, "x");
    pw_open(w, 2);
    pw_open(w, 1);
    pw_int(w, 1, BP_DTYPE_F32);
    pw_open(w, 2);
    pw_open(w, 1);
    pw_text(w, 2, "batch");
    pw_close(w);
    pw_open(w, 1);
    pw_int(w, 1, 2);
    pw_close(w);
    pw_close(w);
    pw_close(w);
    pw_close(w);
    pw_close(w);
    pw_value(w, 11, "least", BP_DTYPE_F32, PW_SCALAR);
    pw_raw_tensor(w, 5, "least", BP_DTYPE_F32, PW_SCALAR, "\0\0\x80?", 4);
    pw_raw_tensor(w, 5, "b", BP_DTYPE_F32, PW_DIMS(2), "\0\0\x80?\0\0\0@", 8);
    pw_raw_tensor(w, 5, "most", BP_DTYPE_F32, PW_SCALAR, "\0\0\xa0@", 4);
    pw_node(w, "Add", "x b", "s");
    pw_node(w, "Clip", "s least", "c");
    pw_node(w, "Clip", "c - most", "y");
    pw_value(w, 12, "y", BP_DTYPE_F32, PW_DIMS(1, 2));
    pw_close(w);
    pw_open(w, 14);
    pw_text(w, 1, "key");
    pw_text(w, 2, "value");
    pw_close(w);
    pw_text(w, 2, "maker");
}

/* Both branches capture x; one has a constant of its own. */
static inline void ort_write_if(struct pw *w)
{
    pw_open_model(w);
    pw_value(w, 11, "c", BP_DTYPE_BOOL, PW_SCALAR);
    pw_value(w, 11, "in", BP_DTYPE_F32, PW_DIMS(2));
    pw_node(w, "Neg", "in", "x");
    pw_open_node(w, "If", "c", "y");
    for (int i = 0; i < 2; i++) {
        pw_open_attr(w, i ? "then_branch" : "else_branch", 5);
        pw_open(w, 6);
        if (i) {
            pw_raw_tensor(w, 5, "k", BP_DTYPE_F32, PW_DIMS(2), "\0\0\x80?\0\0\0@", 8);
            pw_node(w, "Add", "x k", "t");
        } else {
            pw_node(w, "Relu", "x", "t");
        }
        pw_value(w, 12, "t", BP_DTYPE_F32, PW_DIMS(2));
        pw_close(w);
        pw_close(w);
    }
    pw_close(w);
    pw_value(w, 12, "y", BP_DTYPE_F32, PW_DIMS(2));
    pw_close(w);
}

/* Strings, and an operator of the application with attributes of all kinds. */
static inline void ort_write_attributes(struct pw *w)
{
    pw_open_model(w);
    pw_value(w, 11, "x", BP_DTYPE_STRING, PW_DIMS(1));
    pw_open_tensor(w, 5, "k", BP_DTYPE_STRING, PW_DIMS(2));
    pw_text(w, 6, "one");
    pw_text(w, 6, "");
    pw_close(w);
    pw_open_node(w, "Thing", "x - k", "t - u");
    pw_text(w, 7, "their.domain");
    pw_open_attr(w, "ints", 7);
    pw_int(w, 8, -1);
    pw_int(w, 8, INT64_MAX);
    pw_close(w);
    pw_open_attr(w, "floats", 6);
    pw_float(w, 7, 0.5f);
    pw_float(w, 7, -2.0f);
    pw_close(w);
    pw_open_attr(w, "strings", 8);
    pw_text(w, 9, "SAME");
    pw_text(w, 9, "");
    pw_close(w);
    pw_open_attr(w, "float", 1);
    pw_float(w, 2, 0.25f);
    pw_close(w);
    pw_open_attr(w, "int", 2);
    pw_int(w, 3, -7);
    pw_close(w);
    pw_open_attr(w, "string", 3);
    pw_text(w, 4, "word");
    pw_close(w);
    pw_open_attr(w, "tensor", 4);
    pw_raw_tensor(w, 5, "", BP_DTYPE_I32, PW_DIMS(2), "01234567", 8);
    pw_close(w);
    pw_open_attr(w, "none", 7);
    pw_close(w);
    pw_close(w);
    pw_value(w, 12, "t", BP_DTYPE_STRING, PW_DIMS(2));
    pw_close(w);
    pw_open(w, 8);
    pw_text(w, 1, "their.domain");
    pw_int(w, 2, 3);
    pw_close(w);
}

/* A Loop with a sequence before it, whose type is not in the model. */
static inline void ort_write_loop(struct pw *w)
{
    pw_open_model(w);
    pw_value(w, 11, "n", BP_DTYPE_I64, PW_SCALAR);
    pw_value(w, 11, "x", BP_DTYPE_F32, PW_DIMS(2));
    pw_node(w, "SequenceConstruct", "x x", "seq");
    pw_open_node(w, "ConcatFromSequence", "seq", "start");
    pw_open_attr(w, "axis", 2);
    pw_int(w, 3, 0);
    pw_close(w);
    pw_close(w);
    pw_open_node(w, "Loop", "n - start", "y all");
    pw_open_attr(w, "body", 5);
    pw_open(w, 6);
    pw_value(w, 11, "i", BP_DTYPE_I64, PW_SCALAR);
    pw_value(w, 11, "go", BP_DTYPE_BOOL, PW_SCALAR);
    pw_value(w, 11, "s", BP_DTYPE_F32, PW_DIMS(4));
    pw_node(w, "Identity", "go", "on");
    pw_node(w, "Add", "s start", "r");
    pw_node(w, "Identity", "r", "scan");
    pw_value(w, 12, "on", BP_DTYPE_BOOL, PW_SCALAR);
    pw_value(w, 12, "r", BP_DTYPE_F32, PW_DIMS(4));
    pw_value(w, 12, "scan", BP_DTYPE_F32, PW_DIMS(4));
    pw_close(w);
    pw_close(w);
    pw_close(w);
    pw_value(w, 12, "y", BP_DTYPE_F32, PW_DIMS(4));
    pw_close(w);
}

/* ---- as .ort --------------------------------------------------------------------------------- */

static inline bp_rc ort_write_part(void *user, const void *bytes, size_t size, bp_err *err)
{
    (void)err;
    pw_raw(user, bytes, size);
    return BP_OK;
}

/* Our writer's file of a model. */
static inline bp_rc ort_convert(const struct pw *model, struct pw *out, bp_err *err)
{
    bp_model_sink sink = {.struct_size = sizeof sink,
                          .user = out,
                          .write = ort_write_part,
                          .format = BP_MODEL_FORMAT_ORT};
    struct bp_onnx *onnx;
    bp_rc rc = model_open_bytes(model->data, model->size, NULL, &onnx, err);

    out->size = 0;
    if (rc >= 0)
        rc = bp_onnx_save(onnx, &sink, err);
    bp_onnx_unref(onnx);
    return rc;
}

/* What a file written by hand is to have, beside the name "y" as its output. */
struct ort_hand {
    const char *version;  /* NULL: "6" */
    const char *op;       /* NULL: "Identity" */
    int32_t node_type;    /* of a node Identity */
    int64_t external;     /* offset of the weight's data; -1: within */
    uint32_t index_dtype; /* of a sparse weight; 0: there is none */
    const void *indices;
    size_t index_bytes;
    uint32_t n_nodes;   /* that the list has, all of them the same */
    uint32_t n_records; /* runtime optimisations */
    bool has_no_graph;
};

static inline struct bp_flat_slot ort_slot(const struct bp_flat_field *field)
{
    return (struct bp_flat_slot){.number = field->number, .width = 4};
}

static inline void ort_hand_tensor(struct bp_flat_out *out, uint32_t at, const char *name,
                                   uint32_t dtype, int64_t dim, const void *bytes, size_t n,
                                   int64_t external)
{
    struct bp_flat_slot slots[] = {
        ort_slot(&bp_ort_tensor_name),
        ort_slot(&bp_ort_tensor_dims),
        {.number = bp_ort_tensor_type.number, .width = 4, .value = dtype},
        {.number = bp_ort_tensor_external.number, .width = 8, .value = (uint64_t)external},
        ort_slot(&bp_ort_tensor_raw)};

    bp_flat_put_table(out, at, slots, 5);
    bp_flat_put_text(out, slots[0].at, name, strlen(name));
    bp_flat_set(out, bp_flat_put_list(out, slots[1].at, 1, 8), &dim, sizeof dim);
    bp_flat_put_blob(out, slots[4].at, bytes, n);
}

static inline void ort_hand_sparse(struct bp_flat_out *out, uint32_t at,
                                   const struct ort_hand *hand)
{
    struct bp_flat_slot slots[] = {ort_slot(&bp_ort_sparse_values),
                                   ort_slot(&bp_ort_sparse_indices), ort_slot(&bp_ort_sparse_dims)};
    const int64_t dim = 300;
    uint32_t first = bp_flat_put_list(out, at, 1, 4);

    bp_flat_put_table(out, first, slots, 3);
    ort_hand_tensor(out, slots[0].at, "s", BP_DTYPE_F32, 2, "\0\0\x80?\0\0\0@", 8, -1);
    ort_hand_tensor(out, slots[1].at, "", hand->index_dtype, 2, hand->indices, hand->index_bytes,
                    -1);
    bp_flat_set(out, bp_flat_put_list(out, slots[2].at, 1, 8), &dim, sizeof dim);
}

static inline void ort_hand_names(struct bp_flat_out *out, uint32_t at, const char *name)
{
    uint32_t first = bp_flat_put_list(out, at, 1, 4);

    bp_flat_put_text(out, first, name, strlen(name));
}

static inline void ort_hand_nodes(struct bp_flat_out *out, uint32_t at, const struct ort_hand *hand)
{
    struct bp_flat_slot slots[] = {
        ort_slot(&bp_ort_node_op),
        ort_slot(&bp_ort_node_provider),
        ort_slot(&bp_ort_node_inputs),
        ort_slot(&bp_ort_node_outputs),
        {.number = bp_ort_node_type.number, .width = 4, .value = (uint32_t)hand->node_type}};
    const char *op = hand->op ? hand->op : "Identity";
    uint32_t n = hand->n_nodes ? hand->n_nodes : 1;
    uint32_t first = bp_flat_put_list(out, at, n, 4), table;

    bp_flat_put_table(out, first, slots, 5);
    memcpy(&table, out->data + first, sizeof table);
    for (uint32_t i = 1; i < n; i++) {
        uint32_t distance = table - i * 4;

        bp_flat_set(out, first + i * 4, &distance, sizeof distance);
    }
    bp_flat_put_text(out, slots[0].at, op, strlen(op));
    bp_flat_put_text(out, slots[1].at, "SomeExecutionProvider", 21);
    ort_hand_names(out, slots[2].at, hand->index_dtype ? "s" : "w");
    ort_hand_names(out, slots[3].at, "y");
}

static inline void ort_hand_graph(struct bp_flat_out *out, uint32_t at, const struct ort_hand *hand)
{
    struct bp_flat_slot slots[] = {ort_slot(&bp_ort_graph_initializers),
                                   ort_slot(&bp_ort_graph_nodes), ort_slot(&bp_ort_graph_outputs),
                                   ort_slot(&bp_ort_graph_optimizations),
                                   ort_slot(&bp_ort_graph_sparse)};
    struct bp_flat_slot records = ort_slot(&bp_ort_optimizations_records);

    bp_flat_put_table(out, at, slots, hand->index_dtype ? 5 : 4);
    ort_hand_tensor(out, bp_flat_put_list(out, slots[0].at, 1, 4), "w", BP_DTYPE_F32, 1, "\0\0\0@",
                    4, hand->external);
    ort_hand_nodes(out, slots[1].at, hand);
    ort_hand_names(out, slots[2].at, "y");
    bp_flat_put_table(out, slots[3].at, &records, 1);
    bp_flat_put_list(out, records.at, hand->n_records, 4);
    if (hand->index_dtype)
        ort_hand_sparse(out, slots[4].at, hand);
}

/* A file that says what no writer of ours would. */
static inline bp_rc ort_write_by_hand(const struct ort_hand *hand, struct pw *to, bp_err *err)
{
    const char *version = hand->version ? hand->version : "6";
    struct bp_flat_slot session[] = {ort_slot(&bp_ort_session_version),
                                     ort_slot(&bp_ort_session_model)};
    struct bp_flat_slot model[] = {
        {.number = bp_ort_model_ir_version.number, .width = 8, .value = 8},
        ort_slot(&bp_ort_model_imports),
        ort_slot(&bp_ort_model_graph)};
    struct bp_flat_slot import[] = {
        ort_slot(&bp_ort_import_domain),
        {.number = bp_ort_import_version.number, .width = 8, .value = 13}};
    struct bp_flat_out out = {0};
    bp_rc rc;

    bp_flat_begin(&out, BP_ORT_IDENTIFIER);
    bp_flat_put_table(&out, 0, session, 2);
    bp_flat_put_text(&out, session[0].at, version, strlen(version));
    bp_flat_put_table(&out, session[1].at, model, hand->has_no_graph ? 2 : 3);
    bp_flat_put_table(&out, bp_flat_put_list(&out, model[1].at, 1, 4), import, 2);
    bp_flat_put_text(&out, import[0].at, "", 0);
    if (!hand->has_no_graph)
        ort_hand_graph(&out, model[2].at, hand);
    to->size = 0;
    rc = bp_flat_end(&out, NULL, ort_write_part, to, err);
    bp_flat_finish(&out);
    return rc;
}

static void (*const ort_writers[])(struct pw *w) = {ort_write_plain, ort_write_if,
                                                    ort_write_attributes, ort_write_loop};
enum { ORT_WRITERS = sizeof ort_writers / sizeof ort_writers[0] };

#endif
