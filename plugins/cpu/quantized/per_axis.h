/* SPDX-License-Identifier: MIT */
/*
 * per_axis.h - The scales and zero points of quantised products: one for a whole operand (per
 * tensor), one for each row, column or feature map (per axis), or those of every matrix of a batch.
 */
#ifndef BP_CPU_QUANTIZED_PER_AXIS_H
#define BP_CPU_QUANTIZED_PER_AXIS_H

#include "cpu.h"

/* How many parameters an operand has. */
struct bp_cpu_per_axis {
    size_t per;   /* rows of a matrix */
    size_t total; /* of all matrices; 1: per tensor */
};

/*
 * The number of parameters of input i (which may be absent), repeated for every matrix. BP_E_SHAPE:
 * it fits neither granularity.
 */
bp_rc bp_cpu_per_axis_make(const struct bp_cpu_call *call, uint32_t i, size_t per, size_t matrices,
                           struct bp_cpu_per_axis *out, bp_err *err);
/* Writes axis->total elements; zeros for an absent zero point. For op->run. */
void bp_cpu_per_axis_zeros(const struct bp_cpu_call *call, uint32_t i,
                           const struct bp_cpu_per_axis *axis, int32_t *to);
void bp_cpu_per_axis_scales(const struct bp_cpu_call *call, uint32_t i,
                            const struct bp_cpu_per_axis *axis, float *to);

#endif
