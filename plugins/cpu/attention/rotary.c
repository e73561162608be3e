/* SPDX-License-Identifier: MIT */
/* rotary.c - Rotary position embedding of one row; see rotary.h. */

#include "attention/rotary.h"
#include "kernels/types/loops.h"

#include <string.h>

#include <bp/abi.h>

#define TEMPLATE "attention/rotary.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

/* float16 and bfloat16 are converted by the caller. */
bp_cpu_rotation bp_cpu_rotation_of(uint32_t dtype, bool is_interleaved)
{
    if (dtype == BP_DTYPE_F64)
        return is_interleaved ? rotate_interleaved_f64 : rotate_halves_f64;
    return is_interleaved ? rotate_interleaved_f32 : rotate_halves_f32;
}

void bp_cpu_rotate(bp_cpu_rotation rotation, float *y, const float *x, size_t size, size_t half,
                   const float *cosines, const float *sines)
{
    rotation(y, x, cosines, sines, (int64_t)half);
    if (y != x && size > 2 * half)
        memcpy(y + 2 * half, x + 2 * half, (size - 2 * half) * sizeof *y);
}
