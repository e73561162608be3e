/* SPDX-License-Identifier: MIT */
/*
 * widen.h - float16 and bfloat16 for operators that compute in float32: inputs are widened into
 * scratch, the operator runs on those, and its outputs are narrowed. An operator points `loops` to
 * its two functions and uses bp_cpu_widen_prepare and bp_cpu_widen_run as its own; float32 and
 * float64 go through without a copy.
 */
#ifndef BP_CPU_KERNELS_CAST_WIDEN_H
#define BP_CPU_KERNELS_CAST_WIDEN_H

#include "cpu.h"

/* What bp_cpu_op.loops points to. Both see float32 where the node has float16 or bfloat16. */
struct bp_cpu_wide {
    bp_rc (*prepare)(struct bp_cpu_call *call, bp_err *err); /* may be NULL */
    bp_rc (*run)(struct bp_cpu_call *call, bp_err *err);
};

bp_rc bp_cpu_widen_prepare(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_widen_run(struct bp_cpu_call *call, bp_err *err);

/* Bits for bp_cpu_op.types: what such an operator takes. */
#define BP_CPU_FLOATS                                                                              \
    (UINT64_C(1) << BP_DTYPE_F32 | UINT64_C(1) << BP_DTYPE_F64 | UINT64_C(1) << BP_DTYPE_F16 |     \
     UINT64_C(1) << BP_DTYPE_BF16)

#endif
