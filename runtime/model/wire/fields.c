/* SPDX-License-Identifier: MIT */
/*
 * fields.c - the fields of onnx.proto as tables: one for each message, indexed by field number.
 *
 * Gaps are fields that ONNX reserved or that are not read. The numbers are part of ONNX's file
 * format and never change.
 */

#include "config.h"

#include "model/wire/fields.h"

#include <stddef.h>

#define COUNT(a) (sizeof(a) / sizeof(a)[0])

#define ONE(name, kind)                                                                            \
    {                                                                                              \
        name, BP_FIELD_##kind, BP_MSG_END, false                                                   \
    }
#define LIST(name, kind)                                                                           \
    {                                                                                              \
        name, BP_FIELD_##kind, BP_MSG_END, true                                                    \
    }
#define ONE_OF(name, type)                                                                         \
    {                                                                                              \
        name, BP_FIELD_MESSAGE, BP_MSG_##type, false                                               \
    }
#define LIST_OF(name, type)                                                                        \
    {                                                                                              \
        name, BP_FIELD_MESSAGE, BP_MSG_##type, true                                                \
    }

/*
 * AttributeProto: `type` (since IR version 2) says which of the value fields counts. 22 and 23
 * since IR version 5.
 */
static const struct bp_field attribute_fields[] = {
    [1] = ONE("name", TEXT),
    [2] = ONE("f", FLOAT),
    [3] = ONE("i", INT),
    [4] = ONE("s", TEXT),
    [5] = ONE_OF("t", TENSOR),
    [6] = ONE_OF("g", GRAPH),
    [7] = LIST("floats", FLOAT),
    [8] = LIST("ints", INT),
    [9] = LIST("strings", TEXT),
    [10] = LIST_OF("tensors", TENSOR),
    [11] = LIST_OF("graphs", GRAPH),
    [14] = ONE_OF("tp", TYPE),
    [15] = LIST_OF("type_protos", TYPE),
    [20] = ONE("type", INT),
    [21] = ONE("ref_attr_name", TEXT),
    [22] = ONE_OF("sparse_tensor", SPARSE),
    [23] = LIST_OF("sparse_tensors", SPARSE),
};

/* TensorShapeProto.Dimension: a oneof; neither field means unknown. */
static const struct bp_field dimension_fields[] = {
    [1] = ONE("dim_value", INT),
    [2] = ONE("dim_param", TEXT),
    [3] = ONE("denotation", TEXT),
};

/* StringStringEntryProto: metadata_props and external_data. */
static const struct bp_field entry_fields[] = {
    [1] = ONE("key", TEXT),
    [2] = ONE("value", TEXT),
};

/* FunctionProto (IR version 8); 11 since IR version 9, 13 since 10. */
static const struct bp_field function_fields[] = {
    [1] = ONE("name", TEXT),
    [4] = LIST("input", TEXT),
    [5] = LIST("output", TEXT),
    [7] = LIST_OF("node", NODE),
    [9] = LIST_OF("opset_import", OPSET),
    [10] = ONE("domain", TEXT),
    [11] = LIST_OF("attribute_proto", ATTRIBUTE),
    [13] = ONE("overload", TEXT),
};

/* GraphProto. 13 (value_info) is optional type information. */
static const struct bp_field graph_fields[] = {
    [1] = LIST_OF("node", NODE),
    [2] = ONE("name", TEXT),
    [5] = LIST_OF("initializer", TENSOR),
    [10] = ONE("doc_string", TEXT),
    [11] = LIST_OF("input", VALUE_INFO),
    [12] = LIST_OF("output", VALUE_INFO),
    [13] = LIST_OF("value_info", VALUE_INFO),
    [15] = LIST_OF("sparse_initializer", SPARSE),
};

/* TypeProto: a oneof. */
static const struct bp_field map_type_fields[] = {
    [1] = ONE("key_type", INT),
    [2] = ONE_OF("value_type", TYPE),
};

/* ModelProto. Training information (20) is not read. */
static const struct bp_field model_fields[] = {
    [1] = ONE("ir_version", INT),
    [2] = ONE("producer_name", TEXT),
    [3] = ONE("producer_version", TEXT),
    [4] = ONE("domain", TEXT),
    [5] = ONE("model_version", INT),
    [6] = ONE("doc_string", TEXT),
    [7] = ONE_OF("graph", GRAPH),
    [8] = LIST_OF("opset_import", OPSET),
    [14] = LIST_OF("metadata_props", ENTRY),
    [25] = LIST_OF("functions", FUNCTION),
};

/* NodeProto; 8 (overload) since IR version 10. An empty input or output name means absent. */
static const struct bp_field node_fields[] = {
    [1] = LIST("input", TEXT),
    [2] = LIST("output", TEXT),
    [3] = ONE("name", TEXT),
    [4] = ONE("op_type", TEXT),
    [5] = LIST_OF("attribute", ATTRIBUTE),
    [7] = ONE("domain", TEXT),
    [8] = ONE("overload", TEXT),
};

/* OperatorSetIdProto: an empty domain is ONNX's own. */
static const struct bp_field opset_fields[] = {
    [1] = ONE("domain", TEXT),
    [2] = ONE("version", INT),
};

/* MapProto of onnx-data.proto: keys in 3 or in 4, by their type. */
static const struct bp_field map_fields[] = {
    [1] = ONE("name", TEXT),         [2] = ONE("key_type", INT),       [3] = LIST("keys", INT),
    [4] = LIST("string_keys", TEXT), [5] = ONE_OF("values", SEQUENCE),
};

