/* SPDX-License-Identifier: MIT */
/*
 * sparse.c - sparse constants (SparseTensorProto) are stored dense, so that operators take them
 * like any tensor.
 *
 * Indices are int64: [nnz] positions in the flattened tensor, or [nnz, rank] coordinates. The sum
 * of dense sizes is limited, as a file of a few bytes can declare terabytes.
 */

#include "config.h"

#include "model/model.h"

/* Reads type and dims of the dense tensor into *out. */
static bp_rc read_dense_dims(struct bp_builder *builder, const Bp__SparseTensorProto *proto,
                             uint32_t dtype, struct bp_ir_data *out, bp_err *err)
{
    if (bp_dtype_width(dtype) < 8)
        return bp_fail(err, BP_E_UNSUPPORTED, "sparse and of %s elements: store it dense",
                       bp_dtype_name(dtype));
    if (proto->n_dims == 0 || proto->n_dims > BP_MAX_RANK)
        return bp_fail(err, BP_E_INVALID, "sparse and of rank %zu, which is not 1 to %d",
                       proto->n_dims, BP_MAX_RANK);
    if (!bp_dense_bytes(dtype, proto->dims, (uint32_t)proto->n_dims, &out->size))
        return bp_fail(err, BP_E_INVALID,
                       "its sizes are negative or multiply to more than memory "
                       "can hold");
    if (out->size > builder->dense_left)
        return bp_fail(
            err, BP_E_UNSUPPORTED,
            "sparse tensors are stored dense: %zu bytes, where %zu of %d are left; store it "
            "dense in the file",
            out->size, builder->dense_left, BP_MAX_DENSE);
    builder->dense_left -= out->size;
    out->dtype = dtype;
    out->rank = (uint32_t)proto->n_dims;
    out->dims = proto->dims;
    return BP_OK;
}

/* The position of element i in the dense tensor; each index is checked against its dimension. */
static bp_rc find_place(const struct bp_ir_data *indices, const struct bp_ir_data *dense, size_t i,
                        size_t n_elements, size_t *out, bp_err *err)
{
    uint32_t n = indices->rank == 1 ? 1 : dense->rank;
    size_t place = 0;

    for (uint32_t k = 0; k < n; k++) {
        size_t limit = indices->rank == 1 ? n_elements : (size_t)dense->dims[k];
        int64_t index;

        memcpy(&index, indices->bytes + (i * n + k) * sizeof index, sizeof index);
        if (index < 0 || (uint64_t)index >= limit)
            return bp_fail(err, BP_E_INVALID, "its index %lld is not in 0 to %zu", (long long)index,
                           limit);
        place = place * limit + (size_t)index;
    }
    *out = place;
    return BP_OK;
}

static bp_rc check_parts(const struct bp_ir_data *values, const struct bp_ir_data *indices,
                         uint32_t rank, bp_err *err)
{
    if (!values->bytes || !indices->bytes)
        return bp_fail(err, BP_E_IO, "its values or indices are in a file that is missing");
    if (indices->dtype != BP_DTYPE_I64)
        return bp_fail(err, BP_E_INVALID, "its indices are %s, not int64",
                       bp_dtype_name(indices->dtype));
    if (values->rank != 1 || indices->rank < 1 || indices->rank > 2 ||
        indices->dims[0] != values->dims[0] ||
        (indices->rank == 2 && (uint64_t)indices->dims[1] != rank))
        return bp_fail(err, BP_E_INVALID,
                       "its values and indices do not belong together: sizes must "
                       "be [n] and [n] or [n, %u]",
                       rank);
    return BP_OK;
}

/* Elements without an index are zero, ONNX's only fill value. */
static bp_rc scatter(const struct bp_ir_data *values, const struct bp_ir_data *indices,
                     struct bp_region *region, struct bp_ir_data *dense, bp_err *err)
{
    size_t width = bp_dtype_width(dense->dtype) / 8;
    size_t n = (size_t)values->dims[0];
    uint8_t *bytes = bp_region_alloc(region, dense->size); /* zeroed */

    if (!bytes)
        return bp_fail_nomem(err, "a sparse tensor");
    dense->bytes = bytes;
    for (size_t i = 0; i < n; i++) {
        size_t place = 0;
        bp_rc rc = find_place(indices, dense, i, dense->size / width, &place, err);

        if (rc < 0)
            return rc;
        memcpy(bytes + place * width, values->bytes + i * width, width);
    }
    return BP_OK;
}

bp_rc bp_decode_sparse(struct bp_builder *builder, const Bp__SparseTensorProto *proto,
                       struct bp_ir_data **out, bp_err *err)
{
    const struct bp_source *source = &builder->onnx->source;
    struct bp_ir_data values, indices, *dense;
    bp_rc rc;

    if (!proto->values || !proto->indices)
        return bp_fail(err, BP_E_INVALID, "a sparse tensor has no values or no indices");
    rc = bp_tensor_proto_read(proto->values, source, builder->region, &values, err);
    if (rc >= 0)
        rc = bp_tensor_proto_read(proto->indices, source, builder->region, &indices, err);
    if (rc < 0)
        return rc;

    dense = bp_region_alloc(builder->region, sizeof *dense);
    if (!dense)
        return bp_fail_nomem(err, "a sparse tensor");
    rc = read_dense_dims(builder, proto, values.dtype, dense, err);
    if (rc >= 0)
        rc = check_parts(&values, &indices, dense->rank, err);
    if (rc >= 0)
        rc = scatter(&values, &indices, builder->region, dense, err);
    if (rc < 0)
        return bp_fail_in(err, rc, "tensor '%.80s'", bp_text_or_empty(proto->values->name));
    dense->is_sparse = true;
    dense->id = bp_source_id(source, proto, dense->size);
    *out = dense;
    return BP_OK;
}
