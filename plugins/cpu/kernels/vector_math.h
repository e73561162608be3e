/* SPDX-License-Identifier: MIT */
/*
 * vector_math.h - elementary functions for loops.
 *
 * The float ones have no branches and no calls, so that loops over them vectorise; their relative
 * error is below 4e-7. Polynomials were fitted at Chebyshev nodes and are evaluated by Horner's
 * rule, highest power first. Conditions are selections, not jumps: both sides are computed. The
 * double ones are libm's.
 */
#ifndef BP_CPU_KERNELS_VECTOR_MATH_H
#define BP_CPU_KERNELS_VECTOR_MATH_H

#include <math.h>

#include <common/float16.h>

BP_LOOP_INLINE float bp_copysignf(float magnitude, float sign)
{
    return bp_float_from_bits((bp_float_bits(magnitude) & 0x7fffffff) |
                              (bp_float_bits(sign) & 0x80000000));
}

BP_LOOP_INLINE float bp_fabsf(float x)
{
    return bp_float_from_bits(bp_float_bits(x) & 0x7fffffff);
}

/* Nearest integer, ties to even. Adding 2^23 pushes the fraction out. */
BP_LOOP_INLINE float bp_rintf(float x)
{
    float magnitude = bp_fabsf(x), rounded = magnitude + 0x1p23f - 0x1p23f;

    return magnitude < 0x1p23f ? bp_copysignf(rounded, x) : x;
}

BP_LOOP_INLINE float bp_floorf(float x)
{
    float near = bp_rintf(x);

    return near > x ? near - 1.0f : near;
}

BP_LOOP_INLINE float bp_ceilf(float x)
{
    float near = bp_rintf(x);

    /* the sign of ceil(-0.5) is that of -0 */
    return near < x ? bp_copysignf(near + 1.0f, x) : near;
}

/* exp(r) - 1 for |r| <= ln(2) / 2 */
BP_LOOP_INLINE float bp_expm1f_near_0(float r)
{
    float q = 0.00139262681f;

    q = q * r + 0.00836324667f;
    q = q * r + 0.0416665541f;
    q = q * r + 0.166665766f;
    q = q * r + 0.5f;
    return q * r * r + r;
}

/*
 * 2^power * exp(x) for a power of 0 or -1, without overflow on the way there. exp(x) = 2^n *
 * exp(r), |r| <= ln(2) / 2.
 */
BP_LOOP_INLINE float bp_scaled_expf(float x, int32_t power)
{
    const float magic = 0x1.8p23f; /* adding it leaves n in the low bits */
    float low = x < -104.0f ? -104.0f : x;
    float y = low > 90.0f ? 90.0f : low;
    float shifted = y * 0x1.715476p0f + magic;
    float n = shifted - magic;
    int32_t k = (int32_t)(bp_float_bits(shifted) - 0x4b400000u) + power;
    int32_t half = k / 2; /* 2^k itself may be below or above the normal range */
    float r = y - n * 0x1.62ep-1f - n * 0x1.0bfbe8p-15f;
    float q = bp_expm1f_near_0(r) + 1.0f;

    /* of a NaN k is anything, and the factors only have to be harmless */
    return q * bp_float_from_bits((uint32_t)(half + 127) << 23) *
           bp_float_from_bits((uint32_t)(k - half + 127) << 23);
}

BP_LOOP_INLINE float bp_expf(float x)
{
    return bp_scaled_expf(x, 0);
}

/* exp(x) / 2 */
BP_LOOP_INLINE float bp_half_expf(float x)
{
    return bp_scaled_expf(x, -1);
}

/* exp(x) - 1 */
BP_LOOP_INLINE float bp_expm1f(float x)
{
    float near = bp_expm1f_near_0(x), far = bp_expf(x) - 1.0f;

    return bp_fabsf(x) < 0.34f ? near : far;
}

