/* SPDX-License-Identifier: MIT */
/*
 * reduce_driver.h - the driver of the Reduce operators, and the loops that it calls.
 *
 * An operator is a step for each element (enum: sum, maximum...) and a final step for the
 * accumulator (mean, root...). The loops exist for each element type; the driver brings any shape
 * and axes to contiguous runs.
 */
#ifndef BP_CPU_REDUCTION_REDUCE_DRIVER_H
#define BP_CPU_REDUCTION_REDUCE_DRIVER_H

#include "cpu.h"

/* The step for each element. */
enum {
    BP_CPU_SUM,
    BP_CPU_SUM_ABS,
    BP_CPU_SUM_SQUARE,
    BP_CPU_SUM_EXP, /* sum of exp(element - shift) */
    BP_CPU_PROD,
    BP_CPU_MAX,
    BP_CPU_MIN
};

/* The final step. LOG_EXP adds `shift` again after the logarithm. */
enum { BP_CPU_AS_IS, BP_CPU_MEAN, BP_CPU_SQRT, BP_CPU_LOG, BP_CPU_LOG_EXP };

enum {
    BP_CPU_REDUCE_COLUMNS = 256, /* accumulators: 2 KiB, well within the L1 cache */
    BP_CPU_REDUCE_SHORT = 16,    /* longest row that loops->rows folds element by element */
    BP_CPU_REDUCE_ROW = 1024     /* longest row for which loops->rows is faster than loops->run */
};

/* Accumulators: double for floats, 64 bits of the same sign for integers. */
union bp_cpu_sums {
    double f[BP_CPU_REDUCE_COLUMNS];
    int64_t i[BP_CPU_REDUCE_COLUMNS];
    uint64_t u[BP_CPU_REDUCE_COLUMNS];
};

/*
 * The loops for one element type. They are pure functions of their arguments; any thread may call
 * them. `step` is from the first enum, `last` from the second.
 */
struct bp_cpu_reduce_loops {
    /* sets n accumulators to the neutral element of the step */
    void (*start)(int step, union bp_cpu_sums *sums, size_t n);
    /* folds n contiguous elements into sums[0] */
    void (*run)(int step, const void *x, size_t n, union bp_cpu_sums *sums, double shift);
    /* folds n consecutive rows of `count` elements, each into its own sum; shift has n values */
    void (*rows)(int step, const void *x, size_t n, size_t count, union bp_cpu_sums *sums,
                 const double *shift);
    /* folds n contiguous elements, each into its own sum; shift has n values */
    void (*row)(int step, const void *x, size_t n, union bp_cpu_sums *sums, const double *shift);
    /* shift[i] = sums[i] where that is finite, else 0, so that exp(x - shift) is never of NaN */
    void (*shift)(const union bp_cpu_sums *sums, size_t n, double *shift);
    /* applies the final step to n sums of `count` elements each and stores them at y */
    void (*finish)(int last, int step, const union bp_cpu_sums *sums, size_t n, int64_t count,
                   const double *shift, void *y);
};

/* What an operator's row points to with `loops`. */
struct bp_cpu_reduction {
    int step, last;
    uint32_t axes_input_since; /* operator version from which the axes are an input */
};

extern const struct bp_cpu_reduce_loops bp_cpu_reduce_loops[BP_DTYPE_END];

/* prepare and run of the ten operators. BP_E_SHAPE: the axes do not give the shape of output 0. */
bp_rc bp_cpu_reduce_prepare(struct bp_cpu_call *call, bp_err *err);
/*
 * The prepare of SumTo: reduces over what broadcasting added, from the shape of input 0 to that of
 * output 0. BP_E_SHAPE: the first shape is not a broadcast of the second.
 */
bp_rc bp_cpu_reduce_prepare_to(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_reduce_run(struct bp_cpu_call *call, bp_err *err);

#endif
