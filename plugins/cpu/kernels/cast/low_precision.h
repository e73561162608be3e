/* SPDX-License-Identifier: MIT */
/*
 * low_precision.h - element types that no arithmetic is done in: the float8 formats, float4, and
 * packed integers of 4 and 2 bits.
 *
 * Each has a carrier, a wider type that represents all of its values; tensors are converted to and
 * from it block by block. No other file knows the bits of these formats. All functions may be
 * called by any thread.
 */
#ifndef BP_CPU_KERNELS_CAST_LOW_PRECISION_H
#define BP_CPU_KERNELS_CAST_LOW_PRECISION_H

#include "cpu.h"

/*
 * Attributes of Cast-19 and later. All zeros: ties to even, values out of range become NaN (or
 * infinity).
 */
struct bp_cpu_rounding {
    bool saturate; /* values out of range become the largest finite one */
    enum {
        BP_CPU_UP,
        BP_CPU_DOWN,
        BP_CPU_TO_NEAREST
    } mode; /* for float8e8m0 alone: a power of 2 */
};

/* BP_DTYPE_F32, U8 or I8 for the types of this file; others carry themselves. */
uint32_t bp_cpu_carrier(uint32_t dtype);

/* Is an element smaller than a byte? */
static inline bool bp_cpu_is_packed(uint32_t dtype)
{
    uint32_t bits = bp_dtype_width(dtype);

    return bits > 0 && bits < 8;
}

/* Bytes of n elements of any type. */
static inline size_t bp_cpu_bytes_of(uint32_t dtype, size_t n)
{
    size_t width = bp_cpu_width(dtype), per_byte;

    if (width > 0 || bp_dtype_width(dtype) == 0)
        return n * width;
    per_byte = 8 / bp_dtype_width(dtype);
    return n / per_byte + (n % per_byte != 0);
}

/*
 * Converts n elements of `dtype`, from number `first` of the tensor at `from` on, to carriers at
 * `to`, and back. `first` is a multiple of 4, so that it starts a byte; unused bits of the last
 * byte are set to 0.
 */
void bp_cpu_low_precision_load(uint32_t dtype, void *to, const void *from, size_t first, size_t n);
void bp_cpu_low_precision_store(uint32_t dtype, void *to, const void *from, size_t first, size_t n,
                                struct bp_cpu_rounding rounding);

#endif
