/* SPDX-License-Identifier: MIT */
/* writer.h - what the files share that write ONNX Runtime's own format. */
#ifndef BP_MODEL_ORT_FORMAT_WRITER_H
#define BP_MODEL_ORT_FORMAT_WRITER_H

#include "base/flat_write.h"
#include "model/ort_format/schema.h"
#include "model/write/write.h"

struct bp_ort_writer {
    struct bp_flat_out out;
    struct bp_symbols symbols;
    struct bp_region region; /* the graph, and what inference finds */
    bp_err *err;
};

/* A field of a table: a number, or what is put at its `at` later. */
static inline struct bp_flat_slot bp_ort_number(const struct bp_flat_field *field, uint16_t width,
                                                uint64_t value)
{
    return (struct bp_flat_slot){.number = field->number, .width = width, .value = value};
}

static inline struct bp_flat_slot bp_ort_child(const struct bp_flat_field *field)
{
    return (struct bp_flat_slot){.number = field->number, .width = 4};
}

static inline void bp_ort_put_string(struct bp_ort_writer *w, uint32_t at, const char *text)
{
    bp_flat_put_text(&w->out, at, text, strlen(text));
}

/* A ValueInfo that the offset at `at` refers to; NULL: nothing is known of the type. */
void bp_ort_put_value(struct bp_ort_writer *w, uint32_t at, const char *name,
                      const struct bp_fact *fact);
/* A Tensor; its data must live until the end. */
void bp_ort_put_tensor(struct bp_ort_writer *w, uint32_t at, const char *name, uint32_t dtype,
                       const int64_t *dims, uint32_t rank, const void *data, size_t size);
/* The graph's nodes: their tables, and the edges between them. */
bp_rc bp_ort_put_nodes(struct bp_ort_writer *w, uint32_t at, const struct bp_ir *ir,
                       const struct bp_fact *facts) BP_CHECKED;
void bp_ort_put_edges(struct bp_ort_writer *w, uint32_t at, const struct bp_ir *ir);
/* A Graph. `inputs`: what is known of a body's inputs, NULL of the main graph. */
bp_rc bp_ort_put_graph(struct bp_ort_writer *w, uint32_t at, struct bp_ir *ir,
                       const struct bp_fact *outer, const struct bp_fact *inputs) BP_CHECKED;

#endif
