/* SPDX-License-Identifier: MIT */
/*
 * per_axis.h - the scales and zero points of quantised products: one for a whole operand, one for
 * each row (column, feature map), or those for every matrix of a batch.
 */
#ifndef BP_CPU_QUANTIZED_PER_AXIS_H
#define BP_CPU_QUANTIZED_PER_AXIS_H

#include "cpu.h"

struct bp_cpu_per_axis {
    size_t per;   /* rows of a matrix */
    size_t total; /* of all matrices; 1: one number for all */
};

/*
 * How many numbers a tensor (NULL: absent) has, once repeated for every matrix. BP_E_SHAPE names
 * input `i` when they fit neither way.
 */
bp_rc bp_cpu_per_axis_make(const struct bp_cpu_call *call, uint32_t i, size_t per, size_t matrices,
                           struct bp_cpu_per_axis *out, bp_err *err);
/* out->total numbers; zeroes for an absent zero point. For run. */
void bp_cpu_per_axis_zeros(const struct bp_cpu_call *call, uint32_t i,
                           const struct bp_cpu_per_axis *each, int32_t *to);
void bp_cpu_per_axis_scales(const struct bp_cpu_call *call, uint32_t i,
                            const struct bp_cpu_per_axis *each, float *to);

#endif
