/* SPDX-License-Identifier: MIT */
/*
 * norm_rows.h - Normalises rows of float32 or float64, which may be sums of several tensors: the
 * engine of the layer normalizations of com.microsoft.
 */
#ifndef BP_CPU_NORMALIZATION_NORM_ROWS_H
#define BP_CPU_NORMALIZATION_NORM_ROWS_H

#include "cpu.h"
#include "kernels/simd/simd.h"

/* The plan of a call: [rows][cols]. */
struct bp_cpu_norm_rows {
    const struct bp_cpu_simd *simd;
    int64_t rows, skip_rows; /* rows of skip repeat after skip_rows */
    size_t cols;
    bool is_double;
    bool is_simplified; /* RMS normalisation: the mean counts as 0 */
    double epsilon;
    uint32_t slices;
};

/* The data of a run; all pointers but x, gamma and y may be NULL. */
struct bp_cpu_norm_data {
    const void *x, *skip, *bias, *gamma, *beta;
    void *y, *sum; /* sum: x + skip + bias, not normalised */
    void *mean, *inv_std;
};

/* Runs all rows on the pool's threads. y may be x. */
void bp_cpu_norm_rows_run(const struct bp_cpu_call *call, const struct bp_cpu_norm_rows *rows,
                          const struct bp_cpu_norm_data *data);

#endif
