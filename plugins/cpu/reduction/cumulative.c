/* SPDX-License-Identifier: MIT */
/*
 * cumulative.c - CumSum (ai.onnx, opsets 11, 14) and CumProd (opset 26).
 *
 * Y[k] = X[0] + .. + X[k] along the axis, or the product of them
 *
 * exclusive=1 leaves out X[k] itself (Y[0] is 0, or 1), reverse=1 runs from the end. The axis is
 * input 1, an int32 or int64 scalar, in -r..r-1. Types: floats and 32 and 64-bit integers. Integers
 * wrap; float16 and bfloat16 are accumulated in float32.
 */

#include "kernels/columns.h"
#include "kernels/runtime_shape.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

struct state {
    struct bp_cpu_columns columns;
    bool is_exclusive, is_reverse;
};

#define TEMPLATE "reduction/cumulative.inc"
/* FIRST is the value of an empty sum or product. */
#define NAME sum
#define FIRST 0
#define EXPR(x, y) (WRAP(x) + WRAP(y))
#include "kernels/types/number.inc"
#undef NAME
#undef FIRST
#undef EXPR
#define NAME product
#define FIRST 1
#define EXPR(x, y) (WRAP(x) * WRAP(y))
#include "kernels/types/number.inc"
#undef NAME
#undef FIRST
#undef EXPR
#undef TEMPLATE

#define TEMPLATE "kernels/types/strip_entry.inc"
static const struct bp_cpu_column_loops sums[BP_DTYPE_END] = {
#define NAME sum
#include "kernels/types/number.inc"
#undef NAME
};
static const struct bp_cpu_column_loops products[BP_DTYPE_END] = {
#define NAME product
#include "kernels/types/number.inc"
#undef NAME
};
#undef TEMPLATE

static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    state->is_exclusive = bp_cpu_int(call->node, "exclusive", 0) != 0;
    state->is_reverse = bp_cpu_int(call->node, "reverse", 0) != 0;
    return BP_OK;
}

/* The axis may be computed by the model, so that it is read in each run. */
static bp_rc read_axis(const struct bp_cpu_call *call, uint32_t *out, bp_err *err)
{
    struct bp_cpu_list axis = bp_cpu_list_input(call, 1);

    if (bp_cpu_list_is_absent(&axis) || axis.n != 1)
        return bp_cpu_fail(call->node, err, BP_E_INVALID, "axis is not a scalar");
    return bp_cpu_axis(call, bp_cpu_list_at(&axis, 0), call->in[0]->rank, out, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct bp_cpu_column_loops *loops = call->node->op->loops;
    struct state state = *(const struct state *)call->state; /* the axis comes with each run */
    uint32_t axis;
    bp_rc rc = read_axis(call, &axis, err);

    if (rc < 0)
        return rc;
    bp_cpu_columns_make(call, axis, 2, &state.columns);
    bp_cpu_columns_run(call, &state.columns, &loops[call->in[0]->dtype], &state);
    return BP_OK;
}

#define BIT(dtype) UINT64_C(1) << BP_DTYPE_##dtype
#define NUMBERS (BP_CPU_FLOATS | BIT(I32) | BIT(I64) | BIT(U32) | BIT(U64))

const struct bp_cpu_op bp_cpu_op_cum_prod = {
    .name = "CumProd",
    .since = 26,
    .flags = BP_CPU_IN_PLACE,
    .loops = products,
    .types = NUMBERS,
    .prepare = prepare,
    .run = run,
};

const struct bp_cpu_op bp_cpu_op_cum_sum = {
    .name = "CumSum",
    .since = 11,
    .flags = BP_CPU_IN_PLACE,
    .loops = sums,
    .types = NUMBERS,
    .prepare = prepare,
    .run = run,
};
