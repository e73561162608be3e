/* SPDX-License-Identifier: MIT */
/* runtime_outputs.h - for operators with several outputs whose sizes come with the data. */
#ifndef BP_CPU_KERNELS_RUNTIME_OUTPUTS_H
#define BP_CPU_KERNELS_RUNTIME_OUTPUTS_H

#include "cpu.h"

/* The outputs that have no shape yet, bit by bit; for prepare. */
uint32_t bp_cpu_runtime_outputs_note(const struct bp_cpu_call *call);
/*
 * Output i has this shape: storage for it is taken if it is one of `late`, else the shape that it
 * has is checked. An output that is not wanted is passed over.
 */
bp_rc bp_cpu_runtime_outputs_give(struct bp_cpu_call *call, uint32_t late, uint32_t i,
                                  uint32_t rank, const int64_t *dims, bp_err *err);

#endif
