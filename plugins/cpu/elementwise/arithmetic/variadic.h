/* SPDX-License-Identifier: MIT */
/*
 * variadic.h - the family of operators that fold any number of inputs into one: Sum, Min, Max,
 * Mean.
 */
#ifndef BP_CPU_ELEMENTWISE_ARITHMETIC_VARIADIC_H
#define BP_CPU_ELEMENTWISE_ARITHMETIC_VARIADIC_H

#include "elementwise/binary.h"
#include "kernels/unary.h"

/* What an operator of the family has in .loops. */
struct bp_cpu_variadic {
    bp_cpu_binary_loop loops[BP_DTYPE_END]; /* folds one more input in; NULL: not taken */
    bp_cpu_unary_loop last[BP_DTYPE_END]; /* at the end, with the number of inputs as a; or NULL */
};

void bp_cpu_claim_variadic(const struct bp_cpu_op *op, const struct bp_cpu_query *query);
bp_rc bp_cpu_prepare_variadic(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_run_variadic(struct bp_cpu_call *call, bp_err *err);

#endif