/* log(x) = e * ln(2) + log1p(f), 1 + f in [sqrt(1/2), sqrt(2)) */
BP_LOOP_INLINE float bp_logf(float x)
{
    float scaled = x < 0x1p-126f ? x * 0x1p24f : x;
    float bias = x < 0x1p-126f ? 24.0f : 0.0f;
    uint32_t above = bp_float_bits(scaled) - 0x3f3504f3u; /* the bits of sqrt(1/2) */
    float e = (float)((int32_t)above >> 23) - bias;
    float f = bp_float_from_bits((above & 0x007fffff) + 0x3f3504f3u) - 1.0f;
    float p = -0.0791176114f, log;

    p = p * f + 0.12636535f;
    p = p * f - 0.130012549f;
    p = p * f + 0.14213094f;
    p = p * f - 0.166409399f;
    p = p * f + 0.200010785f;
    p = p * f - 0.250003126f;
    p = p * f + 0.333333306f;
    log = f * f * (p * f - 0.5f) + e * 0x1.0bfbe8p-15f + f + e * 0x1.62ep-1f;
    log = x < INFINITY ? log : x; /* infinity, and NaN */
    log = x == 0.0f ? -INFINITY : log;
    return x < 0.0f ? NAN : log;
}

/* log(1 + x), also for small x >= 0 */
BP_LOOP_INLINE float bp_log1pf(float x)
{
    float u = 1.0f + x, d = u - 1.0f;
    float log = bp_logf(u) * (x / (d == 0.0f ? 1.0f : d)); /* makes up for what u has lost of x */

    return d == 0.0f ? x : log;
}

BP_LOOP_INLINE float bp_sigmoidf(float x)
{
    return 1.0f / (1.0f + bp_expf(-x));
}

BP_LOOP_INLINE float bp_tanhf(float x)
{
    float y = x * x, p = -0.00604516509f;
    float large = 1.0f - 2.0f / (bp_expf(2.0f * bp_fabsf(x)) + 1.0f);

    p = p * y + 0.0209613291f;
    p = p * y - 0.0538432632f;
    p = p * y + 0.133327188f;
    p = p * y - 0.333333284f;
    return bp_copysignf(y < 0.390625f ? x + x * y * p : large, x);
}

/* erf(x) for |x| < 1 */
BP_LOOP_INLINE float bp_erff_near_0(float x)
{
    float y = x * x, p = -0.000564805987f;

    p = p * y + 0.00492176203f;
    p = p * y - 0.0267150542f;
    p = p * y + 0.112803167f;
    p = p * y - 0.376123438f;
    p = p * y + 1.12837913f;
    return p * x;
}

BP_LOOP_INLINE float bp_erff(float x)
{
    float magnitude = bp_fabsf(x), p = 1.36041364e-05f;
    float z = magnitude > 4.0f ? 4.0f : magnitude; /* erf(4) is 1 */

    p = p * z - 0.000322967784f; /* -log(1 - erf(z)) for z from 0.95 to 4 */
    p = p * z + 0.00347810961f;
    p = p * z - 0.0227921486f;
    p = p * z + 0.103727129f;
    p = p * z + 0.638525849f;
    p = p * z + 1.12634823f;
    p = p * z + 0.000627529516f;
    return magnitude < 1.0f ? bp_erff_near_0(x) : bp_copysignf(1.0f - bp_expf(-p), x);
}

/* log(1 + exp(x)) */
BP_LOOP_INLINE float bp_softplusf(float x)
{
    return (x > 0.0f ? x : 0.0f) + bp_log1pf(bp_expf(-bp_fabsf(x)));
}

static inline double bp_fabs(double x)
{
    return fabs(x);
}

static inline double bp_rint(double x)
{
    return rint(x);
}

static inline double bp_floor(double x)
{
    return floor(x);
}

static inline double bp_ceil(double x)
{
    return ceil(x);
}

static inline double bp_exp(double x)
{
    return exp(x);
}

static inline double bp_expm1(double x)
{
    return expm1(x);
}

static inline double bp_log(double x)
{
    return log(x);
}

static inline double bp_sigmoid(double x)
{
    return 1.0 / (1.0 + exp(-x));
}

static inline double bp_tanh(double x)
{
    return tanh(x);
}

static inline double bp_erf(double x)
{
    return erf(x);
}

static inline double bp_softplus(double x)
{
    return (x > 0.0 ? x : 0.0) + log1p(exp(-fabs(x)));
}

#endif