/* OptionalProto: no value field set means empty. */
static const struct bp_field optional_fields[] = {
    [1] = ONE("name", TEXT),
    [2] = ONE("elem_type", INT),
    [3] = ONE_OF("tensor_value", TENSOR),
    [5] = ONE_OF("sequence_value", SEQUENCE),
    [6] = ONE_OF("map_value", MAP),
    [7] = ONE_OF("optional_value", OPTIONAL),
};

/* SequenceProto: elem_type says which list is used. */
static const struct bp_field sequence_fields[] = {
    [1] = ONE("name", TEXT),
    [2] = ONE("elem_type", INT),
    [3] = LIST_OF("tensor_values", TENSOR),
    [5] = LIST_OF("sequence_values", SEQUENCE),
    [6] = LIST_OF("map_values", MAP),
    [7] = LIST_OF("optional_values", OPTIONAL),
};

/* TensorShapeProto: no dimensions means a scalar. */
static const struct bp_field shape_fields[] = {
    [1] = LIST_OF("dim", DIMENSION),
};

/* SparseTensorProto: values [nnz], indices [nnz] or [nnz, rank]. */
static const struct bp_field sparse_fields[] = {
    [1] = ONE_OF("values", TENSOR),
    [2] = ONE_OF("indices", TENSOR),
    [3] = LIST("dims", INT),
};

/* TensorProto: data is in raw_data or in the one typed field of its type. */
static const struct bp_field tensor_fields[] = {
    [1] = LIST("dims", INT),
    [2] = ONE("data_type", INT),
    [BP_TENSOR_FLOAT_DATA] = LIST("float_data", FLOATS),
    [BP_TENSOR_INT32_DATA] = LIST("int32_data", INTS),
    [BP_TENSOR_STRING_DATA] = LIST("string_data", TEXT),
    [BP_TENSOR_INT64_DATA] = LIST("int64_data", INTS),
    [8] = ONE("name", TEXT),
    [BP_TENSOR_RAW_DATA] = ONE("raw_data", BYTES),
    [BP_TENSOR_DOUBLE_DATA] = LIST("double_data", DOUBLES),
    [BP_TENSOR_UINT64_DATA] = LIST("uint64_data", INTS),
    [13] = LIST_OF("external_data", ENTRY),
    [14] = ONE("data_location", INT),
};

/* TypeProto.Tensor, and TypeProto.SparseTensor, which has the same fields. */
static const struct bp_field tensor_type_fields[] = {
    [1] = ONE("elem_type", INT),
    [2] = ONE_OF("shape", SHAPE),
};

static const struct bp_field type_fields[] = {
    [1] = ONE_OF("tensor_type", TENSOR_TYPE), [4] = ONE_OF("sequence_type", TYPE_OF),
    [5] = ONE_OF("map_type", MAP_TYPE),       [8] = ONE_OF("sparse_tensor_type", TENSOR_TYPE),
    [9] = ONE_OF("optional_type", TYPE_OF),
};

/* TypeProto.Sequence and TypeProto.Optional have the same field. */
static const struct bp_field type_of_fields[] = {
    [1] = ONE_OF("elem_type", TYPE),
};

/* ValueInfoProto: name and type of an input, output or value. */
static const struct bp_field value_info_fields[] = {
    [1] = ONE("name", TEXT),
    [2] = ONE_OF("type", TYPE),
};

#define MESSAGE(name, fields)                                                                      \
    {                                                                                              \
        name, fields, COUNT(fields)                                                                \
    }

static const struct {
    const char *name;
    const struct bp_field *fields;
    size_t count;
} messages[BP_MSG_END] = {
    [BP_MSG_ATTRIBUTE] = MESSAGE("AttributeProto", attribute_fields),
    [BP_MSG_DIMENSION] = MESSAGE("TensorShapeProto.Dimension", dimension_fields),
    [BP_MSG_ENTRY] = MESSAGE("StringStringEntryProto", entry_fields),
    [BP_MSG_FUNCTION] = MESSAGE("FunctionProto", function_fields),
    [BP_MSG_GRAPH] = MESSAGE("GraphProto", graph_fields),
    [BP_MSG_MAP] = MESSAGE("MapProto", map_fields),
    [BP_MSG_MAP_TYPE] = MESSAGE("TypeProto.Map", map_type_fields),
    [BP_MSG_MODEL] = MESSAGE("ModelProto", model_fields),
    [BP_MSG_NODE] = MESSAGE("NodeProto", node_fields),
    [BP_MSG_OPSET] = MESSAGE("OperatorSetIdProto", opset_fields),
    [BP_MSG_OPTIONAL] = MESSAGE("OptionalProto", optional_fields),
    [BP_MSG_SEQUENCE] = MESSAGE("SequenceProto", sequence_fields),
    [BP_MSG_SHAPE] = MESSAGE("TensorShapeProto", shape_fields),
    [BP_MSG_SPARSE] = MESSAGE("SparseTensorProto", sparse_fields),
    [BP_MSG_TENSOR] = MESSAGE("TensorProto", tensor_fields),
    [BP_MSG_TENSOR_TYPE] = MESSAGE("TypeProto.Tensor", tensor_type_fields),
    [BP_MSG_TYPE] = MESSAGE("TypeProto", type_fields),
    [BP_MSG_TYPE_OF] = MESSAGE("TypeProto.Sequence", type_of_fields),
    [BP_MSG_VALUE_INFO] = MESSAGE("ValueInfoProto", value_info_fields),
};

const struct bp_field *bp_field_find(enum bp_message_type message, uint32_t number)
{
    /* no message has a field 0, so entry 0 is BP_FIELD_UNKNOWN in every table */
    return &messages[message].fields[number < messages[message].count ? number : 0];
}

const char *bp_message_name(enum bp_message_type message)
{
    return messages[message].name;
}
