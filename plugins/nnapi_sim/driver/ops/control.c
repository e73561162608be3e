/* SPDX-License-Identifier: MIT */
/* control.c - IF, WHILE: their operands; the engine runs the models that they name. */
#include "ops/op.h"

/* IF: a BOOL8 of one element, two models, inputs of both. */
static bool check_if(struct nn_call *call)
{
    if (call->in[0]->ranked && nn_count_of(call->in[0]) != 1)
        return nn_refuse(call, "the condition has not 1 element");
    return true;
}

const struct nn_op nn_op_IF = {
    .code = ANEURALNETWORKS_IF,
    .level = 4,
    .in = {"Bmm|a*"},
    .out = "a*",
    .types = {[B8] = 4},
    .check = check_if,
};

const struct nn_op nn_op_WHILE = {
    .code = ANEURALNETWORKS_WHILE,
    .level = 4,
    .in = {"mma*"},
    .out = "a*",
    .types = {[ANEURALNETWORKS_MODEL] = 4},
};
