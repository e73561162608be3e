/* SPDX-License-Identifier: MIT */
/* wire.h - walks the fields of a protobuf message, such as ONNX's ModelProto; it copies nothing. */
#ifndef BP_TOOLS_ONNX_WIRE_H
#define BP_TOOLS_ONNX_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Fields by their numbers in onnx.proto. */
enum {
    MODEL_IR_VERSION = 1,
    MODEL_GRAPH = 7,
    MODEL_OPSET_IMPORT = 8,
    MODEL_FUNCTIONS = 25,

    OPSET_DOMAIN = 1,
    OPSET_VERSION = 2,

    GRAPH_NODE = 1,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,

    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_OP_TYPE = 4,
    NODE_ATTRIBUTE = 5,
    NODE_DOMAIN = 7,

    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_F = 2,
    ATTRIBUTE_I = 3,
    ATTRIBUTE_S = 4,
    ATTRIBUTE_T = 5,
    ATTRIBUTE_FLOATS = 7,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_STRINGS = 9,
    ATTRIBUTE_TYPE = 20,

    TENSOR_DIMS = 1,
    TENSOR_DATA_TYPE = 2,
    TENSOR_FLOAT_DATA = 4,
    TENSOR_INT32_DATA = 5,
    TENSOR_STRING_DATA = 6,
    TENSOR_INT64_DATA = 7,
    TENSOR_NAME = 8,
    TENSOR_RAW_DATA = 9,
    TENSOR_DOUBLE_DATA = 10,
    TENSOR_UINT64_DATA = 11,
    TENSOR_DATA_LOCATION = 14,

    VALUE_NAME = 1,
    VALUE_TYPE = 2,
    TYPE_TENSOR = 1, /* of TypeProto; another field is another kind of value */
    TYPE_TENSOR_ELEM = 1,
    TYPE_TENSOR_SHAPE = 2,
    SHAPE_DIM = 1,
    DIM_VALUE = 1
};

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

/* A message that is being walked; the bytes are the caller's. */
struct wire {
    const unsigned char *at, *end;
    bool
        is_broken; /* it ended in the middle of a field, or has a type of field that there is not */
};

struct wire_field {
    uint32_t number, type;      /* type: WIRE_* */
    uint64_t value;             /* of WIRE_VARINT, WIRE_FIXED64, WIRE_FIXED32: its bits */
    const unsigned char *data;  /* of WIRE_BYTES: what is in it, */
    size_t size;                /* that many bytes */
    const unsigned char *whole; /* the field with its tag, */
    size_t whole_size;          /* that many bytes */
};

struct wire wire_of(const void *data, size_t size);
/* What is in a field of WIRE_BYTES: a message, or packed varints; nothing, if it is of another type. */
struct wire wire_in(const struct wire_field *field);
/* The next field; false at the end, or if the message is broken. */
bool wire_next(struct wire *wire, struct wire_field *out);
/* The next varint of packed ones. */
bool wire_varint(struct wire *wire, uint64_t *out);
/* The last field of that number, which is the one that counts; false: there is none. */
bool wire_find(const void *data, size_t size, uint32_t number, struct wire_field *out);
/* Is it a field of WIRE_BYTES with this text? */
bool wire_is(const struct wire_field *field, const char *text, size_t size);

#endif
