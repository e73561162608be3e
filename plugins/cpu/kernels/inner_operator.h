/* SPDX-License-Identifier: MIT */
/*
 * inner_operator.h - an operator that runs another one on tensors of its own making, which lie in
 * scratch: the same with its channels at the end, or on floats in place of quantised numbers.
 */
#ifndef BP_CPU_KERNELS_INNER_OPERATOR_H
#define BP_CPU_KERNELS_INNER_OPERATOR_H

#include "cpu.h"

enum { BP_CPU_INNER_TENSORS = 6, BP_CPU_INNER_ENDS = 10 };

struct bp_cpu_inner {
    struct bp_cpu_node node; /* as the outer one, but its op is the inner operator */
    bp_node plain;           /* and its version one of that operator */
    struct bp_cpu_call call;
    bp_tensor *in[BP_CPU_INNER_ENDS], *out[BP_CPU_INNER_ENDS];
    bp_tensor tensors[BP_CPU_INNER_TENSORS];
    int64_t dims[BP_CPU_INNER_TENSORS][BP_CPU_MAX_RANK];
    size_t at[BP_CPU_INNER_TENSORS]; /* where they lie in the scratch, behind the operator's own */
    size_t bytes;
    uint32_t n;
};

/*
 * Starts with the inputs and outputs of the call; put others into in, out and call.n_in. `since` is
 * the version that the inner operator runs as.
 */
void bp_cpu_inner_begin(const struct bp_cpu_call *call, const struct bp_cpu_op *op, uint32_t since,
                        struct bp_cpu_inner *inner);
/* A tensor in scratch, for in or out; NULL and an error: too large. */
bp_tensor *bp_cpu_inner_tensor(struct bp_cpu_inner *inner, uint32_t dtype, uint32_t rank,
                               const int64_t *dims, bp_err *err);
/* Prepares the inner operator and states the scratch of the outer one. */
bp_rc bp_cpu_inner_prepare(struct bp_cpu_call *call, struct bp_cpu_inner *inner, bp_err *err);
/*
 * Makes the call itself one of another operator, which prepares it: for operators that are the same
 * by another name.
 */
bp_rc bp_cpu_become(struct bp_cpu_call *call, const struct bp_cpu_op *op, uint32_t since,
                    bp_err *err);
/* At run: gives the tensors their storage. Then fill them, and call inner->node.op->run. */
void bp_cpu_inner_bind(const struct bp_cpu_call *call, struct bp_cpu_inner *inner);

#endif
