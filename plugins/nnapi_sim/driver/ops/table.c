/* SPDX-License-Identifier: MIT */
/* table.c - finds an operation by its code. */
#include "core/names.h"
#include "core/state.h"
#include "ops/op.h"

#define NN_OP(name) extern const struct nn_op nn_op_##name;
#include "ops/list.inc"
#undef NN_OP

static const struct nn_op *const table[NN_OPERATIONS] = {
#define NN_OP(name) [ANEURALNETWORKS_##name] = &nn_op_##name,
#include "ops/list.inc"
#undef NN_OP
};

const struct nn_op *nn_op_find(int32_t code)
{
    return code >= 0 && code < NN_OPERATIONS ? table[code] : NULL;
}

const char *nn_op_name(const struct nn_op *op)
{
    return bp_nnapi_operation_name(op->code);
}

int64_t bp_nnapi_operation_level(int32_t operation)
{
    const struct nn_op *op = nn_op_find(operation);

    return op ? nn_level_code(op->level) : 0;
}
