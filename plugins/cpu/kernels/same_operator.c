/* SPDX-License-Identifier: MIT */
/* same_operator.c - see same_operator.h. */

#include "kernels/same_operator.h"

#include "kernels/inner_operator.h"

void bp_cpu_same_claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query)
{
    const struct bp_cpu_op *same = op->loops;

    if (same->claim)
        same->claim(same, query);
    else
        bp_cpu_claim_types(same, query);
}

bp_rc bp_cpu_same_prepare_13(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_become(call, call->node->op->loops, 13, err);
}

bp_rc bp_cpu_same_prepare_16(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_become(call, call->node->op->loops, 16, err);
}

bp_rc bp_cpu_same_prepare_21(struct bp_cpu_call *call, bp_err *err)
{
    return bp_cpu_become(call, call->node->op->loops, 21, err);
}

bp_rc bp_cpu_same_run(struct bp_cpu_call *call, bp_err *err)
{
    return call->node->op->run(call, err); /* it has become another one */
}
