/* SPDX-License-Identifier: MIT */
/*
 * norm.h - The last step of a normalisation, for float32 and float64. The loops have no state: any
 * thread may call them.
 */
#ifndef BP_CPU_NORMALIZATION_NORM_H
#define BP_CPU_NORMALIZATION_NORM_H

#include <stddef.h>
#include <stdint.h>

/* Loops of one type; x and y are n contiguous elements, y may be x. */
struct bp_cpu_norm {
    /* y = (x - mean) * mul + add; the mean comes first, because x * mul may be large */
    void (*uniform)(void *y, const void *x, size_t n, double mean, double mul, double add);
    /* y = (x - mean) * mul * scale + bias; both have n elements, bias may be NULL */
    void (*per_element)(void *y, const void *x, size_t n, double mean, double mul,
                        const void *scale, const void *bias);
};

/* The loops for BP_DTYPE_F64, else those for float32. Static data. y may alias any input. */
const struct bp_cpu_norm *bp_cpu_norm(uint32_t dtype);

#endif
