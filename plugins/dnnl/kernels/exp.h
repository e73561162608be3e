/* SPDX-License-Identifier: MIT */
/* exp.h - the exponential function, for our own loops, which compilers turn into vectors. */
#ifndef BP_DNNL_EXP_H
#define BP_DNNL_EXP_H

#include <stdint.h>
#include <string.h>

/* 2 to the power of n, -126 <= n <= 127. */
static inline float bp_dnnl_power_of_2(int32_t n)
{
    uint32_t bits = (uint32_t)(n + 127) << 23;
    float power;

    memcpy(&power, &bits, sizeof power);
    return power;
}

/*
 * exp(x) = 2^n exp(r) with |r| <= ln(2)/2, whose series errs by less than 1e-8 after its eighth
 * term. Two factors make 2^n, for results that are subnormal; NaN goes through r.
 */
static inline float bp_dnnl_exp(float x)
{
    const float to_integers = 12582912.0f; /* 1.5 * 2^23: what is added to it loses its fraction */
    float v = x > 89 ? 89 : x;
    float t, n, r, p;
    int32_t whole, half;

    v = v < -104 ? -104 : v;
    t = v * 1.44269504f + to_integers;
    n = t - to_integers;
    r = v - n * 0.693359375f + n * 2.12194440e-4f; /* ln(2) in two parts, the first of few bits */
    p = 1.0f / 5040;
    p = p * r + 1.0f / 720;
    p = p * r + 1.0f / 120;
    p = p * r + 1.0f / 24;
    p = p * r + 1.0f / 6;
    p = p * r + 0.5f;
    p = p * r * r + r + 1;
    whole = n >= -150 ? (int32_t)n : 0; /* not so: NaN */
    half = whole / 2;
    return p * bp_dnnl_power_of_2(half) * bp_dnnl_power_of_2(whole - half);
}

#endif
