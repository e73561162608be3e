/* SPDX-License-Identifier: MIT */
/*
 * trig.h - trigonometric and hyperbolic functions and their inverses for loops.
 *
 * As in kernels/vector_math.h, the float ones have no branches and no calls, so that loops over
 * them vectorise; their error is below 4 units in the last place. Polynomials are in x^2, highest
 * power first. The double ones are libm's.
 */
#ifndef BP_CPU_ELEMENTWISE_TRIGONOMETRY_TRIG_H
#define BP_CPU_ELEMENTWISE_TRIGONOMETRY_TRIG_H

#include "kernels/vector_math.h"

/*
 * bp_sinf, bp_cosf and bp_tanf are exact enough up to here; trig.inc calls libm for larger angles.
 */
#define BP_TRIG_LIMIT 200000.0f

/* An angle reduced by a multiple of pi / 2. */
struct bp_reduced_angle {
    float rest;        /* within a little more than pi / 4 around 0 */
    uint32_t quarters; /* the multiple; its two low bits choose the quadrant */
};

/*
 * Cody-Waite reduction in double: pi / 2 is split into a part with so few bits that its product
 * with n is exact, and the rest. Near a multiple of pi / 2 the first subtraction cancels, and must
 * therefore not round.
 */
BP_LOOP_INLINE struct bp_reduced_angle bp_reduce_angle(float x)
{
    const float magic = 0x1.8p23f; /* adding it leaves n in the low bits */
    float shifted = x * 0x1.45f306p-1f + magic;
    double n = (double)(shifted - magic);
    double rest = ((double)x - n * 0x1.921fb544p0) - n * 0x1.0b4611a626331p-34;

    return (struct bp_reduced_angle){(float)rest, bp_float_bits(shifted)};
}

/* sin(r) for |r| up to a little more than pi / 4. */
BP_LOOP_INLINE float bp_sin_near_0(float r)
{
    float z = r * r, p = 2.7249896e-06f;

    p = p * z - 0.00019840087f;
    p = p * z + 0.00833333191f;
    p = p * z - 0.166666672f;
    return r + r * z * p;
}

/* cos(r) in the same range. */
BP_LOOP_INLINE float bp_cos_near_0(float r)
{
    float z = r * r, p = 2.45479223e-05f;

    p = p * z - 0.00138883025f;
    p = p * z + 0.0416666642f;
    return 1.0f - (0.5f * z - z * z * p);
}

/* sin(r + quarters * pi / 2): sine or cosine by the low bit, the sign by the next one. */
BP_LOOP_INLINE float bp_sine_of(float r, uint32_t quarters)
{
    uint32_t sine = bp_float_bits(bp_sin_near_0(r)), cosine = bp_float_bits(bp_cos_near_0(r));

    return bp_float_from_bits(bp_choose_bits(quarters & 1, cosine, sine) ^ (quarters & 2) << 30);
}

BP_LOOP_INLINE float bp_sinf(float x)
{
    struct bp_reduced_angle t = bp_reduce_angle(x);

    return x == 0.0f ? x : bp_sine_of(t.rest, t.quarters); /* -0 too */
}

BP_LOOP_INLINE float bp_cosf(float x)
{
    struct bp_reduced_angle t = bp_reduce_angle(x);

    return bp_sine_of(t.rest, t.quarters + 1);
}

BP_LOOP_INLINE float bp_tanf(float x)
{
    struct bp_reduced_angle t = bp_reduce_angle(x);
    float y = bp_sine_of(t.rest, t.quarters & 1) / bp_sine_of(t.rest, (t.quarters & 1) + 1);

    return x == 0.0f ? x : y;
}

/* (asin(s) - s) / s for s in 0..1/2, as a polynomial in z = s^2. */
BP_LOOP_INLINE float bp_asin_more(float z)
{
    float p = 0.0337008126f;

    p = p * z + 0.0171436574f;
    p = p * z + 0.0311017428f;
    p = p * z + 0.044599317f;
    p = p * z + 0.0750009492f;
    p = p * z + 0.166666657f;
    return p * z;
}

/*
 * For |x| > 1/2: asin(x) = pi/2 - 2 asin(sqrt((1 - x) / 2)). 0x1.777a5cp-25 is what float lacks of
 * pi / 2.
 */
BP_LOOP_INLINE float bp_asinf(float x)
{
    float size = bp_fabsf(x), half = 0.5f - 0.5f * size;
    float z = size > 0.5f ? half : size * size;
    float root = size > 0.5f ? sqrtf(half) : size;
    float y = root + root * bp_asin_more(z);
    float far = 0x1.921fb6p0f - (2.0f * y + 0x1.777a5cp-25f);

    return bp_copysignf(size > 0.5f ? far : y, x);
}

