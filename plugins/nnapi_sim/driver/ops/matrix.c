/* SPDX-License-Identifier: MIT */
/* matrix.c - FULLY_CONNECTED and BATCH_MATMUL. */
#include "ops/conv.h"
#include "ops/op.h"

/* out[m, n] = a[m, k] times b, whose element (k, n) is at k * step_k + n * step_n. */
static double product(const double *a, size_t step_a, const double *b, size_t step_b, size_t n)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i * step_a] * b[i * step_b];
    return sum;
}

/* ---- FULLY_CONNECTED ------------------------------------------------------------------------ */

static bool check_connected(struct nn_call *call)
{
    const struct nn_tensor *w = call->in[1];

    if (w->type == Q8C)
        return nn_refuse(call, "its weights cannot be %s", bp_nnapi_operand_name(w->type));
    if (w->ranked && w->rank != 2)
        return nn_refuse(call, "the weights have rank %u, not 2", w->rank);
    return nn_check_bias(call, 0, 1, 2);
}

static int shape_connected(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0], *w = call->in[1], *b = call->in[2];
    size_t n = nn_count_of(in);
    int32_t fuse = nn_int(call, 3);

    if (w->rank != 2 || w->dims[1] == 0 || n % w->dims[1] != 0)
        return nn_op_failed(call, "%zu values are not rows of %u", n, w->dims[1]);
    if (b->rank != 1 || b->dims[0] != w->dims[0])
        return nn_op_failed(call, "the bias is not one value for each of %u units", w->dims[0]);
    if (fuse < 0 || fuse > ANEURALNETWORKS_FUSED_RELU6)
        return nn_op_failed(call, "there is no fuse code %d", fuse);
    nn_set_dims(call->out[0], 2, (const uint32_t[]){(uint32_t)(n / w->dims[1]), w->dims[0]});
    return 0;
}

static int run_connected(struct nn_call *call)
{
    const double *x = nn_load_raw(call, call->in[0]), *w = nn_load_raw(call, call->in[1]);
    const double *bias = nn_load_raw(call, call->in[2]);
    struct nn_tensor *out = call->out[0];
    size_t rows = out->dims[0], units = out->dims[1], depth = call->in[1]->dims[1];
    double unit = nn_unit(call->in[0], call->in[1], 0);
    int32_t fuse = nn_int(call, 3);

    if (!x || !w || !bias)
        return nn_no_memory(call);
    for (size_t r = 0; r < rows; r++)
        for (size_t u = 0; u < units; u++) {
            double sum = bias[u] + product(x + r * depth, 1, w + u * depth, 1, depth);

            nn_store_at(call, out, r * units + u, nn_fuse(fuse, sum * unit));
        }
    return 0;
}

static uint64_t work_connected(const struct nn_call *call)
{
    uint32_t depth = call->in[1]->dims[1];

    return nn_count_of(call->out[0]) * (depth ? depth : 1);
}

const struct nn_op nn_op_FULLY_CONNECTED = {
    .code = ANEURALNETWORKS_FULLY_CONNECTED,
    .level = 1,
    .in = {"ttci"},
    .out = "t",
    .types = {[F32] = 1, [F16] = 3, [Q8] = 1, [Q8S] = 4},
    .min_rank = 2,
    .max_rank = 4,
    .check = check_connected,
    .shape = shape_connected,
    .run = run_connected,
    .work = work_connected,
};

/* ---- BATCH_MATMUL --------------------------------------------------------------------------- */

/* Rows and columns of a factor as it is multiplied, and how far apart they are. */
struct factor {
    size_t rows, columns, step_row, step_column;
};

static struct factor factor_of(const struct nn_tensor *tensor, bool turned)
{
    size_t r = tensor->dims[tensor->rank - 2], c = tensor->dims[tensor->rank - 1];

    return turned ? (struct factor){c, r, 1, c} : (struct factor){r, c, c, 1};
}

static int shape_matmul(struct nn_call *call)
{
    const struct nn_tensor *a = call->in[0], *b = call->in[1];
    struct factor x, y;
    uint32_t dims[NN_RANK];

    if (b->rank != a->rank || a->rank < 2)
        return nn_op_failed(call, "ranks %u and %u differ, or are less than 2", a->rank, b->rank);
    for (uint32_t i = 0; i + 2 < a->rank; i++) {
        if (a->dims[i] != b->dims[i])
            return nn_op_failed(call, "dimensions %u are %u and %u", i, a->dims[i], b->dims[i]);
        dims[i] = a->dims[i];
    }
    x = factor_of(a, nn_bool(call, 2));
    y = factor_of(b, nn_bool(call, 3));
    if (x.columns != y.rows)
        return nn_op_failed(call, "%zu columns meet %zu rows", x.columns, y.rows);
    dims[a->rank - 2] = (uint32_t)x.rows;
    dims[a->rank - 1] = (uint32_t)y.columns;
    nn_set_dims(call->out[0], a->rank, dims);
    return 0;
}

static int run_matmul(struct nn_call *call)
{
    const double *a = nn_load(call, call->in[0]), *b = nn_load(call, call->in[1]);
    struct factor x = factor_of(call->in[0], nn_bool(call, 2));
    struct factor y = factor_of(call->in[1], nn_bool(call, 3));
    size_t n = nn_count_of(call->out[0]);

    if (!a || !b)
        return nn_no_memory(call);
    for (size_t i = 0; i < n; i++) {
        size_t column = i % y.columns, row = i / y.columns % x.rows;
        size_t batch = i / y.columns / x.rows;

        nn_store_at(call, call->out[0], i,
                    product(a + batch * x.rows * x.columns + row * x.step_row, x.step_column,
                            b + batch * y.rows * y.columns + column * y.step_column, y.step_row,
                            x.columns));
    }
    return 0;
}

static uint64_t work_matmul(const struct nn_call *call)
{
    const struct nn_tensor *a = call->in[0];
    uint64_t depth = a->rank >= 2 ? a->dims[a->rank - (nn_bool(call, 2) ? 2 : 1)] : 1;

    return nn_count_of(call->out[0]) * (depth ? depth : 1);
}

const struct nn_op nn_op_BATCH_MATMUL = {
    .code = ANEURALNETWORKS_BATCH_MATMUL,
    .level = 6,
    .in = {"ttbb"},
    .out = "t",
    .types = {[F32] = 6, [F16] = 6, [I32] = 6, [Q8S] = 6},
    .min_rank = 2,
    .max_rank = 4,
    .shape = shape_matmul,
    .run = run_matmul,
    .work = work_matmul,
};
