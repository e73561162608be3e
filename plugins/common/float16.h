/* SPDX-License-Identifier: MIT */
/*
 * float16.h - float16 and bfloat16 to and from float: round to nearest, ties to even, NaN stays
 * NaN, subnormal numbers are kept. Without branches, so that loops over them vectorise.
 */
#ifndef BP_COMMON_FLOAT16_H
#define BP_COMMON_FLOAT16_H

#include <stdint.h>
#include <string.h>

/* In loops that are to be vectorised nothing may stay a call. */
#if defined(__GNUC__)
#define BP_LOOP_INLINE static inline __attribute__((always_inline))
#else
#define BP_LOOP_INLINE static inline
#endif

/* The bits of a float, and a float of bits. */
BP_LOOP_INLINE uint32_t bp_float_bits(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

BP_LOOP_INLINE float bp_float_from_bits(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/*
 * `yes` if the condition holds (is 1), `no` if it does not (0); with a mask, as compilers turn ?:
 * into branches.
 */
BP_LOOP_INLINE uint32_t bp_choose_bits(uint32_t condition, uint32_t yes, uint32_t no)
{
    uint32_t mask = 0 - condition;

    return (yes & mask) | (no & ~mask);
}

/* float16, in its 16 bits, as a float. Exact. */
BP_LOOP_INLINE float bp_f16_load(uint16_t h)
{
    uint32_t rest = (uint32_t)(h & 0x7fff) << 13;
    /* the exponent's bias is 15 there and 127 here; of infinity and NaN it is all ones */
    uint32_t bias = bp_choose_bits(rest >= 0x7c00u << 13, 224u << 23, 112u << 23);
    /* below the normal range: 2^-14 * (1 + fraction) - 2^-14 */
    float small = bp_float_from_bits(rest + (113u << 23)) - bp_float_from_bits(113u << 23);
    uint32_t magnitude = bp_choose_bits(rest < 0x0400u << 13, bp_float_bits(small), rest + bias);

    return bp_float_from_bits(magnitude | (uint32_t)(h & 0x8000) << 16);
}

/* A float as the bits of a float16; from 65520 on it is infinity. */
BP_LOOP_INLINE uint16_t bp_f16_store(float x)
{
    uint32_t bits = bp_float_bits(x), rest = bits & 0x7fffffff;
    /* adding 0.5 leaves the fraction of a small number, rounded, in the low bits */
    uint32_t small = bp_float_bits(bp_float_from_bits(rest) + 0.5f) - 0x3f000000u;
    uint32_t normal = (rest - (112u << 23) + 0xfff + (rest >> 13 & 1)) >> 13;
    uint32_t special = bp_choose_bits(rest > 0x7f800000, 0x7e00 | (rest >> 13 & 0x3ff), 0x7c00);
    uint32_t magnitude = bp_choose_bits(rest < 143u << 23, normal, special);

    magnitude = bp_choose_bits(rest < 113u << 23, small, magnitude);
    return (uint16_t)(magnitude | (bits >> 16 & 0x8000));
}

/* bfloat16 is the upper half of a float. Exact. */
BP_LOOP_INLINE float bp_bf16_load(uint16_t h)
{
    return bp_float_from_bits((uint32_t)h << 16);
}

/* A NaN keeps its upper bits, with the quiet bit set, as rounding could make it infinite. */
BP_LOOP_INLINE uint16_t bp_bf16_store(float x)
{
    uint32_t bits = bp_float_bits(x);
    uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;

    return (uint16_t)bp_choose_bits((bits & 0x7fffffff) > 0x7f800000, bits >> 16 | 0x40, rounded);
}

/*
 * A float that rounds to a narrower type as x does: cut off, with the last bit set when something
 * was lost ("round to odd"). Rounding twice to nearest, to float and on, would go wrong on ties.
 */
static inline float bp_float_to_odd(double x)
{
    float near = (float)x;
    uint32_t bits = bp_float_bits(near);

    if ((double)near == x || x != x || (bits & 0x7f800000) == 0x7f800000)
        return near;
    if (((double)near < x) != (x < 0))
        return bp_float_from_bits(bits | 1);   /* near is cut off */
    return bp_float_from_bits((bits - 1) | 1); /* near was rounded away from 0 */
}

#endif
