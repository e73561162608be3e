/* SPDX-License-Identifier: MIT */
/*
 * rotary.h - Rotary position embedding of one row of a head: pairs (a, b) of its elements become (a
 * cos - b sin, a sin + b cos), with the angles of the row's position. No state: any thread may call
 * it.
 */
#ifndef BP_CPU_ATTENTION_ROTARY_H
#define BP_CPU_ATTENTION_ROTARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Rotates `half` pairs by the angles whose cosines and sines are given. y may be x. */
typedef void (*bp_cpu_rotation)(void *y, const void *x, const void *cosines, const void *sines,
                                int64_t half);

/*
 * The loop for BP_DTYPE_F64, else that for float32. Pairs are adjacent when interleaved, else
 * `half` elements apart.
 */
bp_cpu_rotation bp_cpu_rotation_of(uint32_t dtype, bool is_interleaved);

/* A row of `size` floats: rotates the first 2 * half elements and copies the rest. y may be x. */
void bp_cpu_rotate(bp_cpu_rotation rotation, float *y, const float *x, size_t size, size_t half,
                   const float *cosines, const float *sines);

#endif
