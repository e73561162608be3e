/* SPDX-License-Identifier: MIT */
/* rotary.h - rotary position embedding of one row of a head. */
#ifndef BP_CPU_KERNELS_ROTARY_H
#define BP_CPU_KERNELS_ROTARY_H

#include <string.h>

#include "kernels/loops.h"

/*
 * Turns pairs of the first 2 * half elements by the angles whose cosines and sines are given, and
 * copies the rest. Pairs are neighbours when interleaved, else `half` apart. y may be x.
 */
static inline void bp_cpu_rotate(float *y, const float *x, size_t size, size_t half,
                                 const float *cosines, const float *sines, int is_interleaved)
{
    if (is_interleaved) {
        for (size_t i = 0; i < half; i++) {
            float a = x[2 * i], b = x[2 * i + 1];

            y[2 * i] = a * cosines[i] - b * sines[i];
            y[2 * i + 1] = b * cosines[i] + a * sines[i];
        }
    } else {
        BP_EACH
        for (size_t i = 0; i < half; i++) {
            float a = x[i], b = x[half + i];

            y[i] = a * cosines[i] - b * sines[i];
            y[half + i] = b * cosines[i] + a * sines[i];
        }
    }
    if (y != x && size > 2 * half)
        memcpy(y + 2 * half, x + 2 * half, (size - 2 * half) * sizeof *y);
}

#endif
