/* SPDX-License-Identifier: MIT */
/*
 * variadic.h - operators that fold one or more inputs into one output, with broadcasting: Sum, Min,
 * Max, Mean.
 *
 * Thread rule as in binary.h: claim and prepare on one thread, the loops on all.
 */
#ifndef BP_CPU_ELEMENTWISE_ARITHMETIC_VARIADIC_H
#define BP_CPU_ELEMENTWISE_ARITHMETIC_VARIADIC_H

#include "elementwise/binary.h"
#include "kernels/unary.h"

/* What an operator of the family has in .loops. */
struct bp_cpu_variadic {
    bp_cpu_binary_loop loops[BP_DTYPE_END]; /* folds one more input in; NULL: refused */
    /* the final step, params.a is the number of inputs; or NULL */
    bp_cpu_unary_loop last[BP_DTYPE_END];
};

/*
 * claim, prepare and run of these operators. BP_E_SHAPE: the inputs do not broadcast to the output.
 */
void bp_cpu_claim_variadic(const struct bp_cpu_op *op, const struct bp_cpu_query *query);
bp_rc bp_cpu_prepare_variadic(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_run_variadic(struct bp_cpu_call *call, bp_err *err);

#endif
