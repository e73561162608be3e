/* SPDX-License-Identifier: MIT */
/* norm.h - the last step of a normalisation, for float and double. */
#ifndef BP_CPU_NORMALIZATION_NORM_H
#define BP_CPU_NORMALIZATION_NORM_H

#include <stddef.h>
#include <stdint.h>

struct bp_cpu_norm {
    /* y = (x - mean) * mul + add; the mean is taken off first, as x * mul may be large */
    void (*even)(void *y, const void *x, size_t n, double mean, double mul, double add);
    /* y = (x - mean) * mul * scale + bias, both lists of n; bias may be NULL */
    void (*listed)(void *y, const void *x, size_t n, double mean, double mul, const void *scale,
                   const void *bias);
};

/* y may lie on any of the lists. For BP_DTYPE_F64 the loops on double, else those on float. */
const struct bp_cpu_norm *bp_cpu_norm(uint32_t dtype);

#endif
