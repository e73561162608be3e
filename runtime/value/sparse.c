/* SPDX-License-Identifier: MIT */
/* sparse.c - sparse tensors as values; checks that parts fit together and indices are valid. */

#include "config.h"

#include "value/object.h"

#include <inttypes.h>

enum { VALUES, INDICES, ROWS };

static const bp_tensor *part(bp_object *const *parts, int i)
{
    return &parts[i]->tensor;
}

static bp_rc fail_outside(int64_t index, int64_t limit, bp_err *err)
{
    return bp_fail(err, BP_E_INVALID, "index %" PRId64 " of a sparse tensor is not in 0..%" PRId64,
                   index, limit - 1);
}

/* Is it a list of n numbers of the type? */
static bool is_list(const bp_tensor *tensor, uint32_t dtype, int64_t n)
{
    return tensor->dtype == dtype && tensor->rank == 1 && tensor->dims[0] == n;
}

/*
 * ONNX, SparseTensorProto: indices are row-major offsets [n], or one index for each dimension
 * [n, rank]. Their order is not checked, because no kernel relies on it.
 */
static bp_rc check_coo(const bp_tensor *dense, const bp_tensor *indices, int64_t n, bp_err *err)
{
    const int64_t *at = bp_tensor_data(indices);
    bool by_dimension = indices->rank == 2;
    int64_t all = bp_dims_count(dense->dims, dense->rank);

    if (indices->dtype != BP_DTYPE_I64 || indices->rank < 1 || indices->rank > 2 ||
        indices->dims[0] != n || (by_dimension && indices->dims[1] != dense->rank))
        return bp_fail(err, BP_E_INVALID,
                       "indices of a COO tensor with %" PRId64 " values and rank %u have to be "
                       "int64 and of shape [%" PRId64 "] or [%" PRId64 ",%u]",
                       n, dense->rank, n, n, dense->rank);
    for (int64_t i = 0; i < n * (by_dimension ? dense->rank : 1); i++) {
        int64_t limit = by_dimension ? dense->dims[i % dense->rank] : all;

        if (at[i] < 0 || at[i] >= limit)
            return fail_outside(at[i], limit, err);
    }
    return BP_OK;
}

/*
 * Row indices are offsets into the columns and have one entry more than rows; an empty matrix may
 * leave them out.
 */
static bp_rc check_csr(const bp_tensor *dense, const bp_tensor *columns, const bp_tensor *rows,
                       int64_t n, bp_err *err)
{
    const int64_t *column = bp_tensor_data(columns), *row = bp_tensor_data(rows);
    int64_t n_rows = dense->rank == 2 ? dense->dims[0] : -1;

    if (n_rows < 0 || !is_list(columns, BP_DTYPE_I64, n) ||
        (!is_list(rows, BP_DTYPE_I64, n_rows + 1) && (n > 0 || !is_list(rows, BP_DTYPE_I64, 0))))
        return bp_fail(err, BP_E_INVALID,
                       "a CSR tensor has to be a matrix, with int64 indices, %" PRId64
                       " of columns and one more than rows of rows",
                       n);
    for (int64_t i = 0; i < n; i++) {
        if (column[i] < 0 || column[i] >= dense->dims[1])
            return fail_outside(column[i], dense->dims[1], err);
    }
    for (int64_t i = 0; rows->dims[0] > 0 && i <= n_rows; i++) {
        if (row[i] < (i > 0 ? row[i - 1] : 0) || row[i] > n || (i == 0 && row[i] != 0) ||
            (i == n_rows && row[i] != n))
            return bp_fail(err, BP_E_INVALID,
                           "row indices of a CSR tensor have to go from 0 up to %" PRId64
                           ", the %" PRId64 "th is %" PRId64,
                           n, i, row[i]);
    }
    return BP_OK;
}

static bp_rc check(uint32_t format, const bp_tensor *dense, bp_object *const *parts, uint32_t n,
                   bp_err *err)
{
    int64_t n_values;

    if (n != (format == BP_SPARSE_CSR ? 3 : 2))
        return bp_fail(err, BP_E_INVALID, "a sparse tensor of format %u has no %u parts", format,
                       n);
    for (uint32_t i = 0; i < n; i++) {
        if (!parts[i] || parts[i]->kind != BP_KIND_TENSOR)
            return bp_fail(err, BP_E_INVALID, "part %u of a sparse tensor is not a tensor", i);
    }
    if (part(parts, VALUES)->dtype != dense->dtype)
        return bp_fail(err, BP_E_INVALID, "the values of a sparse tensor of type %s are %s",
                       bp_dtype_name(dense->dtype), bp_dtype_name(part(parts, VALUES)->dtype));
    if (format == BP_SPARSE_BLOCK)
        return BP_OK;
    if (part(parts, VALUES)->rank != 1)
        return bp_fail(err, BP_E_INVALID, "the values of a sparse tensor have to be a list");
    n_values = part(parts, VALUES)->dims[0];
    if (format == BP_SPARSE_COO)
        return check_coo(dense, part(parts, INDICES), n_values, err);
    if (format == BP_SPARSE_CSR)
        return check_csr(dense, part(parts, INDICES), part(parts, ROWS), n_values, err);
    return bp_fail(err, BP_E_INVALID, "%u is not a format of sparse tensors", format);
}

/* The dense tensor is a type and sizes without data. Parts are counted and not copied. */
bp_rc bp_object_sparse(uint32_t format, const bp_tensor *dense, bp_object *const *parts,
                       uint32_t n_parts, bp_object **out, bp_err *err)
{
    size_t bytes;
    bp_rc rc;

    if (!out)
        return bp_fail_null(err, "out");
    *out = NULL;
    if (!dense || (dense->rank > 0 && !dense->dims) || !parts)
        return bp_fail(err, BP_E_INVALID, "a sparse tensor needs a type, sizes and parts");
    rc = bp_tensor_span_bytes(dense->dtype, dense->dims, dense->rank, &bytes, err);
    if (rc >= 0)
        rc = check(format, dense, parts, n_parts, err);
    if (rc >= 0)
        rc = bp_object_new(BP_KIND_SPARSE, n_parts, out, err);
    if (rc < 0)
        return rc;
    (*out)->format = format;
    rc = bp_tensor_block(dense->dtype, dense->dims, dense->rank, 0, &(*out)->tensor, err);
    for (uint32_t i = 0; rc >= 0 && i < n_parts; i++)
        (*out)->items[i] = bp_object_retain(parts[i]);
    if (rc < 0) {
        bp_object_release(*out);
        *out = NULL;
    }
    return bp_done(err, rc);
}

uint32_t bp_object_format(const bp_object *object)
{
    return object && object->kind == BP_KIND_SPARSE ? object->format : 0;
}

const bp_tensor *bp_object_dense(const bp_object *object)
{
    return object && object->kind == BP_KIND_SPARSE ? &object->tensor : NULL;
}
