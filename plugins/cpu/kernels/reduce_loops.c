/* SPDX-License-Identifier: MIT */
/* reduce_loops.c - the loops of the Reduce operators, by element type. */

#include "kernels/loops.h"
#include "kernels/reduce.h"
#include "kernels/simd.h"

#include <math.h>

static inline double reduce_one(int step, double sum, double v, double shift)
{
    switch (step) {
    case BP_CPU_SUM:
        return sum + v;
    case BP_CPU_SUM_ABS:
        return sum + fabs(v);
    case BP_CPU_SUM_SQUARE:
        return sum + v * v;
    case BP_CPU_SUM_EXP:
        return sum + exp(v - shift);
    case BP_CPU_PROD:
        return sum * v;
    case BP_CPU_MAX:
        return v > sum || v != v ? v : sum; /* NaN wins and stays */
    default:
        return v < sum || v != v ? v : sum;
    }
}

static inline double reduce_last(int last, double sum, int64_t count, double shift)
{
    switch (last) {
    case BP_CPU_MEAN:
        return sum / (double)count;
    case BP_CPU_SQRT:
        return sqrt(sum);
    case BP_CPU_LOG:
        return log(sum);
    case BP_CPU_LOG_EXP:
        return log(sum) + shift;
    default:
        return sum;
    }
}

/* The integer towards 0 of x, within the range. */
static inline int64_t whole(double x)
{
    if (!(x > -9.2e18))
        return INT64_MIN;
    return x < 9.2e18 ? (int64_t)x : INT64_MAX;
}

#define TEMPLATE "kernels/reduce_float.inc"
#include "kernels/types_float.inc"
#undef TEMPLATE
#define TEMPLATE "kernels/reduce_int.inc"
#include "kernels/types_int.inc"
#include "kernels/types_uint.inc"
#undef TEMPLATE

const struct bp_cpu_reduce_loops bp_cpu_reduce_loops[BP_DTYPE_END] = {
#define TEMPLATE "kernels/reduce_entry.inc"
#include "kernels/types_number.inc"
#undef TEMPLATE
    [BP_DTYPE_BOOL] = {reduce_start_u8, reduce_run_u8, reduce_row_u8, reduce_shift_u8,
                       reduce_finish_u8},
};
