/* SPDX-License-Identifier: MIT */
/* transpose.c - TRANSPOSE, REVERSE, TILE, GATHER, EMBEDDING_LOOKUP. */
#include "ops/move.h"

/* ---- TRANSPOSE ------------------------------------------------------------------------------ */

/* Without a permutation the dimensions are turned round. */
static int read_permutation(struct nn_call *call, uint32_t *perm)
{
    uint32_t rank = call->in[0]->rank;
    bool seen[NN_RANK] = {false};
    const int32_t *wanted;

    for (uint32_t i = 0; i < rank; i++)
        perm[i] = rank - 1 - i;
    if (!nn_has(call, 1))
        return 0;
    wanted = nn_load_ints(call, call->in[1]);
    if (!wanted)
        return nn_no_memory(call);
    if (call->in[1]->rank != 1 || call->in[1]->dims[0] != rank)
        return nn_op_failed(call, "the permutation has not %u entries", rank);
    for (uint32_t i = 0; i < rank; i++) {
        if (wanted[i] < 0 || wanted[i] >= (int32_t)rank || seen[wanted[i]])
            return nn_op_failed(call, "entry %u of the permutation is %d", i, wanted[i]);
        perm[i] = (uint32_t)wanted[i];
        seen[wanted[i]] = true;
    }
    return 0;
}

static int shape_transpose(struct nn_call *call)
{
    uint32_t perm[NN_RANK], dims[NN_RANK];
    int rc = read_permutation(call, perm);

    if (rc)
        return rc;
    for (uint32_t i = 0; i < call->in[0]->rank; i++)
        dims[i] = call->in[0]->dims[perm[i]];
    nn_set_dims(call->out[0], call->in[0]->rank, dims);
    return 0;
}

static int run_transpose(struct nn_call *call)
{
    struct nn_tensor *out = call->out[0];
    uint32_t perm[NN_RANK], index[NN_RANK] = {0};
    size_t steps[NN_RANK], n = nn_count_of(out);
    int rc = read_permutation(call, perm);

    if (rc)
        return rc;
    nn_steps(call->in[0], steps);
    for (size_t i = 0; i < n; i++) {
        size_t from = 0;

        for (uint32_t d = 0; d < out->rank; d++)
            from += index[d] * steps[perm[d]];
        nn_move(out, i, call->in[0], from);
        nn_next(out->rank, out->dims, index);
    }
    return 0;
}

const struct nn_op nn_op_TRANSPOSE = {
    .code = ANEURALNETWORKS_TRANSPOSE,
    .level = 2,
    .in = {"t|I"},
    .out = "t",
    .types = {[F32] = 2, [F16] = 3, [Q8] = 2, [Q8S] = 4},
    .max_rank = 4,
    .same_quant = true,
    .shape = shape_transpose,
    .run = run_transpose,
};

/* ---- REVERSE -------------------------------------------------------------------------------- */

static int shape_reverse(struct nn_call *call)
{
    uint32_t axis;

    if (nn_count_of(call->in[1]) != 1 || !nn_axis(call, nn_int(call, 1), call->in[0]->rank, &axis))
        return nn_op_failed(call, "the axis is not one of the tensor's");
    return nn_shape_same(call);
}

static int run_reverse(struct nn_call *call)
{
    size_t before, n, after;
    uint32_t axis;

    nn_axis(call, nn_int(call, 1), call->in[0]->rank, &axis);
    nn_split_at(call->in[0], axis, &before, &n, &after);
    for (size_t i = 0; i < before; i++)
        for (size_t j = 0; j < n; j++)
            for (size_t k = 0; k < after; k++)
                nn_move(call->out[0], (i * n + j) * after + k, call->in[0],
                        (i * n + n - 1 - j) * after + k);
    return 0;
}

const struct nn_op nn_op_REVERSE = {
    .code = ANEURALNETWORKS_REVERSE,
    .level = 7,
    .in = {"tI"},
    .out = "t",
    .types = {[F32] = 7, [F16] = 7, [Q8] = 7, [Q8S] = 7, [I32] = 7},
    .same_quant = true,
    .shape = shape_reverse,
    .run = run_reverse,
};

/* ---- TILE ----------------------------------------------------------------------------------- */

