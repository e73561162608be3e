/* SPDX-License-Identifier: MIT */
/*
 * writer.h - what the files share that write ONNX Runtime's own format.
 *
 * Tables are written parents first: a slot's offset is filled in when its child is written.
 */
#ifndef BP_MODEL_ORT_FORMAT_WRITER_H
#define BP_MODEL_ORT_FORMAT_WRITER_H

#include "base/flat_write.h"
#include "model/ort_format/schema.h"
#include "model/write/write.h"

struct bp_ort_writer {
    struct bp_flat_out out;
    struct bp_symbols symbols;
    struct bp_region region; /* the graph, and the facts of inference */
    bp_err *err;
};

/* A scalar field of a table. */
static inline struct bp_flat_slot bp_ort_scalar(const struct bp_flat_field *field, uint16_t width,
                                                uint64_t value)
{
    return (struct bp_flat_slot){.number = field->number, .width = width, .value = value};
}

/* A field that refers to a child; `at` is where its offset goes. */
static inline struct bp_flat_slot bp_ort_child(const struct bp_flat_field *field)
{
    return (struct bp_flat_slot){.number = field->number, .width = 4};
}

static inline void bp_ort_put_string(struct bp_ort_writer *w, uint32_t at, const char *text)
{
    bp_flat_put_text(&w->out, at, text, strlen(text));
}

/* Writes a ValueInfo, referred to by the offset at `at`; fact NULL: the type is unknown. */
void bp_ort_put_value(struct bp_ort_writer *w, uint32_t at, const char *name,
                      const struct bp_fact *fact);
/* Writes a Tensor; its data is borrowed until bp_flat_end(). */
void bp_ort_put_tensor(struct bp_ort_writer *w, uint32_t at, const char *name, uint32_t dtype,
                       const int64_t *dims, uint32_t rank, const void *data, size_t size);
/* Writes the tables of the graph's nodes. BP_E_UNSUPPORTED names the node. */
bp_rc bp_ort_put_nodes(struct bp_ort_writer *w, uint32_t at, const struct bp_ir *ir,
                       const struct bp_fact *facts) BP_CHECKED;
/* Writes the edges between nodes; a lack of memory sets w->out.failed. */
void bp_ort_put_edges(struct bp_ort_writer *w, uint32_t at, const struct bp_ir *ir);
/* Writes a Graph. `inputs`: facts of a subgraph's inputs; NULL for the main graph. */
bp_rc bp_ort_put_graph(struct bp_ort_writer *w, uint32_t at, struct bp_ir *ir,
                       const struct bp_fact *outer, const struct bp_fact *inputs) BP_CHECKED;

#endif
