/* SPDX-License-Identifier: MIT */
/* reader.h - what the files share that read ONNX Runtime's own format. */
#ifndef BP_MODEL_ORT_FORMAT_READER_H
#define BP_MODEL_ORT_FORMAT_READER_H

#include "model/ort_format/read.h"
#include "model/ort_format/schema.h"

/*
 * Offsets of a FlatBuffer may share children, so a small hostile file could expand without end. Each
 * table that is visited counts, and the output has a limit.
 */
struct bp_ort_reader {
    struct bp_put *put;
    uint64_t limit;    /* of put->size */
    uint32_t n_tables; /* that may still be visited */
    bp_span graph_doc; /* of the main graph */
    struct bp_ort_facts *facts;
    bp_err *err;
};

/* Counts a table. BP_E_INVALID: more tables or output than the file's size allows. */
bp_rc bp_ort_visit(struct bp_ort_reader *r) BP_CHECKED;
/* Copies a string of a table to field `to` of the message that is being written, if present. */
bp_rc bp_ort_copy_text(struct bp_ort_reader *r, const struct bp_flat_table *table,
                       const struct bp_flat_field *field, uint32_t to) BP_CHECKED;
/* The same for a list of strings: one field each. */
bp_rc bp_ort_copy_texts(struct bp_ort_reader *r, const struct bp_flat_table *table,
                        const struct bp_flat_field *field, uint32_t to) BP_CHECKED;
/* The same for a list of int64. */
bp_rc bp_ort_copy_ints(struct bp_ort_reader *r, const struct bp_flat_table *table,
                       const struct bp_flat_field *field, uint32_t to) BP_CHECKED;

/* A TensorProto in field `to`. Its data stays in the file. */
bp_rc bp_ort_read_tensor(struct bp_ort_reader *r, const struct bp_flat_table *tensor,
                         uint32_t to) BP_CHECKED;
bp_rc bp_ort_read_sparse(struct bp_ort_reader *r, const struct bp_flat_table *sparse,
                         uint32_t to) BP_CHECKED;
/* Writes a ValueInfoProto to field `to`; value NULL: with the name alone. */
bp_rc bp_ort_read_value(struct bp_ort_reader *r, const struct bp_flat_table *value, bp_span name,
                        uint32_t to) BP_CHECKED;

#endif
