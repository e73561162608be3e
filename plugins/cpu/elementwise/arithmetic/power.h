/* SPDX-License-Identifier: MIT */
/*
 * power.h - pow() for loops. The float version has no branches and no calls, so that loops over it
 * vectorise; its error is below 2 units in the last place. The double version is libm's.
 */
#ifndef BP_CPU_ELEMENTWISE_ARITHMETIC_POWER_H
#define BP_CPU_ELEMENTWISE_ARITHMETIC_POWER_H

#include "kernels/vector_math.h"

/* The bits of a double as an integer, and back. */
BP_LOOP_INLINE uint64_t bp_double_bits(double x)
{
    uint64_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

BP_LOOP_INLINE double bp_double_from_bits(uint64_t bits)
{
    double x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/*
 * log2 of a normal number to 11 digits: the exponent plus log2(m) for m in sqrt(1/2)..sqrt(2),
 * which comes from the series of atanh((m - 1) / (m + 1)).
 */
BP_LOOP_INLINE double bp_log2_of(double x)
{
    uint64_t above = bp_double_bits(x) - 0x3fe6a09e00000000u; /* the bits of sqrt(1/2) */
    /* the exponent in the low bits of 2^52, plus 2048 so that it stays positive */
    uint64_t exponent = (above + 0x8000000000000000u) >> 52 | 0x4330000000000000u;
    double e = bp_double_from_bits(exponent) - 0x1p52 - 2048.0;
    double m = bp_double_from_bits((above & 0x000fffffffffffffu) + 0x3fe6a09e00000000u);
    double s = (m - 1.0) / (m + 1.0), z = s * s, p = 0x1.8p-4;

    p = p * z + 1.0 / 11;
    p = p * z + 1.0 / 9;
    p = p * z + 1.0 / 7;
    p = p * z + 1.0 / 5;
    p = p * z + 1.0 / 3;
    return e + (s + s * z * p) * 0x1.71547652b82fep1;
}

/* 2^t as a float; t beyond the range of float gives 0 or infinity. */
BP_LOOP_INLINE float bp_two_to(double t)
{
    const double magic = 0x1.8p52; /* adding it leaves the rounded t in the low bits */
    double low = t < -160.0 ? -160.0 : t;
    double held = low > 130.0 ? 130.0 : low;
    double shifted = held + magic;
    float rest = (float)(held - (shifted - magic));
    int32_t k = (int32_t)(uint32_t)bp_double_bits(shifted);
    int32_t half = k / 2; /* 2^k itself may be below or above the normal range */
    float q = bp_expm1f_near_0(rest * 0x1.62e43p-1f) + 1.0f;

    return q * bp_float_from_bits((uint32_t)(half + 127) << 23) *
           bp_float_from_bits((uint32_t)(k - half + 127) << 23);
}

/* a^b = 2^(b * log2|a|), computed in double, then C99's special cases (F.10.4.4) by selection. */
BP_LOOP_INLINE float bp_powf(float a, float b)
{
    float size = bp_fabsf(a);
    double log = bp_log2_of((double)(size == 0.0f ? 1.0f : size));
    float whole = bp_rintf(b), half = 0.5f * whole;
    uint32_t is_whole = whole == b, is_odd = (bp_rintf(half) != half) & is_whole;
    uint32_t sign = bp_float_bits(a) & 0x80000000u & (0 - is_odd);
    float y;

    log = size == 0.0f ? -(double)INFINITY : log;
    log = size < INFINITY ? log : (double)size; /* infinity, and NaN */
    y = bp_two_to((double)b * log);
    y = bp_float_from_bits(bp_float_bits(y) | sign);
    y = ((a < 0.0f) & (size < INFINITY) & !is_whole) ? NAN : y;
    /* 1 to the power of anything, and anything to the power of 0, even where one is NaN */
    y = ((size == 1.0f) & (bp_fabsf(b) == INFINITY)) ? 1.0f : y;
    return ((a == 1.0f) | (b == 0.0f)) ? 1.0f : y;
}

static inline double bp_pow(double a, double b)
{
    return pow(a, b);
}

#endif
