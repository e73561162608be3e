/* SPDX-License-Identifier: MIT */
/* reduce.c - MEAN, the REDUCE operations, ARGMAX and ARGMIN. */
#include <math.h>

#include "ops/op.h"

/* Which axes are reduced, one flag each; -1: an axis there is not. */
static int read_axes(struct nn_call *call, bool *reduced)
{
    int32_t *axes = nn_load_ints(call, call->in[1]);
    size_t n = nn_count_of(call->in[1]);
    uint32_t axis;

    if (!axes)
        return nn_no_memory(call);
    memset(reduced, 0, NN_RANK * sizeof *reduced);
    for (size_t i = 0; i < n; i++) {
        if (!nn_axis(call, axes[i], call->in[0]->rank, &axis))
            return nn_op_failed(call, "there is no axis %d", axes[i]);
        reduced[axis] = true;
    }
    return 0;
}

/* MEAN's is an INT32, the others' a BOOL. */
static bool keeps_dims(const struct nn_call *call)
{
    return call->in[2]->type == ANEURALNETWORKS_INT32 ? nn_int(call, 2) > 0 : nn_bool(call, 2);
}

static int shape(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    uint32_t dims[NN_RANK], rank = 0;
    bool reduced[NN_RANK];
    int rc = read_axes(call, reduced);

    if (rc)
        return rc;
    for (uint32_t i = 0; i < in->rank; i++)
        if (!reduced[i] || keeps_dims(call))
            dims[rank++] = reduced[i] ? 1 : in->dims[i];
    if (rank == 0)
        dims[rank++] = 1; /* Android has no tensor of rank 0 */
    nn_set_dims(call->out[0], rank, dims);
    return 0;
}

static double begin(int32_t code)
{
    switch (code) {
    case ANEURALNETWORKS_REDUCE_PROD:
    case ANEURALNETWORKS_REDUCE_ALL:
        return 1;
    case ANEURALNETWORKS_REDUCE_MAX:
        return -HUGE_VAL;
    case ANEURALNETWORKS_REDUCE_MIN:
        return HUGE_VAL;
    default:
        return 0;
    }
}

static double combine(int32_t code, double sum, double x)
{
    switch (code) {
    case ANEURALNETWORKS_REDUCE_PROD:
        return sum * x;
    case ANEURALNETWORKS_REDUCE_ALL:
        return sum != 0 && x != 0;
    case ANEURALNETWORKS_REDUCE_ANY:
        return sum != 0 || x != 0;
    case ANEURALNETWORKS_REDUCE_MAX:
        return x > sum || x != x ? x : sum;
    case ANEURALNETWORKS_REDUCE_MIN:
        return x < sum || x != x ? x : sum;
    default:
        return sum + x;
    }
}

static int run(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    size_t n = nn_count_of(in), m = nn_count_of(call->out[0]);
    double *x = nn_load(call, in), *sums = nn_scratch(call, m, sizeof *sums);
    uint32_t index[NN_RANK] = {0};
    bool reduced[NN_RANK];
    int rc = read_axes(call, reduced);

    if (rc)
        return rc;
    if (!x || !sums)
        return nn_no_memory(call);
    for (size_t i = 0; i < m; i++)
        sums[i] = begin(call->op->code);
    for (size_t i = 0; i < n; i++) {
        size_t at = 0;

        for (uint32_t d = 0; d < in->rank; d++)
            at = reduced[d] ? at : at * in->dims[d] + index[d];
        sums[at] = combine(call->op->code, sums[at], x[i]);
        nn_next(in->rank, in->dims, index);
    }
    if (call->op->code == ANEURALNETWORKS_MEAN)
        for (size_t i = 0; i < m; i++)
            sums[i] /= (double)(n / m);
    nn_store(call, call->out[0], sums);
    return 0;
}

static uint64_t work(const struct nn_call *call)
{
    return nn_count_of(call->in[0]);
}

#define REDUCE(NAME, LEVEL, ...)                                                                   \
    const struct nn_op nn_op_##NAME = {.code = ANEURALNETWORKS_##NAME,                             \
                                       .level = LEVEL,                                             \
                                       .out = "t",                                                 \
                                       .min_rank = 1,                                              \
                                       .max_rank = 4,                                              \
                                       .shape = shape,                                             \
                                       .run = run,                                                 \
                                       .work = work,                                               \
                                       __VA_ARGS__}

REDUCE(MEAN, 2, .in = {"tIi"}, .types = {[F32] = 2, [F16] = 3, [Q8] = 2, [Q8S] = 4});
REDUCE(REDUCE_SUM, 3, .in = {"tIb"}, .types = {[F32] = 3, [F16] = 3});
REDUCE(REDUCE_PROD, 3, .in = {"tIb"}, .types = {[F32] = 3, [F16] = 3});
REDUCE(REDUCE_MAX, 3, .in = {"tIb"}, .same_quant = true,
       .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4});
REDUCE(REDUCE_MIN, 3, .in = {"tIb"}, .same_quant = true,
       .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4});
REDUCE(REDUCE_ANY, 3, .in = {"tIb"}, .types = {[B8] = 3});
REDUCE(REDUCE_ALL, 3, .in = {"tIb"}, .types = {[B8] = 3});

/* ---- ARGMAX, ARGMIN ------------------------------------------------------------------------- */

static int shape_arg(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    uint32_t axis, dims[NN_RANK], rank = 0;

    if (!nn_axis(call, nn_int(call, 1), in->rank, &axis))
        return nn_op_failed(call, "there is no axis %d", nn_int(call, 1));
    for (uint32_t i = 0; i < in->rank; i++)
        if (i != axis)
            dims[rank++] = in->dims[i];
    if (rank == 0)
        dims[rank++] = 1;
    nn_set_dims(call->out[0], rank, dims);
    return 0;
}

static int run_arg(struct nn_call *call)
{
    const double *x = nn_load_raw(call, call->in[0]);
    double sign = call->op->code == ANEURALNETWORKS_ARGMAX ? 1 : -1;
    size_t before, n, after;
    uint32_t axis;

    if (!x)
        return nn_no_memory(call);
    nn_axis(call, nn_int(call, 1), call->in[0]->rank, &axis);
    nn_split_at(call->in[0], axis, &before, &n, &after);
    for (size_t i = 0; i < before * after; i++) {
        const double *at = x + i / after * n * after + i % after;
        size_t best = 0;

        for (size_t j = 1; j < n; j++)
            if (at[j * after] * sign > at[best * after] * sign)
                best = j;
        nn_store_at(call, call->out[0], i, (double)best);
    }
    return 0;
}

#define ARG(NAME)                                                                                  \
    const struct nn_op nn_op_##NAME = {                                                            \
        .code = ANEURALNETWORKS_##NAME,                                                            \
        .level = 3,                                                                                \
        .in = {"ti"},                                                                              \
        .out = "I",                                                                                \
        .min_rank = 1,                                                                             \
        .max_rank = 4,                                                                             \
        .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4, [I32] = 3},                           \
        .shape = shape_arg,                                                                        \
        .run = run_arg,                                                                            \
        .work = work}

ARG(ARGMAX);
ARG(ARGMIN);
