/* SPDX-License-Identifier: MIT */
/* slice.c - SLICE, STRIDED_SLICE. */
#include "ops/move.h"

/* Elements from begin[d] on, `step[d]` apart. */
static void copy(const struct nn_call *call, const int64_t *begin, const int64_t *step,
                 uint32_t rank, const uint32_t *counts)
{
    const struct nn_tensor *in = call->in[0];
    uint32_t index[NN_RANK] = {0};
    size_t steps[NN_RANK], n = nn_count_of(call->out[0]);

    nn_steps(in, steps);
    for (size_t i = 0; i < n; i++) {
        size_t from = 0;

        for (uint32_t d = 0; d < rank; d++)
            from += (size_t)(begin[d] + index[d] * step[d]) * steps[d];
        nn_move(call->out[0], i, in, from);
        nn_next(rank, counts, index);
    }
}

/* Inputs first to last are lists of a value for each axis. */
static int check_lists(struct nn_call *call, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i <= last; i++)
        if (call->in[i]->rank != 1 || call->in[i]->dims[0] != call->in[0]->rank)
            return nn_op_failed(call, "input %u is not one value for each of %u axes", i,
                                call->in[0]->rank);
    return 0;
}

/* ---- SLICE ---------------------------------------------------------------------------------- */

/* A size of -1 is what there is. */
static int shape_slice(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    const int32_t *begin, *size;
    uint32_t dims[NN_RANK];
    int rc = check_lists(call, 1, 2);

    if (rc)
        return rc;
    begin = nn_load_ints(call, call->in[1]);
    size = nn_load_ints(call, call->in[2]);
    if (!begin || !size)
        return nn_no_memory(call);
    for (uint32_t i = 0; i < in->rank; i++) {
        int64_t n = size[i] == -1 ? (int64_t)in->dims[i] - begin[i] : size[i];

        if (begin[i] < 0 || n < 1 || begin[i] + n > in->dims[i])
            return nn_op_failed(call, "%d from %d on are not in the %u elements of axis %u",
                                size[i], begin[i], in->dims[i], i);
        dims[i] = (uint32_t)n;
    }
    nn_set_dims(call->out[0], in->rank, dims);
    return 0;
}

static int run_slice(struct nn_call *call)
{
    const int32_t *begin = nn_load_ints(call, call->in[1]);
    int64_t from[NN_RANK], step[NN_RANK];

    if (!begin)
        return nn_no_memory(call);
    for (uint32_t i = 0; i < call->in[0]->rank; i++) {
        from[i] = begin[i];
        step[i] = 1;
    }
    copy(call, from, step, call->in[0]->rank, call->out[0]->dims);
    return 0;
}

const struct nn_op nn_op_SLICE = {
    .code = ANEURALNETWORKS_SLICE,
    .level = 3,
    .in = {"tII"},
    .out = "t",
    .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4, [I32] = 3},
    .same_quant = true,
    .shape = shape_slice,
    .run = run_slice,
};

/* ---- STRIDED_SLICE -------------------------------------------------------------------------- */

struct slice {
    int64_t begin[NN_RANK], step[NN_RANK];
    uint32_t counts[NN_RANK];
};

static int64_t clamp(int64_t x, int64_t low, int64_t high)
{
    return x < low ? low : x > high ? high : x;
}

/* One axis: masks let a bound be the tensor's; an axis that shrinks has the one element at begin. */
static int make_axis(struct nn_call *call, uint32_t i, const int32_t *const lists[3],
                     struct slice *slice)
{
    int64_t n = call->in[0]->dims[i], step = lists[2][i], begin = lists[0][i], end = lists[1][i];
    uint32_t bit = 1u << i;
    int64_t least = step < 0 ? -1 : 0, most = step < 0 ? n - 1 : n, count;

    if (step == 0)
        return nn_op_failed(call, "the stride of axis %u is 0", i);
    begin = (uint32_t)nn_int(call, 4) & bit ? (step < 0 ? n - 1 : 0)
                                            : clamp(begin < 0 ? begin + n : begin, least, most);
    end = (uint32_t)nn_int(call, 5) & bit ? (step < 0 ? -1 : n)
                                          : clamp(end < 0 ? end + n : end, least, most);
    if ((uint32_t)nn_int(call, 6) & bit) {
        if (step < 1 || begin >= n)
            return nn_op_failed(call, "axis %u cannot shrink to one element", i);
        end = begin + 1;
    }
    count = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
    if (count < 1)
        return nn_op_failed(call, "axis %u has no element left", i);
    slice->begin[i] = begin;
    slice->step[i] = step;
    slice->counts[i] = (uint32_t)count;
    return 0;
}

static int make_slice(struct nn_call *call, struct slice *slice)
{
    const int32_t *lists[3];
    int rc = check_lists(call, 1, 3);

    for (uint32_t i = 0; i < 3 && !rc; i++) {
        lists[i] = nn_load_ints(call, call->in[i + 1]);
        if (!lists[i])
            return nn_no_memory(call);
    }
    for (uint32_t i = 0; i < call->in[0]->rank && !rc; i++)
        rc = make_axis(call, i, lists, slice);
    return rc;
}

static int shape_strided(struct nn_call *call)
{
    struct slice slice;
    uint32_t dims[NN_RANK], rank = 0;
    int rc = make_slice(call, &slice);

    if (rc)
        return rc;
    for (uint32_t i = 0; i < call->in[0]->rank; i++)
        if (!((uint32_t)nn_int(call, 6) & 1u << i))
            dims[rank++] = slice.counts[i];
    if (rank == 0)
        dims[rank++] = 1;
    nn_set_dims(call->out[0], rank, dims);
    return 0;
}

static int run_strided(struct nn_call *call)
{
    struct slice slice;
    int rc = make_slice(call, &slice);

    if (!rc)
        copy(call, slice.begin, slice.step, call->in[0]->rank, slice.counts);
    return rc;
}

const struct nn_op nn_op_STRIDED_SLICE = {
    .code = ANEURALNETWORKS_STRIDED_SLICE,
    .level = 2,
    .in = {"tIIIiii"},
    .out = "t",
    .types = {[F32] = 2, [F16] = 3, [Q8] = 2, [Q8S] = 4},
    .max_rank = 4,
    .same_quant = true,
    .shape = shape_strided,
    .run = run_strided,
};
