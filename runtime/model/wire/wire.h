/* SPDX-License-Identifier: MIT */
/*
 * wire.h - the scan before protobuf-c: checks the framing of every field that is read and copies the
 * structure, without tensor data, which stays in the file.
 *
 * protobuf-c would copy all weights and recurse as deep as the file says; after the scan it gets a
 * small, checked message.
 */
#ifndef BP_MODEL_WIRE_WIRE_H
#define BP_MODEL_WIRE_WIRE_H

#include "base/status.h"
#include "model/wire/fields.h"

enum {
    BP_WIRE_MAX_DEPTH = 100,         /* nested messages; protobuf's own default limit */
    BP_WIRE_MAX_MESSAGES = 1 << 22,  /* about 300,000 nodes; a message takes hundreds of bytes */
    BP_WIRE_MAX_STRUCTURE = 1 << 30, /* bytes of a message without tensor data */
    BP_WIRE_LENGTH_BYTES = 5         /* of a length in the copy: the widest 32-bit varint */
};

/* Data of a tensor in the file. */
struct bp_chunk {
    const uint8_t *data;
    size_t size;
    uint32_t field; /* BP_TENSOR_*_DATA */
    bool is_tagged; /* each element has a tag, and was checked; else packed and not yet checked */
};

/* Start from {0}. */
struct bp_wire {
    uint8_t *copy; /* the message for protobuf-c */
    size_t size, cap;
    struct bp_chunk *chunks; /* TensorProto.chunk is an index of this */
    uint32_t n_chunks, cap_chunks;
};

/*
 * Scans a message of type `root`; chunks point into `bytes`. BP_E_INVALID: a length, tag or nesting is
 * wrong; the text has the field and the byte. A singular message field that comes twice is refused:
 * protobuf would merge the two, which a hostile file can make quadratic.
 */
bp_rc bp_wire_scan(const void *bytes, size_t size, enum bp_message_type root, struct bp_wire *out,
                   bp_err *err) BP_CHECKED;
/* Frees the copy, which is not needed after unpacking; chunks stay. */
void bp_wire_drop_copy(struct bp_wire *wire);
void bp_wire_finish(struct bp_wire *wire);

/*
 * Reads a varint of at most ten bytes: returns the byte after it, or NULL when it does not end before
 * `end`. Bits beyond 64 are lost, as in other readers.
 */
const uint8_t *bp_wire_varint(const uint8_t *p, const uint8_t *end, uint64_t *out);

#endif
