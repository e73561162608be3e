/* SPDX-License-Identifier: MIT */
/*
 * hardmax.c - Hardmax (opsets 1, 11, 13).
 * y is 1 for the first largest element, else 0; Y has the shape of X. From opset 13 on along one
 * axis; before, X is a matrix whose rows are all dimensions from `axis` on.
 */

#include "kernels/columns.h"
#include "kernels/tensor_data.h"
#include "kernels/types/loops.h"

struct state {
    struct bp_cpu_columns columns;
};

#define TEMPLATE "kernels/arg_line.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE

#define NAME hardmax
#define TEMPLATE "normalization/hardmax.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE

static const struct bp_cpu_column_loops loops[BP_DTYPE_END] = {
#define TEMPLATE "kernels/types/strip_entry.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
};

/* From opset 13 on the default axis is -1, before it is 1. */
static bp_rc prepare(struct bp_cpu_call *call, bp_err *err)
{
    struct state *state;
    bp_rc rc = bp_cpu_state(call, sizeof *state, err);

    if (rc < 0)
        return rc;
    state = call->state;
    return bp_cpu_columns_from(call, 2, &state->columns, err);
}

static bp_rc run(struct bp_cpu_call *call, bp_err *err)
{
    const struct state *state = call->state;

    (void)err;
    bp_cpu_columns_run(call, &state->columns, &loops[call->in[0]->dtype], state);
    return BP_OK;
}

const struct bp_cpu_op bp_cpu_op_hardmax = {
    .name = "Hardmax",
    .since = 1,
    .flags = BP_CPU_IN_PLACE,
    .types = BP_CPU_FLOATS,
    .prepare = prepare,
    .run = run,
};
