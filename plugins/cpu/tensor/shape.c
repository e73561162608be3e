/* SPDX-License-Identifier: MIT */
/*
 * shape.c - Shape (ai.onnx, opsets 1, 13, 15, 19, ...) and Size (opsets 1, 13, 19, ...).
 *
 * Shape: the dimensions of X as a 1-D int64 tensor; from 15 on those from `start` (0) to `end`
 * (rank), negative ones counted from the back and both clamped. Size: the number of elements as an
 * int64 scalar. Types: all; the elements of X are not read.
 */

#include "cpu.h"

/* Reads attribute `name` as a position in 0..rank; below 0 it is counted from the back. */
static int64_t end_of(const struct bp_cpu_call *call, const char *name, int64_t def)
{
    int64_t rank = call->in[0]->rank, at = bp_cpu_int(call->node, name, def);

    if (at < 0)
        at += rank;
    return at < 0 ? 0 : at > rank ? rank : at;
}

static bp_rc run_shape(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    int64_t from = end_of(call, "start", 0), to = end_of(call, "end", x->rank);

    (void)err;
    if (to > from)
        memcpy(bp_tensor_data(call->out[0]), x->dims + from, (size_t)(to - from) * sizeof *x->dims);
    return BP_OK;
}

static bp_rc run_size(struct bp_cpu_call *call, bp_err *err)
{
    *(int64_t *)bp_tensor_data(call->out[0]) = bp_cpu_count(call->in[0]);
    (void)err;
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_shape = {
    .name = "Shape",
    .since = 1,
    .types = BP_CPU_ANY_TYPE,
    .run = run_shape,
};

const struct bp_cpu_op bp_cpu_op_size = {
    .name = "Size",
    .since = 1,
    .types = BP_CPU_ANY_TYPE,
    .run = run_size,
};
