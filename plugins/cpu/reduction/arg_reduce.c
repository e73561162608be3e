/* SPDX-License-Identifier: MIT */
/*
 * arg_reduce.c - ArgMax and ArgMin (ai.onnx, opsets 1, 11, 12, 13).
 *
 * Y (int64) has the index along `axis` (default 0) of the largest or smallest element of X; the
 * axis becomes 1, or goes with keepdims=0. Of equal elements the first counts, from 12 on with
 * select_last_index the last. NaN counts as the extreme, as in NumPy. From 11 on the axis may be
 * negative, 13 adds bfloat16. Types: floats and integers.
 */

#include "kernels/columns.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

enum { MAXIMUM, MINIMUM }; /* variants */

struct state {
    struct bp_cpu_columns columns;
    bool is_min, takes_last; /* ArgMin; select_last_index */
};

#define TEMPLATE "kernels/arg_line.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE

#define NAME indices
#define TEMPLATE "reduction/arg_reduce.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE

static const struct bp_cpu_column_loops loops[BP_DTYPE_END] = {
#define TEMPLATE "kernels/types/strip_entry.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
};

/* An empty axis has no extreme: it is an error unless Y is empty too. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    const bp_tensor *x = call->in[0];
    int64_t axis = bp_cpu_int(call->node, "axis", 0);
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    if (axis < 0)
        axis += x->rank;
    if (axis < 0 || axis >= x->rank)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "axis is out of range for rank %u",
                           x->rank);
    bp_cpu_columns_make(call, (uint32_t)axis, 2, &state->columns);
    state->is_min = call->node->op->variant == MINIMUM;
    state->takes_last = bp_cpu_int(call->node, "select_last_index", 0) != 0;
    if (bp_cpu_count(call->out[0]) != state->columns.outer * state->columns.inner)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the output has another size");
    if (state->columns.axis == 0 && bp_cpu_count(call->out[0]) > 0)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "the axis has no elements");
    return BP_OK;
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;

    (void)err;
    bp_cpu_columns_run(call, &state->columns, &loops[call->in[0]->dtype], state);
    return BP_OK;
}

#define BIT(dtype) UINT64_C(1) << BP_DTYPE_##dtype
#define NUMBERS                                                                                    \
    (BIT(F32) | BIT(F64) | BIT(F16) | BIT(BF16) | BIT(I8) | BIT(I16) | BIT(I32) | BIT(I64) |       \
     BIT(U8) | BIT(U16) | BIT(U32) | BIT(U64))

const struct bp_cpu_op bp_cpu_op_arg_max = {
    .name = "ArgMax",
    .since = 1,
    .variant = MAXIMUM,
    .types = NUMBERS,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_arg_min = {
    .name = "ArgMin",
    .since = 1,
    .variant = MINIMUM,
    .types = NUMBERS,
    .prepare = prepare,
    .run = run,
};
