/* SPDX-License-Identifier: MIT */
/* reader.h - what the files share that read ONNX Runtime's own format. */
#ifndef BP_MODEL_ORT_FORMAT_READER_H
#define BP_MODEL_ORT_FORMAT_READER_H

#include "model/ort_format/read.h"
#include "model/ort_format/schema.h"

/*
 * FlatBuffers may refer to the same bytes from many places, so that a small file could become a
 * model without end. Each table is counted, and what is written has a limit.
 */
struct bp_ort_reader {
    struct bp_put *put;
    uint64_t limit;    /* of put->size */
    uint32_t n_tables; /* that may still be visited */
    bp_span graph_doc; /* of the main graph */
    struct bp_ort_facts *facts;
    bp_err *err;
};

/* Counts a table, and looks whether all this has become too much. */
bp_rc bp_ort_visit(struct bp_ort_reader *r) BP_CHECKED;
/* Field `to` of what is being written: a string of a table, when it is there. */
bp_rc bp_ort_copy_text(struct bp_ort_reader *r, const struct bp_flat_table *table,
                       const struct bp_flat_field *field, uint32_t to) BP_CHECKED;
/* The same of a list of strings, one field each. */
bp_rc bp_ort_copy_texts(struct bp_ort_reader *r, const struct bp_flat_table *table,
                        const struct bp_flat_field *field, uint32_t to) BP_CHECKED;
/* A list of int64, one field each. */
bp_rc bp_ort_copy_ints(struct bp_ort_reader *r, const struct bp_flat_table *table,
                       const struct bp_flat_field *field, uint32_t to) BP_CHECKED;

/* A TensorProto in field `to`. Its data stays in the file. */
bp_rc bp_ort_read_tensor(struct bp_ort_reader *r, const struct bp_flat_table *tensor,
                         uint32_t to) BP_CHECKED;
bp_rc bp_ort_read_sparse(struct bp_ort_reader *r, const struct bp_flat_table *sparse,
                         uint32_t to) BP_CHECKED;
/* A ValueInfoProto; `value` without table: of that name alone. */
bp_rc bp_ort_read_value(struct bp_ort_reader *r, const struct bp_flat_table *value, bp_span name,
                        uint32_t to) BP_CHECKED;

#endif
