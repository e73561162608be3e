/* SPDX-License-Identifier: MIT */
/* write.h - what the files share that write a graph of the host as ONNX. */
#ifndef BP_MODEL_WRITE_WRITE_H
#define BP_MODEL_WRITE_WRITE_H

#include "base/put.h"
#include "model/model.h"

/* A domain of the model's nodes, with the version of its operator set that the file imports. */
struct bp_import {
    const char *domain;
    uint32_t version; /* 0: none, as its nodes are of no known set */
    bool is_used;
};

struct bp_writer {
    const struct bp_onnx *onnx; /* what the graph was made of */
    const struct bp_symbols *symbols;
    struct bp_put put;
    struct bp_import *imports;
    uint32_t n_imports;
    bp_model_weight *weights; /* initializers of the main graph that have their data elsewhere */
    uint32_t n_weights;
    struct bp_region region;
    bp_err *err;
};

/* Field 1 (a type) of what is being written: what is known of a value. */
void bp_write_type(struct bp_writer *w, uint32_t field, const struct bp_fact *fact);
/* A TypeProto for such a text as bp_type_text() gives; false: it is none. */
bool bp_write_type_text(struct bp_writer *w, uint32_t field, const char *text, size_t n);
/* A ValueInfoProto. */
void bp_write_value(struct bp_writer *w, uint32_t field, const struct bp_ir_value *value);

/*
 * Finds the versions of operator sets that mean for every node what its own version means.
 * BP_E_UNSUPPORTED: there is none, as functions of the model may bring versions of their own.
 */
bp_rc bp_write_imports(struct bp_writer *w, const struct bp_ir *ir, bp_err *err) BP_CHECKED;

/* Does the attribute go without saying: has sealing added it? */
bool bp_write_is_default(const struct bp_ir_node *node, const bp_attr *attr);
/* Has ONNX a type there, which the host keeps as a text? */
bool bp_write_is_type(const struct bp_ir_node *node, const bp_attr *attr);
/* Who is read here or in a body, or is an output: a flag for each value. NULL: no memory. */
bool *bp_write_find_used(struct bp_region *region, const struct bp_ir *ir);

/* Nodes, initializers and types of values; of a body also its inputs and outputs. */
bp_rc bp_write_graph(struct bp_writer *w, const struct bp_ir *ir) BP_CHECKED;

#endif
