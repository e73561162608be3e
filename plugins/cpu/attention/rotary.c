/* SPDX-License-Identifier: MIT */
/* rotary.c - see rotary.h. */

#include "attention/rotary.h"
#include "kernels/types/loops.h"

#include <string.h>

#include <bp/abi.h>

#define TEMPLATE "attention/rotary.inc"
#include "kernels/types/float32_float64.inc"
#undef TEMPLATE

bp_cpu_turn bp_cpu_turn_of(uint32_t dtype, bool is_interleaved)
{
    if (dtype == BP_DTYPE_F64)
        return is_interleaved ? turn_neighbours_f64 : turn_halves_f64;
    return is_interleaved ? turn_neighbours_f32 : turn_halves_f32;
}

void bp_cpu_rotate(bp_cpu_turn turn, float *y, const float *x, size_t size, size_t half,
                   const float *cosines, const float *sines)
{
    turn(y, x, cosines, sines, (int64_t)half);
    if (y != x && size > 2 * half)
        memcpy(y + 2 * half, x + 2 * half, (size - 2 * half) * sizeof *y);
}
