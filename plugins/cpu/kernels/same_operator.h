/* SPDX-License-Identifier: MIT */
/*
 * same_operator.h - table rows of com.microsoft's operators that ONNX has under the same name and
 * with the same meaning. `loops` of such a row points to ONNX's row; prepare turns the call into
 * one of that.
 */
#ifndef BP_CPU_KERNELS_SAME_OPERATOR_H
#define BP_CPU_KERNELS_SAME_OPERATOR_H

#include "cpu.h"

/* Claims by the rules of ONNX's row. */
void bp_cpu_same_claim(const struct bp_cpu_op *op, const struct bp_cpu_query *query);
/* The call becomes one of ONNX's operator at version 13, 16 or 21. */
bp_rc bp_cpu_same_prepare_13(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_same_prepare_16(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_same_prepare_21(struct bp_cpu_call *call, bp_err *err);
/* Runs what the call has become. */
bp_rc bp_cpu_same_run(struct bp_cpu_call *call, bp_err *err);

#endif
