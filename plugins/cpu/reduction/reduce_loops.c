/* SPDX-License-Identifier: MIT */
/*
 * reduce_loops.c - the loops of the Reduce operators, for each element type.
 *
 * reduce_float.inc and reduce_int.inc are instantiated here; they need LANES, WITH_STEP and the
 * functions below.
 */

#include "kernels/simd/simd.h"
#include "kernels/types/loops.h"
#include "kernels/vector_math.h"
#include "reduction/reduce_driver.h"

enum { LANES = 16 }; /* independent accumulators of a run */

/*
 * loop(step) with the step as a compile-time constant: the switch is outside of the loop, which
 * then vectorises.
 */
#define WITH_STEP(step, loop)                                                                      \
    switch (step) {                                                                                \
    case BP_CPU_SUM:                                                                               \
        loop(BP_CPU_SUM);                                                                          \
        break;                                                                                     \
    case BP_CPU_SUM_ABS:                                                                           \
        loop(BP_CPU_SUM_ABS);                                                                      \
        break;                                                                                     \
    case BP_CPU_SUM_SQUARE:                                                                        \
        loop(BP_CPU_SUM_SQUARE);                                                                   \
        break;                                                                                     \
    case BP_CPU_SUM_EXP:                                                                           \
        loop(BP_CPU_SUM_EXP);                                                                      \
        break;                                                                                     \
    case BP_CPU_PROD:                                                                              \
        loop(BP_CPU_PROD);                                                                         \
        break;                                                                                     \
    case BP_CPU_MAX:                                                                               \
        loop(BP_CPU_MAX);                                                                          \
        break;                                                                                     \
    default:                                                                                       \
        loop(BP_CPU_MIN);                                                                          \
    }

/* The step that merges the accumulators of two lanes. */
BP_LOOP_INLINE int merge_step(int step)
{
    return step == BP_CPU_PROD || step == BP_CPU_MAX || step == BP_CPU_MIN ? step : BP_CPU_SUM;
}

/* The neutral element of a step. */
BP_LOOP_INLINE double reduce_first(int step)
{
    switch (step) {
    case BP_CPU_PROD:
        return 1;
    case BP_CPU_MAX:
        return -(double)INFINITY;
    case BP_CPU_MIN:
        return (double)INFINITY;
    default:
        return 0;
    }
}

/* For types that are computed in float, the float exp() is exact enough and vectorises. */
BP_LOOP_INLINE double reduce_exp(double x, bool is_narrow)
{
    return is_narrow ? (double)bp_expf((float)x) : exp(x);
}

/* Folds element v into the accumulator. */
BP_LOOP_INLINE double reduce_one(int step, double sum, double v, double shift, bool is_narrow)
{
    switch (step) {
    case BP_CPU_SUM:
        return sum + v;
    case BP_CPU_SUM_ABS:
        return sum + fabs(v);
    case BP_CPU_SUM_SQUARE:
        return sum + v * v;
    case BP_CPU_SUM_EXP:
        return sum + reduce_exp(v - shift, is_narrow);
    case BP_CPU_PROD:
        return sum * v;
    case BP_CPU_MAX:
        return v > sum || v != v ? v : sum; /* NaN wins and stays */
    default:
        return v < sum || v != v ? v : sum;
    }
}

/* The final step. */
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

/* x truncated to int64 and saturated; NaN becomes INT64_MIN. */
static inline int64_t whole(double x)
{
    if (!(x > -9.2e18))
        return INT64_MIN;
    return x < 9.2e18 ? (int64_t)x : INT64_MAX;
}

#define TEMPLATE "reduction/reduce_float.inc"
#include "kernels/types/float.inc"
#undef TEMPLATE
#define TEMPLATE "reduction/reduce_int.inc"
#include "kernels/types/int.inc"
#include "kernels/types/uint.inc"
#undef TEMPLATE

const struct bp_cpu_reduce_loops bp_cpu_reduce_loops[BP_DTYPE_END] = {
#define TEMPLATE "reduction/reduce_entry.inc"
#include "kernels/types/number.inc"
#undef TEMPLATE
    /* bool reduces as uint8; see make_bool() in reduce_driver.c */
    [BP_DTYPE_BOOL] = {reduce_start_u8, reduce_run_u8, reduce_rows_u8, reduce_row_u8,
                       reduce_shift_u8, reduce_finish_u8},
};
