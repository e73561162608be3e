/* SPDX-License-Identifier: MIT */
/* matrix.c - BatchMatMul, MatMulV2 and GEMM: y = a b, of batches, with a bias, or scaled. */
#include <string.h>

#include "core/interrupt.h"
#include "ops/op.h"

enum {
    BATCHED, /* adj_x1, adj_x2 */
    BIASED,  /* transpose_x1, transpose_x2, a third input added to each row */
    SCALED   /* transpose_a, transpose_b: alpha a b + beta c */
};

/* The attributes that say whether the last two dimensions of an operand are swapped. */
static const char *const transposes[][2] = {
    [BATCHED] = {"adj_x1", "adj_x2"},
    [BIASED] = {"transpose_x1", "transpose_x2"},
    [SCALED] = {"transpose_a", "transpose_b"},
};

/* m, n and k, after transposing; both operands have to have two dimensions at least. */
static aclError set_sizes(struct sim_call *call, const aclopAttr *attr)
{
    struct sim_matrix *matrix = &call->params.matrix;
    const struct sim_shape *a = &call->in[0].shape, *b = &call->in[1].shape;
    const char *const *names = transposes[call->op->code];
    int64_t left = 0, right = 0;

    if (a->rank < 2 || b->rank < 2)
        return sim_refuse(call, "operands of rank %zu and %zu", a->rank, b->rank);
    if (!sim_attr_int(attr, names[0], &left) || !sim_attr_int(attr, names[1], &right))
        return sim_refuse(call, "%s and %s have to be bools", names[0], names[1]);
    matrix->transpose_a = left != 0;
    matrix->transpose_b = right != 0;
    matrix->m = a->dims[a->rank - (left ? 1 : 2)];
    matrix->k = a->dims[a->rank - (left ? 2 : 1)];
    matrix->n = b->dims[b->rank - (right ? 2 : 1)];
    if (b->dims[b->rank - (right ? 1 : 2)] != matrix->k)
        return sim_refuse(call, "a has %lld columns, b has %lld rows", (long long)matrix->k,
                          (long long)b->dims[b->rank - (right ? 1 : 2)]);
    return 0;
}

/*
 * Leading dimensions are batches, and broadcast. A multiplication and an addition count per term.
 */
static aclError set_batches(struct sim_call *call)
{
    struct sim_matrix *matrix = &call->params.matrix;
    struct sim_shape a = call->in[0].shape, b = call->in[1].shape, *result = &call->result[0];

    a.rank -= 2;
    b.rank -= 2;
    if (!sim_broadcast_shapes(&a, &b, &matrix->batches))
        return sim_refuse(call, "the batches of the operands do not fit");
    sim_broadcast_strides(&a, &matrix->batches, matrix->a_stride);
    sim_broadcast_strides(&b, &matrix->batches, matrix->b_stride);
    *result = matrix->batches;
    result->dims[result->rank++] = matrix->m;
    result->dims[result->rank++] = matrix->n;
    call->work = 2 * (double)sim_shape_count(result) * (double)matrix->k;
    return 0;
}

/* Only BatchMatMul takes batches. GEMM's c, alpha and beta are not optional. */
static aclError prepare(struct sim_call *call, const aclopAttr *attr)
{
    const struct sim_shape *extra = &call->in[2].shape;
    aclError rc = set_sizes(call, attr);

    if (!rc)
        rc = set_batches(call);
    if (rc)
        return rc;
    if (call->op->code != BATCHED && call->result[0].rank != 2)
        return sim_refuse(call, "operands of more than 2 dimensions");
    if (call->op->code == BIASED && call->inputs > 2 && !call->in[2].absent &&
        call->in[2].count != (size_t)call->params.matrix.n)
        return sim_refuse(call, "the bias is not one value per column");
    if (call->op->code == SCALED && (!sim_same_shape(extra, &call->result[0]) ||
                                     call->in[3].count != 1 || call->in[4].count != 1))
        return sim_refuse(call, "c is not of the result's shape, or alpha or beta not one element");
    return 0;
}

/* In matrices, from the start of an operand to the one of this batch. */
static int64_t batch_offset(const struct sim_matrix *matrix, const int64_t *stride,
                            const int64_t *index)
{
    int64_t offset = 0;

    for (size_t i = 0; i < matrix->batches.rank; i++)
        offset += index[i] * stride[i];
    return offset;
}

#define T float
#define NAME run_floats
#define PRODUCT product_floats
#include "ops/matrix.inc"
#undef T
#undef NAME
#undef PRODUCT

#define T double
#define NAME run_doubles
#define PRODUCT product_doubles
#include "ops/matrix.inc"
#undef T
#undef NAME
#undef PRODUCT

/* unsigned, so that overflow wraps */
#define T uint64_t
#define NAME run_ints
#define PRODUCT product_ints
#include "ops/matrix.inc"

/* A row: ACL's name, its kind, and how many inputs it takes. */
#define MATRIX(variable, name, which, min, max)                                                    \
    const struct sim_op sim_op_##variable = {                                                      \
        .type = name,                                                                              \
        .min_inputs = min,                                                                         \
        .max_inputs = max,                                                                         \
        .outputs = 1,                                                                              \
        .cube = true,                                                                              \
        .code = which,                                                                             \
        .types = SIM_REAL | SIM_BIT(ACL_INT32),                                                    \
        .prepare = prepare,                                                                        \
        .floats = run_floats,                                                                      \
        .doubles = run_doubles,                                                                    \
        .ints = run_ints,                                                                          \
    };

MATRIX(batch_matmul, "BatchMatMul", BATCHED, 2, 2)
MATRIX(matmul, "MatMulV2", BIASED, 2, 3)
MATRIX(gemm, "GEMM", SCALED, 5, 5)
