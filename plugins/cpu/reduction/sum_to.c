/* SPDX-License-Identifier: MIT */
/*
 * sum_to.c - SumTo (org.backplane, version 1).
 *
 * Y = the sum of X over the dimensions that broadcasting added to the shape of input 1, which Y
 * has: the gradient of a broadcast input. The host's rewriting of Gradient makes such nodes. Types:
 * floats, int32, int64.
 */

#include "reduction/reduce_driver.h"

static const struct bp_cpu_reduction sum = {.step = BP_CPU_SUM, .last = BP_CPU_AS_IS};

const struct bp_cpu_op bp_cpu_op_sum_to = {
    .name = "SumTo",
    .domain = "org.backplane",
    .since = 1,
    .loops = &sum,
    .types = BP_CPU_FLOATS | UINT64_C(1) << BP_DTYPE_I32 | UINT64_C(1) << BP_DTYPE_I64,
    .prepare = bp_cpu_reduce_prepare_to,
    .run = bp_cpu_reduce_run,
};