static int shape_tile(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    const int32_t *times = nn_load_ints(call, call->in[1]);
    uint32_t dims[NN_RANK];
    uint64_t n = 1;

    if (!times)
        return nn_no_memory(call);
    if (call->in[1]->rank != 1 || call->in[1]->dims[0] != in->rank)
        return nn_op_failed(call, "there are not %u numbers of times", in->rank);
    for (uint32_t i = 0; i < in->rank; i++) {
        if (times[i] < 1 || (n *= (uint64_t)times[i] * in->dims[i]) > UINT32_MAX)
            return nn_op_failed(call, "axis %u cannot be tiled %d times", i, times[i]);
        dims[i] = in->dims[i] * (uint32_t)times[i];
    }
    nn_set_dims(call->out[0], in->rank, dims);
    return 0;
}

static int run_tile(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    struct nn_tensor *out = call->out[0];
    uint32_t index[NN_RANK] = {0};
    size_t n = nn_count_of(out);

    for (size_t i = 0; i < n; i++) {
        size_t from = 0;

        for (uint32_t d = 0; d < out->rank; d++)
            from = from * in->dims[d] + index[d] % in->dims[d];
        nn_move(out, i, in, from);
        nn_next(out->rank, out->dims, index);
    }
    return 0;
}

const struct nn_op nn_op_TILE = {
    .code = ANEURALNETWORKS_TILE,
    .level = 3,
    .in = {"tI"},
    .out = "t",
    .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4, [I32] = 3},
    .same_quant = true,
    .shape = shape_tile,
    .run = run_tile,
};

/* ---- GATHER, EMBEDDING_LOOKUP --------------------------------------------------------------- */

/* Operands of GATHER are values, axis, indices; those of EMBEDDING_LOOKUP indices, values. */
static const struct nn_tensor *indices_of(const struct nn_call *call)
{
    return call->in[call->op->code == ANEURALNETWORKS_GATHER ? 2 : 0];
}

static int find_axis(struct nn_call *call, uint32_t *axis)
{
    *axis = 0;
    if (call->op->code == ANEURALNETWORKS_GATHER &&
        !nn_axis(call, nn_int(call, 1), call->in[0]->rank, axis))
        return nn_op_failed(call, "there is no axis %d", nn_int(call, 1));
    return 0;
}

static int shape_gather(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[call->op->subject], *at = indices_of(call);
    uint32_t axis, dims[2 * NN_RANK], rank = 0;
    int rc = find_axis(call, &axis);

    if (rc)
        return rc;
    if (in->rank + at->rank > NN_RANK + 1)
        return nn_op_failed(call, "rank %u is too much", in->rank + at->rank - 1);
    for (uint32_t i = 0; i < axis; i++)
        dims[rank++] = in->dims[i];
    for (uint32_t i = 0; i < at->rank; i++)
        dims[rank++] = at->dims[i];
    for (uint32_t i = axis + 1; i < in->rank; i++)
        dims[rank++] = in->dims[i];
    nn_set_dims(call->out[0], rank, dims);
    return 0;
}

static int run_gather(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[call->op->subject], *at = indices_of(call);
    const int32_t *indices = nn_load_ints(call, at);
    size_t before, n, after, count = nn_count_of(at);
    uint32_t axis;
    int rc = find_axis(call, &axis);

    if (rc)
        return rc;
    if (!indices)
        return nn_no_memory(call);
    nn_split_at(in, axis, &before, &n, &after);
    for (size_t j = 0; j < count; j++) {
        if (indices[j] < 0 || (size_t)indices[j] >= n)
            return nn_op_failed(call, "index %d is not one of %zu", indices[j], n);
        for (size_t i = 0; i < before; i++)
            for (size_t k = 0; k < after; k++)
                nn_move(call->out[0], (i * count + j) * after + k, in,
                        (i * n + (size_t)indices[j]) * after + k);
    }
    return 0;
}

const struct nn_op nn_op_GATHER = {
    .code = ANEURALNETWORKS_GATHER,
    .level = 3,
    .in = {"tiI"},
    .out = "t",
    .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4, [I32] = 3},
    .same_quant = true,
    .shape = shape_gather,
    .run = run_gather,
};

static bool check_lookup(struct nn_call *call)
{
    if (call->in[0]->ranked && call->in[0]->rank != 1)
        return nn_refuse(call, "the indices have rank %u, not 1", call->in[0]->rank);
    return true;
}

const struct nn_op nn_op_EMBEDDING_LOOKUP = {
    .code = ANEURALNETWORKS_EMBEDDING_LOOKUP,
    .level = 1,
    .in = {"It"},
    .out = "t",
    .subject = 1,
    .types = {[F32] = 1, [F16] = 4, [Q8] = 3, [Q8S] = 4, [I32] = 3},
    .min_rank = 2,
    .max_rank = NN_RANK,
    .same_quant = true,
    .check = check_lookup,
    .shape = shape_gather,
    .run = run_gather,
};
