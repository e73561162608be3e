/* SPDX-License-Identifier: MIT */
/*
 * model.h - what the files of this folder know of an opened model.
 *
 * Only this folder sees protobuf-c's types (Bp__*). A model is read-only once it is open, so any
 * thread may use it.
 */
#ifndef BP_MODEL_MODEL_H
#define BP_MODEL_MODEL_H

#include <stdatomic.h>

#include "model/onnx.h"
#include "model/ort_format/read.h"
#include "model/tensor.h"

enum {
    BP_IR_VERSION_NEWEST = 14, /* of ONNX's file format, when this was written */
    BP_IR_VERSION_LAST = 20,   /* newer ones are read too: no version so far broke old readers */
    BP_MAX_DENSE = 1 << 30,    /* bytes: all sparse tensors of a model, stored dense */
    BP_MAX_ATTRIBUTES = 256    /* of a node; names are compared pairwise, so it bounds the time */
};

struct bp_onnx {
    atomic_uint refs;
    char *name;    /* its path, for errors */
    bool has_path; /* name is one */
    struct bp_wire wire;
    struct bp_region region; /* holds proto */
    const Bp__ModelProto *proto;
    const Bp__GraphProto *graph; /* proto's, with function calls inlined */
    struct bp_source source;
    struct bp_strmap opsets; /* domain -> version */
    struct bp_strmap given;  /* initializer of the main graph -> row, from 1, of source.given */
    const bp_span *edits;    /* of the model, in the order in which they apply */
    uint32_t n_edits;
    uint32_t n_numbered; /* tensors of a model with functions; see bp_builder.tensors */
    uint64_t weight_bytes, n_weights;
    struct bp_onnx *of; /* see bp_onnx_rebuild(); NULL: it was read */
    struct bp_region own;
    uint8_t *own_bytes;        /* of source.file, if they were written here; to free */
    struct bp_bytes container; /* the .ort that they were written from, with the weights; or {0} */
    struct bp_ort_facts ort;
    _Atomic int64_t looked_ns; /* when its files were looked at, see bp_onnx_check_fresh() */
    atomic_bool is_stale;
};

/* "ai.onnx" is another name for "". */
const char *bp_onnx_domain(const char *domain);
/* Puts imports into an empty map: domain -> version. */
bp_rc bp_onnx_read_opsets(struct bp_strmap *opsets, Bp__OperatorSetIdProto *const *protos, size_t n,
                          bp_err *err) BP_CHECKED;
/*
 * Merges the edits into onnx->proto, which was just unpacked. The array is copied; the bytes are
 * borrowed and outlive the model. BP_E_INVALID: an edit can't be decoded, or has tensor data.
 */
bp_rc bp_onnx_edit(struct bp_onnx *onnx, const bp_span *edits, uint32_t n, bp_err *err) BP_CHECKED;
/* Replaces the data of initializers. BP_E_OPTION: no such name, or another type or shape. */
bp_rc bp_onnx_give(struct bp_onnx *onnx, const bp_model_weight *weights, uint32_t n,
                   bp_err *err) BP_CHECKED;
/*
 * Walks over all tensors once: checks types and sizes, registers external files, counts weights. In a
 * model with functions it numbers the tensors. BP_E_INVALID names the tensor.
 */
bp_rc bp_onnx_survey(struct bp_onnx *onnx, bp_err *err) BP_CHECKED;
/*
 * Sets onnx->graph, in which the model's own functions are inlined. BP_E_INVALID: a function calls
 * itself, or a call has too many inputs or outputs. BP_E_UNSUPPORTED: over BP_MAX_INLINED bytes.
 */
bp_rc bp_onnx_inline(struct bp_onnx *onnx, bp_err *err) BP_CHECKED;

/* ---- decoding a graph ------------------------------------------------------------------------ */

struct bp_builder {
    const struct bp_onnx *onnx;
    struct bp_region *region;
    struct bp_symbols *symbols;
    bool open_defaults;
    size_t dense_left; /* of BP_MAX_DENSE */
    struct bp_ir_data *
        *tensors; /* by their number: calls of a function share the decoded tensors */
};

/* Fills an empty graph. BP_E_INVALID names the node, input or initializer. */
bp_rc bp_decode_graph(struct bp_builder *builder, const Bp__GraphProto *proto, struct bp_ir *ir,
                      bp_err *err) BP_CHECKED;
/* Prefixes the text of err with "node 'NAME' (OP): ", and returns rc. */
bp_rc bp_fail_node(const Bp__NodeProto *node, bp_rc rc, bp_err *err);
/* Decodes attributes and subgraphs of a node that was added to ir. All values of ir are defined. */
bp_rc bp_decode_attributes(struct bp_builder *builder, const Bp__NodeProto *proto, struct bp_ir *ir,
                           uint32_t node, bp_err *err) BP_CHECKED;
/* A declared type as a fact; NULL gives a blank one. BP_E_INVALID: unknown element type, or rank. */
bp_rc bp_decode_type(struct bp_builder *builder, const Bp__TypeProto *proto, struct bp_fact *out,
                     bp_err *err) BP_CHECKED;
/* "tensor(float)", "seq(tensor(int64))", in the builder's region; NULL: no memory. */
const char *bp_type_text(struct bp_builder *builder, const Bp__TypeProto *proto);
/* A tensor's data: bytes stay in the file where possible, else they are in the builder's region. */
bp_rc bp_decode_tensor(struct bp_builder *builder, const Bp__TensorProto *proto,
                       struct bp_ir_data **out, bp_err *err) BP_CHECKED;
/* A sparse tensor, stored dense. BP_E_UNSUPPORTED: over BP_MAX_DENSE, or a type below 8 bits. */
bp_rc bp_decode_sparse(struct bp_builder *builder, const Bp__SparseTensorProto *proto,
                       struct bp_ir_data **out, bp_err *err) BP_CHECKED;

bool bp_is_constant_node(const Bp__NodeProto *proto);
/* The value of such a node. BP_E_INVALID: no value, or more than one attribute. */
bp_rc bp_decode_constant(struct bp_builder *builder, const Bp__NodeProto *proto,
                         struct bp_ir_data **out, bp_err *err) BP_CHECKED;

#endif
