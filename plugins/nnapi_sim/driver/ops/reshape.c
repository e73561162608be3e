/* SPDX-License-Identifier: MIT */
/* reshape.c - operations that keep the elements in their order: RESHAPE, SQUEEZE, EXPAND_DIMS. */
#include "ops/op.h"

static int run(struct nn_call *call)
{
    memcpy(call->out[0]->data, call->in[0]->data,
           nn_count_of(call->in[0]) * nn_element_size(call->in[0]->type));
    return 0;
}

/* One dimension may be -1: what is left of the elements. */
static int shape_reshape(struct nn_call *call)
{
    const int32_t *wanted = nn_load_ints(call, call->in[1]);
    size_t rank = nn_count_of(call->in[1]), n = nn_count_of(call->in[0]), product = 1;
    uint32_t dims[NN_RANK], open = NN_RANK;

    if (!wanted)
        return nn_no_memory(call);
    if (call->in[1]->rank != 1 || rank < 1 || rank > NN_RANK)
        return nn_op_failed(call, "the shape is not a list of 1 to %d dimensions", NN_RANK);
    for (uint32_t i = 0; i < rank; i++) {
        if (wanted[i] == -1 && open == NN_RANK) {
            open = i;
        } else if (wanted[i] < 1) {
            return nn_op_failed(call, "dimension %u of the shape is %d", i, wanted[i]);
        } else {
            dims[i] = (uint32_t)wanted[i];
            product *= product <= n ? dims[i] : 1;
        }
    }
    if (open < NN_RANK && product <= n) {
        dims[open] = (uint32_t)(n / product);
        product *= dims[open];
    }
    if (product != n)
        return nn_op_failed(call, "%zu elements are not those of the shape", n);
    nn_set_dims(call->out[0], (uint32_t)rank, dims);
    return 0;
}

/* Without axes all dimensions of 1 go. */
static int shape_squeeze(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    const int32_t *axes = nn_has(call, 1) ? nn_load_ints(call, call->in[1]) : NULL;
    size_t n = nn_has(call, 1) ? nn_count_of(call->in[1]) : 0;
    bool gone[NN_RANK] = {false};
    uint32_t dims[NN_RANK], rank = 0, axis;

    if (nn_has(call, 1) && !axes)
        return nn_no_memory(call);
    for (size_t i = 0; i < n; i++) {
        if (!nn_axis(call, axes[i], in->rank, &axis) || in->dims[axis] != 1)
            return nn_op_failed(call, "axis %d has not 1 element", axes[i]);
        gone[axis] = true;
    }
    for (uint32_t i = 0; i < in->rank; i++)
        if (axes ? !gone[i] : in->dims[i] != 1)
            dims[rank++] = in->dims[i];
    if (rank == 0)
        dims[rank++] = 1;
    nn_set_dims(call->out[0], rank, dims);
    return 0;
}

static int shape_expand(struct nn_call *call)
{
    const struct nn_tensor *in = call->in[0];
    uint32_t dims[NN_RANK], axis, rank = in->rank + 1;

    if (rank > NN_RANK || !nn_axis(call, nn_int(call, 1), rank, &axis))
        return nn_op_failed(call, "there is no axis %d", nn_int(call, 1));
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = i == axis ? 1 : in->dims[i - (i > axis)];
    nn_set_dims(call->out[0], rank, dims);
    return 0;
}

const struct nn_op nn_op_RESHAPE = {
    .code = ANEURALNETWORKS_RESHAPE,
    .level = 1,
    .in = {"tI"},
    .out = "t",
    .types = {[F32] = 1, [F16] = 3, [Q8] = 1, [Q8S] = 4, [I32] = 6},
    .max_rank = 4,
    .same_quant = true,
    .shape = shape_reshape,
    .run = run,
};

