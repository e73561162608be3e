/* SPDX-License-Identifier: MIT */
/* resample.c - Weighted sums along one axis in float32 and float64; see resample.h. */

#include "image/resample.h"

#include "kernels/types/loops.h"

#define C float
#define SUFFIX f32
#include "image/resample.inc"
#undef C
#undef SUFFIX

#define C double
#define SUFFIX f64
#include "image/resample.inc"
#undef C
#undef SUFFIX

void bp_cpu_resample(const struct bp_cpu_resample *pass, bool is_double, const void *from, void *to)
{
    if (is_double)
        resample_f64(pass, from, to);
    else
        resample_f32(pass, from, to);
}
