/* SPDX-License-Identifier: MIT */
/*
 * read_value.c - tensors and types of a model in ONNX Runtime's own format, as TensorProto and
 * TypeProto.
 */

#include "config.h"

#include <stdio.h>
#include <string.h>

#include "model/external.h"
#include "model/ort_format/reader.h"

enum {
    /* TensorProto */
    TENSOR_DIMS = 1,
    TENSOR_TYPE = 2,
    TENSOR_STRINGS = 6,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    TENSOR_EXTERNAL = 13,
    TENSOR_LOCATION = 14,
    /* SparseTensorProto */
    SPARSE_VALUES = 1,
    SPARSE_INDICES = 2,
    SPARSE_DIMS = 3,
    /* TypeProto */
    TYPE_TENSOR = 1,
    TYPE_SEQUENCE = 4,
    TYPE_MAP = 5,
    MAX_TYPE_DEPTH = 16 /* sequences of maps of...; real models have 2 */
};

/* ---- tensors --------------------------------------------------------------------------------- */

/* An entry of external_data. */
static void put_entry(struct bp_ort_reader *r, const char *key, const char *value)
{
    size_t mark = bp_put_begin(r->put, TENSOR_EXTERNAL);

    bp_put_text(r->put, 1, key);
    bp_put_text(r->put, 2, value);
    bp_put_end(r->put, mark);
}

/* raw_data becomes external data in the .ort file itself: no copy. */
static void put_place(struct bp_ort_reader *r, const struct bp_flat_list *raw)
{
    char text[24];

    put_entry(r, "location", BP_EXTERNAL_OWN);
    snprintf(text, sizeof text, "%u", raw->at);
    put_entry(r, "offset", text);
    snprintf(text, sizeof text, "%u", raw->n);
    put_entry(r, "length", text);
    bp_put_int(r->put, TENSOR_LOCATION, BP_TENSOR_EXTERNAL);
}

/* external_data_offset refers to a file whose name only ONNX Runtime's caller knows. */
static bp_rc read_data(struct bp_ort_reader *r, const struct bp_flat_table *tensor, int32_t type)
{
    struct bp_flat_list raw;
    int64_t external;
    bp_rc rc;

    bp_put_int(r->put, TENSOR_TYPE, type);
    rc = bp_flat_i64(tensor, &bp_ort_tensor_external, -1, &external, r->err);

    if (rc >= 0 && external >= 0)
        return bp_fail_detail(
            r->err, BP_E_UNSUPPORTED, BP_DETAIL_NO_LOCATION,
            "its data is at %lld of another file, of which the format gives no name: "
            "convert the model again with its data within",
            (long long)external);
    if (rc >= 0)
        rc = bp_ort_copy_texts(r, tensor, &bp_ort_tensor_strings, TENSOR_STRINGS);
    if (rc >= 0)
        rc = bp_flat_list(tensor, &bp_ort_tensor_raw, 1, &raw, r->err);
    if (rc >= 0 && raw.n > 0)
        put_place(r, &raw);
    return rc;
}

typedef bp_rc (*data_fn)(struct bp_ort_reader *r, const struct bp_flat_table *tensor, int32_t type);

/* put_data: how the data is written, which differs for indices of sparse tensors. */
static bp_rc read_tensor(struct bp_ort_reader *r, const struct bp_flat_table *tensor, uint32_t to,
                         data_fn put_data)
{
    size_t mark = bp_put_begin(r->put, to);
    bp_span name = {NULL, 0};
    int32_t type = 0;
    bp_rc rc = bp_ort_visit(r);

    if (rc >= 0)
        rc = bp_flat_text(tensor, &bp_ort_tensor_name, &name, r->err);
    if (rc >= 0)
        rc = bp_ort_copy_text(r, tensor, &bp_ort_tensor_name, TENSOR_NAME);
    if (rc >= 0)
        rc = bp_ort_copy_ints(r, tensor, &bp_ort_tensor_dims, TENSOR_DIMS);
    if (rc >= 0)
        rc = bp_flat_i32(tensor, &bp_ort_tensor_type, 0, &type, r->err);
    if (rc >= 0)
        rc = put_data(r, tensor, type);
    bp_put_end(r->put, mark);
    if (rc < 0)
        return bp_fail_in(r->err, rc, "tensor '%.80s'", name.data ? (const char *)name.data : "");
    return BP_OK;
}

bp_rc bp_ort_read_tensor(struct bp_ort_reader *r, const struct bp_flat_table *tensor, uint32_t to)
{
    return read_tensor(r, tensor, to, read_data);
}

