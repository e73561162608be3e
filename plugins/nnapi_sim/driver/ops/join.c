/* SPDX-License-Identifier: MIT */
/* join.c - CONCATENATION, PACK, SPLIT. */
#include "ops/move.h"

/* ---- CONCATENATION -------------------------------------------------------------------------- */

static bool check_concatenation(struct nn_call *call)
{
    for (uint32_t i = 0; i + 1 < call->in_count; i++)
        if (nn_is_quant8(call->in[i]->type) && !nn_same_quant(call->in[i], call->out[0]))
            nn_needs(call, 3);
    return true;
}

static int shape_concatenation(struct nn_call *call)
{
    const struct nn_tensor *first = call->in[0];
    uint32_t axis, dims[NN_RANK], n = call->in_count - 1;

    if (!nn_axis(call, nn_int(call, n), first->rank, &axis))
        return nn_op_failed(call, "there is no axis %d", nn_int(call, n));
    memcpy(dims, first->dims, sizeof dims);
    for (uint32_t i = 1; i < n; i++) {
        const struct nn_tensor *in = call->in[i];

        if (in->rank != first->rank)
            return nn_op_failed(call, "input %u has rank %u, not %u", i, in->rank, first->rank);
        for (uint32_t d = 0; d < in->rank; d++)
            if (d != axis && in->dims[d] != first->dims[d])
                return nn_op_failed(call, "dimension %u of input %u is %u, not %u", d, i,
                                    in->dims[d], first->dims[d]);
        dims[axis] += in->dims[axis];
    }
    nn_set_dims(call->out[0], first->rank, dims);
    return 0;
}

/* Copies an input between `at` and its end along the axis, of new scale where that differs. */
static int put(struct nn_call *call, const struct nn_tensor *in, size_t at, uint32_t axis)
{
    struct nn_tensor *out = call->out[0];
    bool same = !nn_is_quant8(in->type) || nn_same_quant(in, out);
    const double *x = same ? NULL : nn_load(call, in);
    size_t before, n, m, after;

    if (!same && !x)
        return nn_no_memory(call);
    nn_split_at(out, axis, &before, &m, &after);
    n = in->dims[axis];
    for (size_t i = 0; i < before; i++)
        for (size_t j = 0; j < n * after; j++) {
            size_t to = (i * m + at) * after + j;

            if (same)
                nn_move(out, to, in, i * n * after + j);
            else
                nn_store_at(call, out, to, x[i * n * after + j]);
        }
    return 0;
}

static int run_concatenation(struct nn_call *call)
{
    uint32_t axis, n = call->in_count - 1;
    size_t at = 0;
    int rc = 0;

    nn_axis(call, nn_int(call, n), call->in[0]->rank, &axis);
    for (uint32_t i = 0; i < n && !rc; i++) {
        rc = put(call, call->in[i], at, axis);
        at += call->in[i]->dims[axis];
    }
    return rc;
}

const struct nn_op nn_op_CONCATENATION = {
    .code = ANEURALNETWORKS_CONCATENATION,
    .level = 1,
    .in = {"t*i"},
    .out = "t",
    .types = {[F32] = 1, [F16] = 3, [Q8] = 1, [Q8S] = 4},
    .max_rank = 4,
    .check = check_concatenation,
    .shape = shape_concatenation,
    .run = run_concatenation,
};

/* ---- PACK ----------------------------------------------------------------------------------- */

static int shape_pack(struct nn_call *call)
{
    const struct nn_tensor *first = call->in[1];
    uint32_t axis, dims[NN_RANK], rank = first->rank + 1;

    if (rank > NN_RANK || !nn_axis(call, nn_int(call, 0), rank, &axis))
        return nn_op_failed(call, "there is no axis %d", nn_int(call, 0));
    for (uint32_t i = 2; i < call->in_count; i++)
        if (call->in[i]->rank != first->rank ||
            memcmp(call->in[i]->dims, first->dims, first->rank * sizeof *dims) != 0)
            return nn_op_failed(call, "input %u has another shape than input 1", i);
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i == axis ? call->in_count - 1 : first->dims[i - (i > axis)];
    nn_set_dims(call->out[0], rank, dims);
    return 0;
}

static int run_pack(struct nn_call *call)
{
    size_t before, n, after;
    uint32_t axis;

    nn_axis(call, nn_int(call, 0), call->out[0]->rank, &axis);
    nn_split_at(call->out[0], axis, &before, &n, &after);
    for (size_t i = 0; i < before; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < after; k++)
                nn_move(call->out[0], (i * n + j) * after + k, call->in[j + 1], i * after + k);
    return 0;
}

static bool check_pack(struct nn_call *call)
{
    for (uint32_t i = 1; i < call->in_count; i++)
        if (!nn_same_quant(call->in[i], call->out[0]))
            return nn_refuse(call, "scale and zero point of input %u are not the output's", i);
    return true;
}

const struct nn_op nn_op_PACK = {
    .code = ANEURALNETWORKS_PACK,
    .level = 6,
    .in = {"it*"},
    .out = "t",
    .subject = 1,
    .types = {[F32] = 6, [F16] = 6, [Q8] = 6, [Q8S] = 6, [I32] = 6},
    .check = check_pack,
    .shape = shape_pack,
    .run = run_pack,
};

/* ---- SPLIT ---------------------------------------------------------------------------------- */

static bool check_split(struct nn_call *call)
{
    for (uint32_t i = 0; i < call->out_count; i++)
        if (!nn_same_quant(call->in[0], call->out[i]))
            return nn_refuse(call, "scale and zero point of output %u are not the input's", i);
    if (call->in[2]->constant && nn_int(call, 2) != (int32_t)call->out_count)
        return nn_refuse(call, "it has %u outputs, not %d", call->out_count, nn_int(call, 2));
    return true;
}

static int shape_split(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    uint32_t axis, dims[NN_RANK];
    int32_t parts = nn_int(call, 2);

    if (!nn_axis(call, nn_int(call, 1), in->rank, &axis))
        return nn_op_failed(call, "there is no axis %d", nn_int(call, 1));
    if (parts != (int32_t)call->out_count || in->dims[axis] % call->out_count != 0)
        return nn_op_failed(call, "%u elements are not divided into %d parts for %u outputs",
                            in->dims[axis], parts, call->out_count);
    memcpy(dims, in->dims, sizeof dims);
    dims[axis] /= call->out_count;
    for (uint32_t i = 0; i < call->out_count; i++)
        nn_set_dims(call->out[i], in->rank, dims);
    return 0;
}

static int run_split(struct nn_call *call)
{
    size_t before, n, after, part;
    uint32_t axis;

    nn_axis(call, nn_int(call, 1), call->in[0]->rank, &axis);
    nn_split_at(call->in[0], axis, &before, &n, &after);
    part = n / call->out_count * after;
    for (uint32_t o = 0; o < call->out_count; o++)
        for (size_t i = 0; i < before; i++)
            for (size_t j = 0; j < part; j++)
                nn_move(call->out[o], i * part + j, call->in[0], i * n * after + o * part + j);
    return 0;
}

const struct nn_op nn_op_SPLIT = {
    .code = ANEURALNETWORKS_SPLIT,
    .level = 3,
    .in = {"tii"},
    .out = "t*",
    .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4, [I32] = 3},
    .check = check_split,
    .shape = shape_split,
    .run = run_split,
};
