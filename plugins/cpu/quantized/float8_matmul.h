/* SPDX-License-Identifier: MIT */
/*
 * float8_matmul.h - QLinearMatMul where a type is float8: both operands are dequantised to float32
 * and multiplied, and the product is quantised. Inputs are in QLinearMatMul's order.
 */
#ifndef BP_CPU_QUANTIZED_FLOAT8_MATMUL_H
#define BP_CPU_QUANTIZED_FLOAT8_MATMUL_H

#include "cpu.h"

/* For op->prepare and op->run; both own call->state. BP_E_SHAPE, BP_E_NOMEM. */
bp_rc bp_cpu_float_matmul_prepare(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_float_matmul_run(struct bp_cpu_call *call, bp_err *err);

#endif
