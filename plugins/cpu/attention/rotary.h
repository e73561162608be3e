/* SPDX-License-Identifier: MIT */
/*
 * rotary.h - rotary position embedding of one row of a head: pairs of its elements are turned by
 * the angles of the row's position. May be called on any thread.
 */
#ifndef BP_CPU_ATTENTION_ROTARY_H
#define BP_CPU_ATTENTION_ROTARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Turns `half` pairs by the angles whose cosines and sines are given. y may be x. */
typedef void (*bp_cpu_turn)(void *y, const void *x, const void *cosines, const void *sines,
                            int64_t half);

/*
 * For elements of BP_DTYPE_F64, else of float32. Pairs are neighbours when interleaved, else `half`
 * elements apart.
 */
bp_cpu_turn bp_cpu_turn_of(uint32_t dtype, bool is_interleaved);

/* A row of `size` float32: turns the first 2 * half elements and copies the rest. y may be x. */
void bp_cpu_rotate(bp_cpu_turn turn, float *y, const float *x, size_t size, size_t half,
                   const float *cosines, const float *sines);

#endif
