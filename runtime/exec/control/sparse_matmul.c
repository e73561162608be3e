/* SPDX-License-Identifier: MIT */
/*
 * sparse_matmul.c - SparseToDenseMatMul of com.microsoft: a sparse matrix times a dense one. As in
 * ONNX Runtime, alpha counts for float32 alone, and the other types are multiplied without it.
 */

#include "config.h"

#include "exec/control/host_op.h"
#include "exec/control/table.h"

#include <inttypes.h>
#include <string.h>

#include "value/object.h"

/* The matrices of a node. */
struct product {
    uint32_t dtype, format;
    bool transpose_a, transpose_b;
    float alpha;
    const int64_t *a_dims, *b_dims;
    const int64_t *indices, *rows; /* rows: of CSR */
    bool is_linear;                /* COO: row-major offsets */
    int64_t n_values;
    const char *values, *b;
    char *y;
    int64_t n; /* columns of y */
};

/* Rows of a matrix as it is multiplied. */
static int64_t rows_of(const int64_t *dims, bool is_transposed)
{
    return dims[is_transposed];
}

/* Columns of a matrix as it is multiplied. */
static int64_t columns_of(const int64_t *dims, bool is_transposed)
{
    return dims[!is_transposed];
}

/* Row `row` of y += value i of A times row `k` of B, or column `k` of a turned B. */
static void add_row(const struct product *p, int64_t i, int64_t row, int64_t k)
{
    int64_t at = p->transpose_b ? k : k * p->n, step = p->transpose_b ? p->b_dims[1] : 1, n = p->n;

    if (p->dtype == BP_DTYPE_F32) {
        const float *b = (const float *)(const void *)p->b + at;
        float *y = (float *)(void *)p->y + row * n;
        float a = ((const float *)(const void *)p->values)[i] * p->alpha;

        for (int64_t j = 0; j < n; j++)
            y[j] += a * b[j * step];
    } else if (p->dtype == BP_DTYPE_F64) {
        const double *b = (const double *)(const void *)p->b + at;
        double *y = (double *)(void *)p->y + row * n;
        double a = ((const double *)(const void *)p->values)[i];

        for (int64_t j = 0; j < n; j++)
            y[j] += a * b[j * step];
    } else if (bp_dtype_width(p->dtype) == 32) { /* signed ones wrap around to the same bits */
        const uint32_t *b = (const uint32_t *)(const void *)p->b + at;
        uint32_t *y = (uint32_t *)(void *)p->y + row * n;
        uint32_t a = ((const uint32_t *)(const void *)p->values)[i];

        for (int64_t j = 0; j < n; j++)
            y[j] += a * b[j * step];
    } else {
        const uint64_t *b = (const uint64_t *)(const void *)p->b + at;
        uint64_t *y = (uint64_t *)(void *)p->y + row * n;
        uint64_t a = ((const uint64_t *)(const void *)p->values)[i];

        for (int64_t j = 0; j < n; j++)
            y[j] += a * b[j * step];
    }
}

/* Adds value i, which is at (row, column) of A. */
static void add_value(const struct product *p, int64_t i, int64_t row, int64_t column)
{
    add_row(p, i, p->transpose_a ? column : row, p->transpose_a ? row : column);
}

/*
 * y += each value of A times a row of B, in the order in which values are stored. Empty rows of CSR
 * cost a comparison.
 */
static void multiply(const struct product *p)
{
    int64_t columns = p->a_dims[1];

    if (p->format == BP_SPARSE_CSR) {
        for (int64_t row = 0; p->n_values > 0 && row < p->a_dims[0]; row++) {
            for (int64_t i = p->rows[row]; i < p->rows[row + 1]; i++)
                add_value(p, i, row, p->indices[i]);
        }
        return;
    }
    for (int64_t i = 0; i < p->n_values; i++) {
        if (p->is_linear)
            add_value(p, i, p->indices[i] / columns, p->indices[i] % columns);
        else
            add_value(p, i, p->indices[2 * i], p->indices[2 * i + 1]);
    }
}

/*
 * Formats and indices were checked when the sparse tensor was made: values lie inside the matrix.
 */
static bp_rc read_a(const struct bp_ir_node *node, const bp_object *a, struct product *p,
                    bp_err *err)
{
    if (!a || a->kind != BP_KIND_SPARSE || a->tensor.rank != 2)
        return bp_host_op_fail(node, err, BP_E_SHAPE, "A has to be a sparse matrix");
    if (a->format != BP_SPARSE_COO && a->format != BP_SPARSE_CSR)
        return bp_host_op_fail(node, err, BP_E_INVALID,
                               "A has format %u; only COO and CSR are supported", a->format);
    p->dtype = a->tensor.dtype;
    p->format = a->format;
    p->a_dims = a->tensor.dims;
    p->values = bp_tensor_data(&a->items[0]->tensor);
    p->n_values = a->items[0]->tensor.dims[0];
    p->indices = bp_tensor_data(&a->items[1]->tensor);
    p->is_linear = a->items[1]->tensor.rank == 1;
    p->rows = a->format == BP_SPARSE_CSR ? bp_tensor_data(&a->items[2]->tensor) : NULL;
    return BP_OK;
}

/* B and the result have A's type; inner dimensions agree after transposition. */
static bp_rc read_b(const struct bp_ir_node *node, const struct bp_cell *b, struct product *p,
                    bp_err *err)
{
    if (b->rank != 2 || b->dtype != p->dtype)
        return bp_host_op_fail(node, err, BP_E_SHAPE, "B has to be a matrix of type %s",
                               bp_dtype_name(p->dtype));
    p->b_dims = b->dims;
    p->b = b->base;
    p->n = columns_of(b->dims, p->transpose_b);
    if (columns_of(p->a_dims, p->transpose_a) != rows_of(b->dims, p->transpose_b))
        return bp_host_op_fail(
            node, err, BP_E_SHAPE, "inner dimensions do not match: A has %" PRId64 ", B %" PRId64,
            columns_of(p->a_dims, p->transpose_a), rows_of(b->dims, p->transpose_b));
    return BP_OK;
}

/* SparseToDenseMatMul-1. y is zeroed first, as values are added to it. */
bp_rc bp_host_op_sparse_matmul(struct bp_run_state *state, const struct bp_unit *unit, bp_err *err)
{
    const struct bp_ir_node *node = bp_host_op_node(state, unit);
    const struct bp_cell *a = bp_host_op_input(state, node, 0),
                         *b = bp_host_op_input(state, node, 1);
    struct product p = {
        .transpose_a = bp_ir_attr_int(node, "transA", 0) != 0,
        .transpose_b = bp_ir_attr_int(node, "transB", 0) != 0,
        .alpha = 1.0f,
    };
    const bp_attr *alpha = bp_ir_attr(node, "alpha");
    struct bp_cell y;
    int64_t dims[2];
    bp_rc rc = read_a(node, a->object, &p, err);

    if (rc >= 0)
        rc = read_b(node, b, &p, err);
    if (rc < 0)
        return rc;
    if (alpha && alpha->type == BP_ATTR_FLOAT && alpha->count == 1)
        memcpy(&p.alpha, alpha->data, sizeof p.alpha);
    dims[0] = rows_of(p.a_dims, p.transpose_a);
    dims[1] = p.n;
    rc = bp_host_op_alloc_output(state, node, 0, p.dtype, 2, dims, &y, err);
    if (rc < 0)
        return rc;
    p.y = y.base;
    if (y.bytes > 0)
        memset(y.base, 0, y.bytes);
    multiply(&p);
    return bp_run_set(state, node->out[0], &y, err);
}