/* pi/2 - asin(x); for |x| > 1/2 by the same identity, where the subtraction would cancel. */
BP_LOOP_INLINE float bp_acosf(float x)
{
    float size = bp_fabsf(x), half = 0.5f - 0.5f * size;
    float z = size > 0.5f ? half : size * size;
    float root = size > 0.5f ? sqrtf(half) : x;
    float y = root + root * bp_asin_more(z);
    float near = 0x1.921fb6p0f - (y + 0x1.777a5cp-25f);
    float left = 0x1.921fb6p1f - (2.0f * y + 0x1.777a5cp-24f);
    float far = x < 0.0f ? left : 2.0f * y;

    return size > 0.5f ? far : near;
}

/* atan(x) = pi/2 - atan(1 / x) for |x| > 1. */
BP_LOOP_INLINE float bp_atanf(float x)
{
    float size = bp_fabsf(x), y = size > 1.0f ? 1.0f / size : size, z = y * y;
    float p = -0.0023869893f;

    p = p * z + 0.0135077378f;
    p = p * z - 0.0358714797f;
    p = p * z + 0.0625016391f;
    p = p * z - 0.0865687728f;
    p = p * z + 0.11033763f;
    p = p * z - 0.142785683f;
    p = p * z + 0.199997395f;
    p = p * z - 0.333333313f;
    y = y + y * z * p;
    return bp_copysignf(size > 1.0f ? 0x1.921fb6p0f - (y + 0x1.777a5cp-25f) : y, x);
}

/* A series for |x| < 1, where the difference of exponentials would cancel. */
BP_LOOP_INLINE float bp_sinhf(float x)
{
    float z = x * x, p = 2.80628024e-06f, half = bp_half_expf(bp_fabsf(x));

    p = p * z + 0.000198381022f;
    p = p * z + 0.00833333936f;
    p = p * z + 0.166666672f;
    return z < 1.0f ? x + x * z * p : bp_copysignf(half - 0.25f / half, x);
}

/* half is exp(|x|) / 2, which does not overflow before cosh does. */
BP_LOOP_INLINE float bp_coshf(float x)
{
    float half = bp_half_expf(bp_fabsf(x));

    return half + 0.25f / half;
}

/* A series below 1/2; ln(2|x|) above 2^14, where x^2 + 1 is x^2. */
BP_LOOP_INLINE float bp_asinhf(float x)
{
    float size = bp_fabsf(x), z = x * x, p = 0.00993442722f;
    float large = bp_logf(size) + 0x1.62e43p-1f;
    float middle = bp_log1pf(size + z / (1.0f + sqrtf(z + 1.0f)));
    float far = size > 0x1p14f ? large : middle;

    p = p * z - 0.0205256157f;
    p = p * z + 0.0301559474f;
    p = p * z - 0.0446300022f;
    p = p * z + 0.0749997273f;
    p = p * z - 0.166666672f;
    return bp_copysignf(size < 0.5f ? x + x * z * p : far, x);
}

/* ln(x + sqrt(x^2 - 1)) with t = x - 1, which is exact near 1. */
BP_LOOP_INLINE float bp_acoshf(float x)
{
    float t = x - 1.0f;
    float y = bp_log1pf(t + sqrtf(2.0f * t + t * t));

    y = x > 0x1p14f ? bp_logf(x) + 0x1.62e43p-1f : y;
    return x < 1.0f ? NAN : y;
}

/* A series below 1/2, else ln((1 + x) / (1 - x)) / 2. */
BP_LOOP_INLINE float bp_atanhf(float x)
{
    float size = bp_fabsf(x), z = x * x, p = 0.157568306f;
    float far = 0.5f * bp_log1pf(2.0f * size / (1.0f - size));

    p = p * z + 0.0649066269f;
    p = p * z + 0.114704221f;
    p = p * z + 0.142639369f;
    p = p * z + 0.200004742f;
    p = p * z + 0.333333313f;
    far = size == 1.0f ? INFINITY : far;
    far = size > 1.0f ? NAN : far;
    return size < 0.5f ? x + x * z * p : bp_copysignf(far, x);
}

static inline double bp_sin(double x)
{
    return sin(x);
}

static inline double bp_cos(double x)
{
    return cos(x);
}

static inline double bp_tan(double x)
{
    return tan(x);
}

static inline double bp_asin(double x)
{
    return asin(x);
}

static inline double bp_acos(double x)
{
    return acos(x);
}

static inline double bp_atan(double x)
{
    return atan(x);
}

static inline double bp_sinh(double x)
{
    return sinh(x);
}

static inline double bp_cosh(double x)
{
    return cosh(x);
}

static inline double bp_asinh(double x)
{
    return asinh(x);
}

static inline double bp_acosh(double x)
{
    return acosh(x);
}

static inline double bp_atanh(double x)
{
    return atanh(x);
}

#endif
