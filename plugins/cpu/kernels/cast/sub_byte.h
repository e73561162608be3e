/* SPDX-License-Identifier: MIT */
/*
 * sub_byte.h - types below 8 bits for operators that only move elements.
 *
 * Inputs are unpacked to a byte an element, the operator runs on those bytes, and its outputs are
 * packed again. An operator points `loops` to its two functions and uses bp_cpu_sub_byte_prepare
 * and bp_cpu_sub_byte_run as its own; tensors of other types go through without a copy.
 */
#ifndef BP_CPU_KERNELS_CAST_SUB_BYTE_H
#define BP_CPU_KERNELS_CAST_SUB_BYTE_H

#include "cpu.h"

/* What bp_cpu_op.loops points to. Both see U8 where the node has a type under 8 bits. */
struct bp_cpu_mover {
    bp_rc (*prepare)(struct bp_cpu_call *call, bp_err *err); /* may be NULL */
    bp_rc (*run)(struct bp_cpu_call *call, bp_err *err);
};

bp_rc bp_cpu_sub_byte_prepare(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_sub_byte_run(struct bp_cpu_call *call, bp_err *err);

/*
 * Fills n packed elements with the first one at `element`; unused bits of the last byte become 0.
 */
void bp_cpu_sub_byte_fill(uint32_t dtype, void *to, const void *element, size_t n);

#endif
