/* SPDX-License-Identifier: MIT */
/*
 * inner_operator.h - runs another operator inside an operator, on tensors in its scratch: a
 * convolution with the channels moved to the front, or a float operator on dequantised elements.
 *
 * Order: begin, tensor (for each), prepare in the prepare function; bind and node.op->run in the
 * run function. The struct lives in the outer call's state.
 */
#ifndef BP_CPU_KERNELS_INNER_OPERATOR_H
#define BP_CPU_KERNELS_INNER_OPERATOR_H

#include "cpu.h"

enum { BP_CPU_INNER_TENSORS = 6, BP_CPU_INNER_ENDS = 10 };

struct bp_cpu_inner {
    struct bp_cpu_node node; /* as the outer one, but its op is the inner operator */
    bp_node plain;           /* a copy of the node with the inner operator's version */
    struct bp_cpu_call call;
    bp_tensor *in[BP_CPU_INNER_ENDS], *out[BP_CPU_INNER_ENDS];
    bp_tensor tensors[BP_CPU_INNER_TENSORS];
    int64_t dims[BP_CPU_INNER_TENSORS][BP_CPU_MAX_RANK];
    size_t at[BP_CPU_INNER_TENSORS]; /* offsets in the scratch, after the inner operator's own */
    size_t bytes;
    uint32_t n;
};

/*
 * Starts with the inputs and outputs of the outer call; the caller may replace entries of in and
 * out, and call.n_in. `since` is the version that the inner operator runs as.
 */
void bp_cpu_inner_begin(const struct bp_cpu_call *call, const struct bp_cpu_op *op, uint32_t since,
                        struct bp_cpu_inner *inner);
/* Adds a tensor in scratch, to be put into in or out. NULL with *err set: it is too large. */
bp_tensor *bp_cpu_inner_tensor(struct bp_cpu_inner *inner, uint32_t dtype, uint32_t rank,
                               const int64_t *dims, bp_err *err);
/*
 * Prepares the inner operator and sets the scratch size of the outer call. BP_E_NOMEM, or the inner
 * one's errors.
 */
bp_rc bp_cpu_inner_prepare(struct bp_cpu_call *call, struct bp_cpu_inner *inner, bp_err *err);
/*
 * Makes the call itself one of another operator at version `since`, and prepares it: for operators
 * that are the same under another name.
 */
bp_rc bp_cpu_become(struct bp_cpu_call *call, const struct bp_cpu_op *op, uint32_t since,
                    bp_err *err);
/*
 * For run: gives the scratch tensors their storage. The caller fills the inputs, then runs
 * inner->node.op->run.
 */
void bp_cpu_inner_bind(const struct bp_cpu_call *call, struct bp_cpu_inner *inner);

#endif
