/* SPDX-License-Identifier: MIT */
/*
 * wire.h - the scan before protobuf-c: checks the framing of every byte that counts and copies the
 * structure, while the numbers of tensors stay where they lie.
 */
#ifndef BP_MODEL_WIRE_WIRE_H
#define BP_MODEL_WIRE_WIRE_H

#include "base/status.h"
#include "model/wire/fields.h"

enum {
    BP_WIRE_MAX_DEPTH = 100,         /* of messages within messages, as in protobuf itself */
    BP_WIRE_MAX_MESSAGES = 1 << 22,  /* a model of 300,000 nodes; each costs hundreds of bytes */
    BP_WIRE_MAX_STRUCTURE = 1 << 30, /* bytes of a message without its tensors' numbers */
    BP_WIRE_LENGTH_BYTES = 5         /* lengths in the copy are as wide as any can be */
};

/* Numbers of a tensor as they lie in the file. */
struct bp_chunk {
    const uint8_t *data;
    size_t size;
    uint32_t field; /* BP_TENSOR_*_DATA */
    bool is_tagged; /* elements with a tag before each, checked; else packed, not looked at yet */
};

/* Start from {0}. */
struct bp_wire {
    uint8_t *copy; /* what protobuf-c is to unpack */
    size_t size, cap;
    struct bp_chunk *chunks; /* TensorProto.chunk counts in these */
    uint32_t n_chunks, cap_chunks;
};

/*
 * Scans a message of type `root`; chunks point into `bytes`. BP_E_INVALID: a length, tag or nesting
 * that does not add up; the text says in which field and at which byte. A message in a field that
 * holds one is refused when it comes twice: merging them, as protobuf would, can be made to take
 * for ever.
 */
bp_rc bp_wire_scan(const void *bytes, size_t size, enum bp_message_type root, struct bp_wire *out,
                   bp_err *err) BP_CHECKED;
/* Frees the copy, which unpacking has made superfluous; chunks stay. */
void bp_wire_drop_copy(struct bp_wire *wire);
void bp_wire_finish(struct bp_wire *wire);

/*
 * A varint of at most `end - p` and ten bytes: the byte behind it, or NULL when it does not end in
 * time. Bits beyond 64 are lost, as everywhere.
 */
const uint8_t *bp_wire_varint(const uint8_t *p, const uint8_t *end, uint64_t *out);

#endif
