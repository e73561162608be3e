/* SPDX-License-Identifier: MIT */
/* tensor.h - from a decoded TensorProto to a constant of the graph. */
#ifndef BP_MODEL_TENSOR_H
#define BP_MODEL_TENSOR_H

#include "base/bytes.h"
#include "base/region.h"
#include "graph/ir.h"
#include "model/wire/wire.h"

#include "model/onnx.pb-c.h"

struct bp_external;

/* Where the numbers of tensors are: what their TensorProtos refer to. */
struct bp_source {
    const struct bp_chunk *chunks;
    uint32_t n_chunks;
    struct bp_bytes file;         /* chunks point into it */
    uint64_t salt;                /* like no other in this process */
    struct bp_external *external; /* NULL: there are no external files */
    const bp_tensor *given;       /* what TensorProto.given counts in */
};

/*
 * Checks element type, rank and sizes. *out is the size of the data in bytes; of strings, of their
 * bp_spans.
 */
bp_rc bp_tensor_proto_check(const Bp__TensorProto *proto, size_t *out, bp_err *err) BP_CHECKED;

/*
 * Reads a tensor. Bytes stay where they lie when they lie there as they are wanted, else they are
 * made in `region`; dims, strings and bytes are valid as long as proto, source and region are.
 * Errors name the tensor.
 */
bp_rc bp_tensor_proto_read(const Bp__TensorProto *proto, const struct bp_source *source,
                           struct bp_region *region, struct bp_ir_data *out,
                           bp_err *err) BP_CHECKED;

/*
 * Is it in ordinary memory, with as many bytes as its dims need? *out is their number; of strings,
 * of their bp_spans.
 */
bp_rc bp_tensor_check(const bp_tensor *tensor, size_t *out, bp_err *err) BP_CHECKED;

/* A number for n bytes at p that live as long as the source: equal numbers are equal bytes. */
uint64_t bp_source_id(const struct bp_source *source, const void *p, size_t n);
/* The same for part of a mapped file. */
uint64_t bp_file_part_id(uint64_t file_id, uint64_t offset, uint64_t size);
/* BP_E_INVALID when a tensor of dtype bool has a byte that is neither 0 nor 1. */
bp_rc bp_check_bools(const struct bp_ir_data *data, bp_err *err) BP_CHECKED;

/* protobuf-c's NULL for what is absent, as text. */
static inline const char *bp_text_or_empty(const char *text)
{
    return text ? text : "";
}

#endif
