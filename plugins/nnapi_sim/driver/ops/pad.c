/* SPDX-License-Identifier: MIT */
/* pad.c - PAD, PAD_V2, MIRROR_PAD. */
#include "ops/move.h"

static int shape(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0], *list = call->in[1];
    const int32_t *pads = nn_load_ints(call, list);
    uint32_t dims[NN_RANK];

    if (!pads)
        return nn_no_memory(call);
    if (list->rank != 2 || list->dims[0] != in->rank || list->dims[1] != 2)
        return nn_op_failed(call, "the paddings are not [%u, 2]", in->rank);
    for (uint32_t i = 0; i < in->rank; i++) {
        if (pads[2 * i] < 0 || pads[2 * i + 1] < 0)
            return nn_op_failed(call, "a padding of axis %u is negative", i);
        dims[i] = in->dims[i] + (uint32_t)pads[2 * i] + (uint32_t)pads[2 * i + 1];
    }
    nn_set_dims(call->out[0], in->rank, dims);
    return 0;
}

/* The value in the type of the output, as its bytes: 8-bit types are given as they are stored. */
static void fill(const struct nn_call *call)
{
    struct nn_tensor out = *call->out[0];
    bool given = call->op->code == ANEURALNETWORKS_PAD_V2;
    double value = given ? nn_real(call, 2) : 0;
    size_t n = nn_count_of(&out);

    if (given && nn_is_quant8(out.type)) {
        out.scale = 1;
        out.zero = 0;
    }
    for (size_t i = 0; i < n; i++)
        nn_store_at(call, &out, i, value);
}

static int run(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    const int32_t *pads = nn_load_ints(call, call->in[1]);
    uint32_t index[NN_RANK] = {0};
    size_t steps[NN_RANK], n = nn_count_of(in);

    if (!pads)
        return nn_no_memory(call);
    fill(call);
    nn_steps(call->out[0], steps);
    for (size_t i = 0; i < n; i++) {
        size_t to = 0;

        for (uint32_t d = 0; d < in->rank; d++)
            to += (index[d] + (uint32_t)pads[2 * d]) * steps[d];
        nn_move(call->out[0], to, in, i);
        nn_next(in->rank, in->dims, index);
    }
    return 0;
}

/* Up to level 2 padding of 8-bit types is 0 as a value only where the zero point is 0. */
static bool check(struct nn_call *call)
{
    if (call->in[0]->type == Q8 && call->in[0]->zero != 0)
        nn_needs(call, 3);
    return true;
}

const struct nn_op nn_op_PAD = {
    .code = ANEURALNETWORKS_PAD,
    .level = 2,
    .in = {"tI"},
    .out = "t",
    .types = {[F32] = 2, [F16] = 3, [Q8] = 2, [Q8S] = 4},
    .max_rank = 4,
    .same_quant = true,
    .check = check,
    .shape = shape,
    .run = run,
};

const struct nn_op nn_op_PAD_V2 = {
    .code = ANEURALNETWORKS_PAD_V2,
    .level = 3,
    .in = {"tIs"},
    .out = "t",
    .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4},
    .max_rank = 4,
    .same_quant = true,
    .shape = shape,
    .run = run,
};

/* ---- MIRROR_PAD ----------------------------------------------------------------------------- */

/* Mode 0 reflects, and does not repeat the border; mode 1 is symmetric, and does. */
static int shape_mirror(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    const int32_t *pads = nn_load_ints(call, call->in[1]);
    int32_t mode = nn_int(call, 2);
    int rc = shape(call);

    if (rc)
        return rc;
    if (!pads)
        return nn_no_memory(call);
    if (mode != 0 && mode != 1)
        return nn_op_failed(call, "there is no mode %d", mode);
    for (uint32_t i = 0; i < 2 * in->rank; i++)
        if ((uint32_t)pads[i] > in->dims[i / 2] - (mode == 0))
            return nn_op_failed(call, "a padding of %d does not fit %u elements", pads[i],
                                in->dims[i / 2]);
    return 0;
}

static size_t mirrored(int64_t at, int64_t n, int32_t mode)
{
    if (at < 0)
        at = -at - mode;
    if (at >= n)
        at = 2 * n - 2 - at + mode;
    return (size_t)at;
}

static int run_mirror(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    struct nn_tensor *out = call->out[0];
    const int32_t *pads = nn_load_ints(call, call->in[1]);
    uint32_t index[NN_RANK] = {0};
    size_t steps[NN_RANK], n = nn_count_of(out);

    if (!pads)
        return nn_no_memory(call);
    nn_steps(in, steps);
    for (size_t i = 0; i < n; i++) {
        size_t from = 0;

        for (uint32_t d = 0; d < out->rank; d++)
            from +=
                mirrored((int64_t)index[d] - pads[2 * d], in->dims[d], nn_int(call, 2)) * steps[d];
        nn_move(out, i, in, from);
        nn_next(out->rank, out->dims, index);
    }
    return 0;
}

const struct nn_op nn_op_MIRROR_PAD = {
    .code = ANEURALNETWORKS_MIRROR_PAD,
    .level = 7,
    .in = {"tIi"},
    .out = "t",
    .types = {[F32] = 7, [F16] = 7, [Q8] = 7, [Q8S] = 7, [I32] = 7},
    .same_quant = true,
    .shape = shape_mirror,
    .run = run_mirror,
};
