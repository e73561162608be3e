/* SPDX-License-Identifier: MIT */
/* fields.h - which messages and fields of ONNX's format we read; for the scan in wire.c. */
#ifndef BP_MODEL_WIRE_FIELDS_H
#define BP_MODEL_WIRE_FIELDS_H

#include <stdbool.h>
#include <stdint.h>

enum bp_message_type {
    BP_MSG_ATTRIBUTE,
    BP_MSG_DIMENSION,
    BP_MSG_ENTRY,
    BP_MSG_FUNCTION,
    BP_MSG_GRAPH,
    BP_MSG_MAP,
    BP_MSG_MAP_TYPE,
    BP_MSG_MODEL,
    BP_MSG_NODE,
    BP_MSG_OPSET,
    BP_MSG_OPTIONAL,
    BP_MSG_SEQUENCE,
    BP_MSG_SHAPE,
    BP_MSG_SPARSE,
    BP_MSG_TENSOR,
    BP_MSG_TENSOR_TYPE,
    BP_MSG_TYPE,
    BP_MSG_TYPE_OF, /* sequence or optional */
    BP_MSG_VALUE_INFO,
    BP_MSG_END
};

enum bp_field_kind {
    BP_FIELD_UNKNOWN, /* left out */
    BP_FIELD_INT,     /* varint */
    BP_FIELD_FLOAT,   /* four bytes */
    BP_FIELD_TEXT,    /* string or bytes */
    BP_FIELD_MESSAGE, /* of type `type` */
    BP_FIELD_BYTES,   /* tensor data, which stays in the file: raw bytes */
    BP_FIELD_FLOATS,  /* the same: four bytes each */
    BP_FIELD_DOUBLES, /* the same: eight bytes each */
    BP_FIELD_INTS     /* the same: varints */
};

struct bp_field {
    const char *name;
    enum bp_field_kind kind;
    enum bp_message_type type;
    bool is_list;
};

/* Field numbers of TensorProto that hold data. */
enum {
    BP_TENSOR_FLOAT_DATA = 4,
    BP_TENSOR_INT32_DATA = 5,
    BP_TENSOR_STRING_DATA = 6,
    BP_TENSOR_INT64_DATA = 7,
    BP_TENSOR_RAW_DATA = 9,
    BP_TENSOR_DOUBLE_DATA = 10,
    BP_TENSOR_UINT64_DATA = 11,
    BP_TENSOR_CHUNK = 1000 /* ours: a row of bp_wire.chunks */
};

/* The field of that number; its kind is BP_FIELD_UNKNOWN when it is not read. Never NULL. */
const struct bp_field *bp_field_find(enum bp_message_type message, uint32_t number);
/* The message's name in onnx.proto, such as "NodeProto". */
const char *bp_message_name(enum bp_message_type message);

#endif
