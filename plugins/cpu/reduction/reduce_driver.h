/* SPDX-License-Identifier: MIT */
/*
 * reduce_driver.h - the driver of the Reduce operators: brings any shape to runs of neighbours,
 * which are either reduced to one number or added to a row of them.
 */
#ifndef BP_CPU_REDUCTION_REDUCE_DRIVER_H
#define BP_CPU_REDUCTION_REDUCE_DRIVER_H

#include "cpu.h"

/* What is done with an element. */
enum {
    BP_CPU_SUM,
    BP_CPU_SUM_ABS,
    BP_CPU_SUM_SQUARE,
    BP_CPU_SUM_EXP, /* of the element less `shift` */
    BP_CPU_PROD,
    BP_CPU_MAX,
    BP_CPU_MIN
};

/* What is done with the result. */
enum { BP_CPU_AS_IS, BP_CPU_MEAN, BP_CPU_SQRT, BP_CPU_LOG, BP_CPU_LOG_EXP };

enum {
    BP_CPU_REDUCE_COLUMNS = 256,
    BP_CPU_REDUCE_SHORT = 16 /* elements of a row that is shorter than what a run costs */
};

/* Accumulators: double for floats, 64 bits of the same sign for integers. */
union bp_cpu_sums {
    double f[BP_CPU_REDUCE_COLUMNS];
    int64_t i[BP_CPU_REDUCE_COLUMNS];
    uint64_t u[BP_CPU_REDUCE_COLUMNS];
};

/* The loops for one element type. */
struct bp_cpu_reduce_loops {
    /* what n empty sums hold */
    void (*start)(int step, union bp_cpu_sums *sums, size_t n);
    /* n neighbours into sums[0] */
    void (*run)(int step, const void *x, size_t n, union bp_cpu_sums *sums, double shift);
    /* n rows of `count` neighbours, one behind the other, into one sum each; shift has n numbers */
    void (*rows)(int step, const void *x, size_t n, size_t count, union bp_cpu_sums *sums,
                 const double *shift);
    /* n neighbours into one sum each; shift has n numbers */
    void (*row)(int step, const void *x, size_t n, union bp_cpu_sums *sums, const double *shift);
    /* shift = where the sums are finite their value, else 0 */
    void (*shift)(const union bp_cpu_sums *sums, size_t n, double *shift);
    /* y = n results of `count` elements each */
    void (*finish)(int last, int step, const union bp_cpu_sums *sums, size_t n, int64_t count,
                   const double *shift, void *y);
};

/* What an operator's row points to with `loops`. */
struct bp_cpu_reduction {
    int step, last;
    uint32_t axes_input_since; /* operator version from which the axes are an input */
};

extern const struct bp_cpu_reduce_loops bp_cpu_reduce_loops[BP_DTYPE_END];

bp_rc bp_cpu_reduce_prepare(struct bp_cpu_call *call, bp_err *err);
/* To the shape of the output, from which that of the input came by broadcasting. */
bp_rc bp_cpu_reduce_prepare_to(struct bp_cpu_call *call, bp_err *err);
bp_rc bp_cpu_reduce_run(struct bp_cpu_call *call, bp_err *err);

#endif
