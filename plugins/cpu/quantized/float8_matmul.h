/* SPDX-License-Identifier: MIT */
/*
 * float8_matmul.h - QLinearMatMul where a type is float8: both operands become float32, are
 * multiplied, and the product is quantised.
 */
#ifndef BP_CPU_QUANTIZED_FLOAT8_MATMUL_H
#define BP_CPU_QUANTIZED_FLOAT8_MATMUL_H

#include "cpu.h"

/* Inputs as QLinearMatMul has them. Both own call->state. */
bp_rc bp_cpu_float_matmul_prepare(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_float_matmul_run(struct bp_cpu_call *call, bp_err *err);

#endif