/* ---- sparse tensors -------------------------------------------------------------------------- */

/* ONNX Runtime writes indices of sparse tensors with as few bits as they need; ONNX has int64. */
static bp_rc read_indices(struct bp_ort_reader *r, const struct bp_flat_table *tensor, int32_t type)
{
    size_t width = bp_dtype_width((uint32_t)type) / 8;
    struct bp_flat_list raw;
    size_t mark;
    bp_rc rc;

    if (type != BP_DTYPE_I8 && type != BP_DTYPE_I16 && type != BP_DTYPE_I32)
        return read_data(r, tensor, type);
    bp_put_int(r->put, TENSOR_TYPE, BP_DTYPE_I64);
    rc = bp_flat_list(tensor, &bp_ort_tensor_raw, 1, &raw, r->err);
    if (rc < 0)
        return rc;
    mark = bp_put_begin(r->put, TENSOR_RAW);
    for (size_t i = 0; i + width <= raw.n; i += width) {
        unsigned unused = 64 - 8 * (unsigned)width;
        int64_t index = 0;

        memcpy(&index, raw.bytes + i, width);
        index = (int64_t)((uint64_t)index << unused) >> unused; /* sign extension */
        bp_put_raw(r->put, &index, sizeof index);
    }
    bp_put_end(r->put, mark);
    return BP_OK;
}

/* Values or indices, each a Tensor. */
static bp_rc read_part(struct bp_ort_reader *r, const struct bp_flat_table *sparse,
                       const struct bp_flat_field *field, uint32_t to, data_fn put_data)
{
    struct bp_flat_table tensor;
    bp_rc rc = bp_flat_child(sparse, field, &tensor, r->err);

    return rc >= 0 && tensor.flat ? read_tensor(r, &tensor, to, put_data) : rc;
}

/* SparseTensor since version 2 of the format. */
bp_rc bp_ort_read_sparse(struct bp_ort_reader *r, const struct bp_flat_table *sparse, uint32_t to)
{
    size_t mark = bp_put_begin(r->put, to);
    bp_rc rc = bp_ort_visit(r);

    if (rc >= 0)
        rc = read_part(r, sparse, &bp_ort_sparse_values, SPARSE_VALUES, read_data);
    if (rc >= 0)
        rc = read_part(r, sparse, &bp_ort_sparse_indices, SPARSE_INDICES, read_indices);
    if (rc >= 0)
        rc = bp_ort_copy_ints(r, sparse, &bp_ort_sparse_dims, SPARSE_DIMS);
    bp_put_end(r->put, mark);
    return rc;
}

/* ---- types ----------------------------------------------------------------------------------- */

/* A dimension without a value is unknown. */
static bp_rc read_dim(struct bp_ort_reader *r, const struct bp_flat_table *dim)
{
    struct bp_flat_table value;
    int64_t number = 0;
    uint8_t type = 0;
    bp_rc rc = bp_flat_child(dim, &bp_ort_dim_value, &value, r->err);

    if (rc < 0 || !value.flat)
        return rc;
    rc = bp_flat_u8(&value, &bp_ort_dim_value_type, 0, &type, r->err);
    if (rc >= 0 && type == BP_ORT_DIM_PARAM)
        return bp_ort_copy_text(r, &value, &bp_ort_dim_value_param, 2);
    if (rc >= 0 && type == BP_ORT_DIM_VALUE)
        rc = bp_flat_i64(&value, &bp_ort_dim_value_value, 0, &number, r->err);
    if (rc >= 0 && type == BP_ORT_DIM_VALUE)
        bp_put_int(r->put, 1, number);
    return rc;
}

/* A Shape without dimensions is a scalar's. */
static bp_rc read_shape(struct bp_ort_reader *r, const struct bp_flat_table *shape)
{
    struct bp_flat_list dims;
    bp_rc rc = bp_flat_list(shape, &bp_ort_shape_dims, 4, &dims, r->err);
    size_t whole = bp_put_begin(r->put, 2);

    for (uint32_t i = 0; rc >= 0 && i < dims.n; i++) {
        struct bp_flat_table dim;
        size_t mark = bp_put_begin(r->put, 1);

        rc = bp_ort_visit(r);
        if (rc >= 0)
            rc = bp_flat_item_child(&dims, i, &dim, r->err);
        if (rc >= 0)
            rc = read_dim(r, &dim);
        bp_put_end(r->put, mark);
    }
    bp_put_end(r->put, whole);
    return rc;
}

