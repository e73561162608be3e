/* SPDX-License-Identifier: MIT */
/* convert.c - CAST, QUANTIZE, DEQUANTIZE. */
#include <math.h>

#include "ops/op.h"

static bool casts(int32_t type)
{
    return nn_is_float(type) || type == I32 || type == Q8;
}

/* Other types only to themselves, from level 4 on. */
static bool check_cast(struct nn_call *call)
{
    int32_t from = call->in[0]->type, to = call->out[0]->type;

    if (casts(from) && casts(to))
        return true;
    if (from != to)
        return nn_refuse(call, "%s does not become %s", bp_nnapi_operand_name(from),
                         bp_nnapi_operand_name(to));
    nn_needs(call, 4);
    return true;
}

/* The integers of 8-bit types, without scale and zero point; floats are cut off. */
static int run_cast(struct nn_call *call)
{
    struct nn_tensor from = *call->in[0], to = *call->out[0];
    size_t n = nn_count_of(&from);
    double *x;

    if (from.type == to.type) {
        memcpy(to.data, from.data, n * nn_element_size(from.type));
        return 0;
    }
    from.scale = to.scale = 1;
    from.zero = to.zero = 0;
    x = nn_load(call, &from);
    if (!x)
        return nn_no_memory(call);
    for (size_t i = 0; i < n; i++)
        nn_store_at(call, &to, i, nn_is_float(to.type) ? x[i] : trunc(x[i]));
    return 0;
}

const struct nn_op nn_op_CAST = {
    .code = ANEURALNETWORKS_CAST,
    .level = 3,
    .in = {"T"},
    .out = "T",
    .types = {[F32] = 3,
              [F16] = 3,
              [I32] = 3,
              [Q8] = 3,
              [Q8S] = 4,
              [Q8Y] = 4,
              [Q8C] = 4,
              [Q16] = 4,
              [Q16Y] = 4,
              [B8] = 4},
    .check = check_cast,
    .shape = nn_shape_same,
    .run = run_cast,
};

/* ---- QUANTIZE, DEQUANTIZE ------------------------------------------------------------------- */

static int run_values(struct nn_call *call)
{
    const double *x = nn_load(call, call->in[0]);

    if (!x)
        return nn_no_memory(call);
    nn_store(call, call->out[0], x);
    return 0;
}

static bool check_quantize(struct nn_call *call)
{
    int32_t to = call->out[0]->type;

    if (!nn_is_quant8(to))
        return nn_refuse(call, "output 0 cannot be %s", bp_nnapi_operand_name(to));
    if (to == Q8S)
        nn_needs(call, 4);
    return true;
}

static bool check_dequantize(struct nn_call *call)
{
    int32_t to = call->out[0]->type;

    if (!nn_is_float(to))
        return nn_refuse(call, "output 0 cannot be %s", bp_nnapi_operand_name(to));
    if (to == F16)
        nn_needs(call, 3);
    return true;
}

const struct nn_op nn_op_QUANTIZE = {
    .code = ANEURALNETWORKS_QUANTIZE,
    .level = 3,
    .in = {"T"},
    .out = "T",
    .types = {[F32] = 3, [F16] = 3},
    .check = check_quantize,
    .shape = nn_shape_same,
    .run = run_values,
};

const struct nn_op nn_op_DEQUANTIZE = {
    .code = ANEURALNETWORKS_DEQUANTIZE,
    .level = 1,
    .in = {"T"},
    .out = "T",
    .types = {[Q8] = 1, [Q8S] = 4, [Q8Y] = 3, [Q8C] = 3},
    .max_rank = 4,
    .check = check_dequantize,
    .shape = nn_shape_same,
    .run = run_values,
};