const struct nn_op nn_op_SQUEEZE = {
    .code = ANEURALNETWORKS_SQUEEZE,
    .level = 2,
    .in = {"t|I"},
    .out = "t",
    .types = {[F32] = 2, [F16] = 3, [Q8] = 2, [Q8S] = 4},
    .max_rank = 4,
    .same_quant = true,
    .shape = shape_squeeze,
    .run = run,
};

const struct nn_op nn_op_EXPAND_DIMS = {
    .code = ANEURALNETWORKS_EXPAND_DIMS,
    .level = 3,
    .in = {"ti"},
    .out = "t",
    .types = {[F32] = 3, [F16] = 3, [Q8] = 3, [Q8S] = 4, [I32] = 3},
    .same_quant = true,
    .shape = shape_expand,
    .run = run,
};

/* ---- RANK and FILL -------------------------------------------------------------------------- */

static int run_rank(struct nn_call *call)
{
    int32_t rank = (int32_t)call->in[0]->rank;

    memcpy(call->out[0]->data, &rank, sizeof rank);
    return 0;
}

static int shape_rank(struct nn_call *call)
{
    nn_set_dims(call->out[0], 0, NULL);
    return 0;
}

static bool check_rank(struct nn_call *call)
{
    return call->out[0]->type == ANEURALNETWORKS_INT32 ||
           nn_refuse(call, "output 0 cannot be %s", bp_nnapi_operand_name(call->out[0]->type));
}

const struct nn_op nn_op_RANK = {
    .code = ANEURALNETWORKS_RANK,
    .level = 4,
    .in = {"T"},
    .out = "a",
    .types = {[F32] = 4,
              [F16] = 4,
              [I32] = 4,
              [Q8] = 4,
              [Q8S] = 4,
              [Q8Y] = 4,
              [Q8C] = 4,
              [Q16] = 4,
              [Q16Y] = 4,
              [B8] = 4},
    .check = check_rank,
    .shape = shape_rank,
    .run = run_rank,
};

static int shape_fill(struct nn_call *call)
{
    const int32_t *wanted = nn_load_ints(call, call->in[0]);
    size_t rank = nn_count_of(call->in[0]);
    uint32_t dims[NN_RANK];

    if (!wanted)
        return nn_no_memory(call);
    if (call->in[0]->rank != 1 || rank < 1 || rank > NN_RANK)
        return nn_op_failed(call, "the shape is not a list of 1 to %d dimensions", NN_RANK);
    for (size_t i = 0; i < rank; i++) {
        if (wanted[i] < 1)
            return nn_op_failed(call, "dimension %zu of the shape is %d", i, wanted[i]);
        dims[i] = (uint32_t)wanted[i];
    }
    nn_set_dims(call->out[0], (uint32_t)rank, dims);
    return 0;
}

static int run_fill(struct nn_call *call)
{
    size_t n = nn_count_of(call->out[0]);

    for (size_t i = 0; i < n; i++)
        nn_store_at(call, call->out[0], i, nn_real(call, 1));
    return 0;
}

/* The value's type is the output's. */
static bool check_fill(struct nn_call *call)
{
    static const int32_t pairs[][2] = {{F32, ANEURALNETWORKS_FLOAT32},
                                       {F16, ANEURALNETWORKS_FLOAT16},
                                       {I32, ANEURALNETWORKS_INT32}};

    for (size_t i = 0; i < 3; i++)
        if (call->out[0]->type == pairs[i][0] && call->in[1]->type == pairs[i][1])
            return true;
    return nn_refuse(call, "a value of %s does not fill a %s",
                     bp_nnapi_operand_name(call->in[1]->type),
                     bp_nnapi_operand_name(call->out[0]->type));
}

const struct nn_op nn_op_FILL = {
    .code = ANEURALNETWORKS_FILL,
    .level = 4,
    .in = {"Ia"},
    .out = "T",
    .types = {[I32] = 4},
    .check = check_fill,
    .shape = shape_fill,
    .run = run_fill,
};
