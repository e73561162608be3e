/* SPDX-License-Identifier: MIT */
/*
 * runtime_outputs.h - for operators with several outputs whose sizes are known at run time only,
 * such as Unique.
 */
#ifndef BP_CPU_KERNELS_RUNTIME_OUTPUTS_H
#define BP_CPU_KERNELS_RUNTIME_OUTPUTS_H

#include "cpu.h"

/* For prepare: bit i is set when output i is wanted and has no shape yet. */
uint32_t bp_cpu_runtime_outputs_note(const struct bp_cpu_call *call);
/*
 * For run: gives output i its shape. Its storage is allocated when bit i of `dynamic` is set, else
 * the shape is compared with the prepared one (BP_E_SHAPE: they differ). An absent output is
 * skipped.
 */
bp_rc bp_cpu_runtime_outputs_give(struct bp_cpu_call *call, uint32_t dynamic, uint32_t i,
                                  uint32_t rank, const int64_t *dims, bp_err *err);

#endif
