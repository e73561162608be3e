/* SPDX-License-Identifier: MIT */
/*
 * write.h - what the files share that write a graph of the host as ONNX.
 *
 * A bp_writer belongs to one thread. Its `put` owns the encoded bytes and records a lack of memory
 * in `put.failed`.
 */
#ifndef BP_MODEL_WRITE_WRITE_H
#define BP_MODEL_WRITE_WRITE_H

#include "base/put.h"
#include "model/model.h"

/* A domain of the model's nodes, with the version of its operator set that the file imports. */
struct bp_import {
    const char *domain;
    uint32_t version; /* 0: none, because its operators are unknown */
    bool is_used;
};

struct bp_writer {
    const struct bp_onnx *onnx; /* the model that the graph was built from */
    const struct bp_symbols *symbols;
    struct bp_put put;
    struct bp_import *imports;
    uint32_t n_imports;
    bp_model_weight *weights; /* initializers of the main graph, whose data is not in `put` */
    uint32_t n_weights;
    bool writes_inputs; /* of the main graph; else they are copied */
    struct bp_region region;
    bp_err *err;
};

/* Writes the type of a value as a TypeProto in `field`. */
void bp_write_type(struct bp_writer *w, uint32_t field, const struct bp_fact *fact);
/* Writes a TypeProto from a text like bp_type_text()'s; false: the text is not a type. */
bool bp_write_type_text(struct bp_writer *w, uint32_t field, const char *text, size_t n);
/* Writes a ValueInfoProto: name and declared type. */
void bp_write_value(struct bp_writer *w, uint32_t field, const struct bp_ir_value *value);

/*
 * Finds versions of the operator sets under which every node means what it means in its own version.
 * BP_E_UNSUPPORTED: there are none, because functions of the model imported other versions.
 */
bp_rc bp_write_imports(struct bp_writer *w, const struct bp_ir *ir, bp_err *err) BP_CHECKED;

/* Does the attribute have the schema's default, so that it need not be written? */
bool bp_write_is_default(const struct bp_ir_node *node, const bp_attr *attr);
/* Is the attribute a TypeProto in ONNX, which the host keeps as text? */
bool bp_write_is_type(const struct bp_ir_node *node, const bp_attr *attr);
/* A flag for each value: is it read here or in a subgraph, or an output? NULL: no memory. */
bool *bp_write_find_used(struct bp_region *region, const struct bp_ir *ir);

/* Writes nodes, initializers and types of values; for a subgraph also its inputs and outputs. */
bp_rc bp_write_graph(struct bp_writer *w, const struct bp_ir *ir) BP_CHECKED;

#endif
