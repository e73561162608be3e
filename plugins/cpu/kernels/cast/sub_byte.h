/* SPDX-License-Identifier: MIT */
/*
 * sub_byte.h - types under 8 bits for operators that only move elements: inputs are unpacked to a
 * byte an element, the operator runs on those, its outputs are packed again. An operator gives its
 * two functions in `loops` and has bp_cpu_sub_byte_prepare and bp_cpu_sub_byte_run as its own;
 * other types go through at no cost.
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

/* n elements that are all as the first at `element`, packed. */
void bp_cpu_sub_byte_fill(uint32_t dtype, void *to, const void *element, size_t n);

#endif
