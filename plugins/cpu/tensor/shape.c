/* SPDX-License-Identifier: MIT */
/*
 * shape.c - Shape (opsets 1, 13, 15 with start and end, ...) and Size (1, 13, ...): facts as int64.
 */

#include "cpu.h"

/* An end of the range of dimensions: from the back when it is below 0, and clamped. */
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