/* TensorTypeAndShape becomes TypeProto.Tensor. */
static bp_rc read_tensor_type(struct bp_ort_reader *r, const struct bp_flat_table *type)
{
    struct bp_flat_table shape;
    int32_t element = 0;
    bp_rc rc = bp_flat_i32(type, &bp_ort_tensor_type_element, 0, &element, r->err);

    if (rc >= 0)
        rc = bp_flat_child(type, &bp_ort_tensor_type_shape, &shape, r->err);
    bp_put_int(r->put, 1, element);
    return rc >= 0 && shape.flat ? read_shape(r, &shape) : rc;
}

static bp_rc read_type(struct bp_ort_reader *r, const struct bp_flat_table *type, uint32_t to,
                       uint32_t depth);

/* The element type of a sequence, or the value type of a map. */
static bp_rc read_inner_type(struct bp_ort_reader *r, const struct bp_flat_table *type,
                             const struct bp_flat_field *field, uint32_t to, uint32_t depth)
{
    struct bp_flat_table inner;
    bp_rc rc = bp_flat_child(type, field, &inner, r->err);

    return rc >= 0 && inner.flat ? read_type(r, &inner, to, depth + 1) : rc;
}

/* MapType becomes TypeProto.Map. */
static bp_rc read_map_type(struct bp_ort_reader *r, const struct bp_flat_table *type,
                           uint32_t depth)
{
    int32_t key = 0;
    bp_rc rc = bp_flat_i32(type, &bp_ort_map_key, 0, &key, r->err);

    bp_put_int(r->put, 1, key);
    return rc < 0 ? rc : read_inner_type(r, type, &bp_ort_map_value, 2, depth);
}

/* TypeInfo.value is a union: `which` says which type `value` has. */
static bp_rc read_content(struct bp_ort_reader *r, const struct bp_flat_table *value, uint8_t which,
                          uint32_t depth)
{
    static const uint8_t fields[] = {[BP_ORT_TENSOR_TYPE] = TYPE_TENSOR,
                                     [BP_ORT_SEQUENCE_TYPE] = TYPE_SEQUENCE,
                                     [BP_ORT_MAP_TYPE] = TYPE_MAP};
    size_t mark;
    bp_rc rc;

    if (which == 0)
        return BP_OK; /* the format has no optionals and sparse tensors */
    if (which >= sizeof fields)
        return bp_fail(r->err, BP_E_INVALID, "%s: %u is not a kind of type", bp_ort_type_which.name,
                       which);
    mark = bp_put_begin(r->put, fields[which]);
    rc = which == BP_ORT_TENSOR_TYPE ? read_tensor_type(r, value)
         : which == BP_ORT_MAP_TYPE  ? read_map_type(r, value, depth)
                                    : read_inner_type(r, value, &bp_ort_sequence_element, 1, depth);
    bp_put_end(r->put, mark);
    return rc;
}

/* Recursive, at most MAX_TYPE_DEPTH deep. */
static bp_rc read_type(struct bp_ort_reader *r, const struct bp_flat_table *type, uint32_t to,
                       uint32_t depth)
{
    struct bp_flat_table value = {0};
    uint8_t which = 0;
    size_t mark;
    bp_rc rc = bp_ort_visit(r);

    if (rc >= 0 && depth >= MAX_TYPE_DEPTH)
        rc = bp_fail(r->err, BP_E_INVALID, "types within types more than %d deep", MAX_TYPE_DEPTH);
    if (rc >= 0)
        rc = bp_flat_u8(type, &bp_ort_type_which, 0, &which, r->err);
    if (rc >= 0)
        rc = bp_flat_child(type, &bp_ort_type_value, &value, r->err);
    if (rc < 0)
        return rc;
    mark = bp_put_begin(r->put, to);
    if (value.flat)
        rc = read_content(r, &value, which, depth);
    bp_put_end(r->put, mark);
    return rc;
}

/* The name is NUL-terminated, as strings of FlatBuffers are. */
bp_rc bp_ort_read_value(struct bp_ort_reader *r, const struct bp_flat_table *value, bp_span name,
                        uint32_t to)
{
    size_t mark = bp_put_begin(r->put, to);
    struct bp_flat_table type = {0};
    bp_rc rc = bp_ort_visit(r);

    bp_put_bytes(r->put, 1, name.data, name.size);
    if (rc >= 0 && value)
        rc = bp_flat_child(value, &bp_ort_value_type, &type, r->err);
    if (rc >= 0 && type.flat)
        rc = read_type(r, &type, 2, 0);
    bp_put_end(r->put, mark);
    return rc < 0 ? bp_fail_in(r->err, rc, "value '%.80s'", (const char *)name.data) : rc;
}
