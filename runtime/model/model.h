/* SPDX-License-Identifier: MIT */
/* model.h - what the files of this folder know of an opened model. */
#ifndef BP_MODEL_MODEL_H
#define BP_MODEL_MODEL_H

#include <stdatomic.h>

#include "model/onnx.h"
#include "model/tensor.h"

enum {
    BP_IR_VERSION_NEWEST = 13, /* of ONNX's file format, that this was written for */
    BP_IR_VERSION_LAST = 20,   /* so much further has no version broken older readers */
    BP_MAX_DENSE = 1 << 30     /* bytes that a model's sparse tensors may become */
};

struct bp_onnx {
    atomic_uint refs;
    char *name; /* its path, for errors */
    struct bp_wire wire;
    struct bp_region region; /* holds proto */
    const Bp__ModelProto *proto;
    struct bp_source source;
    struct bp_strmap opsets;    /* domain -> version */
    struct bp_strmap functions; /* "domain:operator" of those that the model defines itself */
    uint64_t weight_bytes, n_weights;
};

/* BP_E_UNSUPPORTED: the node calls a function of the model that is no operator known here. */
bp_rc bp_check_call(const struct bp_onnx *onnx, const Bp__NodeProto *proto, bp_err *err) BP_CHECKED;
/* "ai.onnx" is another name for "". */
const char *bp_onnx_domain(const char *domain);
/* Registers the external files of all tensors and counts the weights; checks tensors' types and sizes. */
bp_rc bp_onnx_survey(struct bp_onnx *onnx, bp_err *err) BP_CHECKED;

/* ---- decoding a graph ------------------------------------------------------------------------ */

struct bp_builder {
    const struct bp_onnx *onnx;
    struct bp_region *region;
    struct bp_symbols *symbols;
    bool open_defaults;
    size_t dense_left; /* of BP_MAX_DENSE */
};

/* Fills an empty graph. */
bp_rc bp_decode_graph(struct bp_builder *builder, const Bp__GraphProto *proto, struct bp_ir *ir,
                      bp_err *err) BP_CHECKED;
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
