/* SPDX-License-Identifier: MIT */
/*
 * reduce.c - the ten Reduce operators (ai.onnx, opsets 1, 11, 12, 13, 18, 20).
 *
 * ReduceL1         sum |x|            ReduceMean       sum x / n
 * ReduceL2         sqrt(sum x^2)      ReduceMin        min x
 * ReduceLogSum     log(sum x)         ReduceProd       product x
 * ReduceLogSumExp  log(sum exp(x))    ReduceSum        sum x
 * ReduceMax        max x              ReduceSumSquare  sum x^2
 *
 * over `axes`, all of them by default; a reduced dimension becomes 1, or goes with keepdims=0. Axes
 * are an attribute, then input 1: for ReduceSum from 13 on, for the others from 18 on;
 * noop_with_empty_axes comes with the input. Types: floats and 32 and 64-bit integers; max and min
 * also 8-bit integers, and from 20 on bool.
 */

#include "reduction/reduce_driver.h"

#define BIT(dtype) UINT64_C(1) << BP_DTYPE_##dtype
#define NUMBERS                                                                                    \
    (BIT(F32) | BIT(F64) | BIT(F16) | BIT(BF16) | BIT(I32) | BIT(I64) | BIT(U32) | BIT(U64))
#define ORDERED (NUMBERS | BIT(I8) | BIT(U8) | BIT(BOOL))

/* The step for each element, the final step, and the version from which the axes are an input. */
#define REDUCTION(...)                                                                             \
    &(const struct bp_cpu_reduction)                                                               \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define ROW(row, name_, types_, ...)                                                               \
    const struct bp_cpu_op row = {                                                                 \
        .name = name_,                                                                             \
        .since = 1,                                                                                \
        .flags = BP_CPU_RUNTIME_SHAPE,                                                             \
        .loops = REDUCTION(__VA_ARGS__),                                                           \
        .types = types_,                                                                           \
        .prepare = bp_cpu_reduce_prepare,                                                          \
        .run = bp_cpu_reduce_run,                                                                  \
    }

ROW(bp_cpu_op_reduce_l1, "ReduceL1", NUMBERS, BP_CPU_SUM_ABS, BP_CPU_AS_IS, 18);
ROW(bp_cpu_op_reduce_l2, "ReduceL2", NUMBERS, BP_CPU_SUM_SQUARE, BP_CPU_SQRT, 18);
ROW(bp_cpu_op_reduce_log_sum, "ReduceLogSum", NUMBERS, BP_CPU_SUM, BP_CPU_LOG, 18);
ROW(bp_cpu_op_reduce_log_sum_exp, "ReduceLogSumExp", NUMBERS, BP_CPU_SUM_EXP, BP_CPU_LOG_EXP, 18);
ROW(bp_cpu_op_reduce_max, "ReduceMax", ORDERED, BP_CPU_MAX, BP_CPU_AS_IS, 18);
ROW(bp_cpu_op_reduce_mean, "ReduceMean", NUMBERS, BP_CPU_SUM, BP_CPU_MEAN, 18);
ROW(bp_cpu_op_reduce_min, "ReduceMin", ORDERED, BP_CPU_MIN, BP_CPU_AS_IS, 18);
ROW(bp_cpu_op_reduce_prod, "ReduceProd", NUMBERS, BP_CPU_PROD, BP_CPU_AS_IS, 18);
ROW(bp_cpu_op_reduce_sum, "ReduceSum", NUMBERS, BP_CPU_SUM, BP_CPU_AS_IS, 13);
ROW(bp_cpu_op_reduce_sum_square, "ReduceSumSquare", NUMBERS, BP_CPU_SUM_SQUARE, BP_CPU_AS_IS, 18);
