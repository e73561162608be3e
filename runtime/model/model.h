/* SPDX-License-Identifier: MIT */
/* model.h - what the files of this folder know of an opened model. */
#ifndef BP_MODEL_MODEL_H
#define BP_MODEL_MODEL_H

#include <stdatomic.h>

#include "model/onnx.h"
#include "model/ort_format/read.h"
#include "model/tensor.h"

enum {
    BP_IR_VERSION_NEWEST = 13, /* of ONNX's file format, that this was written for */
    BP_IR_VERSION_LAST = 20,   /* so much further has no version broken older readers */
    BP_MAX_DENSE = 1 << 30,    /* bytes that a model's sparse tensors may become */
    BP_MAX_ATTRIBUTES = 256    /* of a node; they are compared with each other */
};

struct bp_onnx {
    atomic_uint refs;
    char *name; /* its path, for errors */
    struct bp_wire wire;
    struct bp_region region; /* holds proto */
    const Bp__ModelProto *proto;
    const Bp__GraphProto *graph; /* proto's, without calls of functions */
    struct bp_source source;
    struct bp_strmap opsets; /* domain -> version */
    struct bp_strmap given;  /* initializer of the main graph -> row, from 1, of source.given */
    const bp_span *edits;    /* of the model, in turn */
    uint32_t n_edits;
    uint32_t n_numbered; /* tensors that have a number */
    uint64_t weight_bytes, n_weights;
    struct bp_onnx *of; /* see bp_onnx_rebuild(); NULL: it was read */
    struct bp_region own;
    uint8_t *own_bytes;        /* of source.file, if they were written here; to free */
    struct bp_bytes container; /* the .ort that they were written from, with the weights; or {0} */
    struct bp_ort_facts ort;
};

/* "ai.onnx" is another name for "". */
const char *bp_onnx_domain(const char *domain);
/* Puts imports into an empty map: domain -> version. */
bp_rc bp_onnx_read_opsets(struct bp_strmap *opsets, Bp__OperatorSetIdProto *const *protos, size_t n,
                          bp_err *err) BP_CHECKED;
/*
 * Puts what the edits add to the model into onnx->proto, which is fresh from unpacking. The array
 * is copied, its bytes outlive the model.
 */
bp_rc bp_onnx_edit(struct bp_onnx *onnx, const bp_span *edits, uint32_t n, bp_err *err) BP_CHECKED;
/* Lets initializers have the data of these weights. BP_E_OPTION: one does not fit. */
bp_rc bp_onnx_give(struct bp_onnx *onnx, const bp_model_weight *weights, uint32_t n,
                   bp_err *err) BP_CHECKED;
/*
 * Registers the external files of all tensors and counts the weights; checks tensors' types and
 * sizes. In a model with functions it numbers them.
 */
bp_rc bp_onnx_survey(struct bp_onnx *onnx, bp_err *err) BP_CHECKED;
/*
 * Sets onnx->graph: the functions that the model defines are put in place of their calls.
 * BP_E_INVALID: they call themselves, or calls do not fit. BP_E_UNSUPPORTED: they become too much.
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
        *tensors; /* by number, once decoded: calls of a function share its tensors */
};

/* Fills an empty graph. */
bp_rc bp_decode_graph(struct bp_builder *builder, const Bp__GraphProto *proto, struct bp_ir *ir,
                      bp_err *err) BP_CHECKED;
/* Puts "node 'NAME' (OP): " before the words that err has, and returns rc. */
bp_rc bp_fail_node(const Bp__NodeProto *node, bp_rc rc, bp_err *err);
/* Attributes and bodies of a node that was added to ir. Values of ir are all defined. */
bp_rc bp_decode_attributes(struct bp_builder *builder, const Bp__NodeProto *proto, struct bp_ir *ir,
                           uint32_t node, bp_err *err) BP_CHECKED;
/* What a type says; NULL, and types that are no tensors, say nothing. */
bp_rc bp_decode_type(struct bp_builder *builder, const Bp__TypeProto *proto, struct bp_fact *out,
                     bp_err *err) BP_CHECKED;
/* "tensor(float)", "seq(tensor(int64))", in the builder's region; NULL: no memory. */
const char *bp_type_text(struct bp_builder *builder, const Bp__TypeProto *proto);
/* A tensor's data, in the builder's region. */
bp_rc bp_decode_tensor(struct bp_builder *builder, const Bp__TensorProto *proto,
                       struct bp_ir_data **out, bp_err *err) BP_CHECKED;
/* The same of a sparse tensor, made dense. BP_E_UNSUPPORTED: too large that way. */
bp_rc bp_decode_sparse(struct bp_builder *builder, const Bp__SparseTensorProto *proto,
                       struct bp_ir_data **out, bp_err *err) BP_CHECKED;

bool bp_is_constant_node(const Bp__NodeProto *proto);
/* The value of such a node. */
bp_rc bp_decode_constant(struct bp_builder *builder, const Bp__NodeProto *proto,
                         struct bp_ir_data **out, bp_err *err) BP_CHECKED;

#endif
