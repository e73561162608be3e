/* SPDX-License-Identifier: MIT */
/*
 * tensor.h - from a decoded TensorProto to a constant of the graph.
 *
 * Nothing here keeps state: functions may be called by any thread for the same source.
 */
#ifndef BP_MODEL_TENSOR_H
#define BP_MODEL_TENSOR_H

#include "base/bytes.h"
#include "base/region.h"
#include "graph/ir.h"
#include "model/wire/wire.h"

#include "model/onnx.pb-c.h"

struct bp_external;

/* Where the data of tensors is: what their TensorProtos refer to. */
struct bp_source {
    const struct bp_chunk *chunks;
    uint32_t n_chunks;
    struct bp_bytes file;         /* chunks point into it */
    uint64_t salt;                /* random; keeps ids of models apart */
    struct bp_external *external; /* NULL: there are no external files */
    const bp_tensor *given;       /* TensorProto.given is a row of it, from 1 */
};

/*
 * Checks element type, rank and dims. *out is the size of the dense data in bytes; for strings, of
 * their bp_spans. BP_E_INVALID.
 */
bp_rc bp_tensor_proto_check(const Bp__TensorProto *proto, size_t *out, bp_err *err) BP_CHECKED;

/*
 * Reads a tensor. Bytes are used in place when their layout allows it, else converted into `region`;
 * dims, strings and bytes are valid as long as proto, source and region are. BP_E_INVALID, BP_E_IO
 * and BP_E_NOMEM name the tensor.
 */
bp_rc bp_tensor_proto_read(const Bp__TensorProto *proto, const struct bp_source *source,
                           struct bp_region *region, struct bp_ir_data *out,
                           bp_err *err) BP_CHECKED;

/*
 * Checks that a tensor of the application is in host memory and has as many bytes as its dims need;
 * *out: those bytes; for strings, of their bp_spans. BP_E_INVALID.
 */
bp_rc bp_tensor_check(const bp_tensor *tensor, size_t *out, bp_err *err) BP_CHECKED;

/* An id of n bytes at p, which live as long as the source: equal ids mean equal bytes. */
uint64_t bp_source_id(const struct bp_source *source, const void *p, size_t n);
/* The id of a range of a mapped file. */
uint64_t bp_file_part_id(uint64_t file_id, uint64_t offset, uint64_t size);
/*
 * Is a mapped tensor of this dtype copied when it is read? Indices, lengths and conditions are
 * checked before they are used. In a mapped file another process could change them in between.
 */
static inline bool bp_dtype_is_copied(uint32_t dtype)
{
    return dtype == BP_DTYPE_I32 || dtype == BP_DTYPE_I64 || dtype == BP_DTYPE_U32 ||
           dtype == BP_DTYPE_U64 || dtype == BP_DTYPE_BOOL;
}

/* BP_E_INVALID when a tensor of dtype bool has a byte that is neither 0 nor 1. */
bp_rc bp_check_bools(const struct bp_ir_data *data, bp_err *err) BP_CHECKED;

/* protobuf-c has NULL for an absent string. */
static inline const char *bp_text_or_empty(const char *text)
{
    return text ? text : "";
}

#endif
