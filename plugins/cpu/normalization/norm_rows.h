/* SPDX-License-Identifier: MIT */
/*
 * norm_rows.h - normalises rows of float32 or float64, maybe sums of several tensors: the engine of
 * the layer normalizations of com.microsoft.
 */
#ifndef BP_CPU_NORMALIZATION_NORM_ROWS_H
#define BP_CPU_NORMALIZATION_NORM_ROWS_H

#include "cpu.h"
#include "kernels/simd/simd.h"

struct bp_cpu_norm_rows {
    const struct bp_cpu_simd *simd;
    int64_t rows, skip_rows; /* rows of skip repeat after skip_rows */
    size_t cols;
    bool is_double;
    bool is_simplified; /* no mean is taken away */
    double epsilon;
    uint32_t slices;
};

/* What it works on; all but x, gamma and y may be NULL. */
struct bp_cpu_norm_data {
    const void *x, *skip, *bias, *gamma, *beta;
    void *y, *sum; /* sum: x + skip + bias as it is */
    void *mean, *inv_std;
};

void bp_cpu_norm_rows_run(const struct bp_cpu_call *call, const struct bp_cpu_norm_rows *rows,
                          const struct bp_cpu_norm_data *data);

#endif
