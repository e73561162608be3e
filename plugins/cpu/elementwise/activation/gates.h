/* SPDX-License-Identifier: MIT */
/*
 * gates.h - activations of the form x * gate(x) with a gate between 0 and 1: Swish, Mish, Gelu. The
 * float ones are for loops that vectorise: no branches, no calls (see kernels/vector_math.h); the
 * double ones use libm.
 */
#ifndef BP_CPU_ELEMENTWISE_ACTIVATION_GATES_H
#define BP_CPU_ELEMENTWISE_ACTIVATION_GATES_H

#include "kernels/vector_math.h"

/* x * sigmoid(alpha * x). */
BP_LOOP_INLINE float bp_swishf(float x, float alpha)
{
    return x / (1.0f + bp_expf(-(alpha * x)));
}

static inline double bp_swish(double x, double alpha)
{
    return x / (1.0 + exp(-(alpha * x)));
}

/*
 * x * tanh(ln(1 + w)) with w = exp(x), which is x * (w^2 + 2w) / (w^2 + 2w + 2): one exponential
 * and one division.
 */
BP_LOOP_INLINE float bp_mishf(float x)
{
    float w = bp_expf(x > 20.0f ? 20.0f : x); /* the gate is 1 in float from there on */
    float n = w * (w + 2.0f);

    return x * (n / (n + 2.0f));
}

static inline double bp_mish(double x)
{
    double w = exp(x > 40.0 ? 40.0 : x);
    double n = w * (w + 2.0);

    return x * (n / (n + 2.0));
}

/*
 * 1 - erf(x / sqrt(2)) for x >= 0. With v = x / sqrt(2) it is exp(-v^2) / (1 + 2v) times a
 * polynomial in (v - 1.5) / (v + 1.5), which maps 0..infinity to -1..1. x is split into a high
 * part, whose square is exact, and a rest, so that the rounding of x^2 is not magnified by exp().
 */
BP_LOOP_INLINE float bp_two_tailsf(float x)
{
    float size = x < 15.5f ? x : 15.5f; /* the result is 0 in float there */
    float high = bp_float_from_bits(bp_float_bits(size) & 0xfffff000);
    float w = size * 0x1.6a09e6p-1f;
    float t = (w - 1.5f) / (w + 1.5f), p = -0.000172815024f;

    p = p * t + 0.000137912371f;
    p = p * t + 0.001997296f;
    p = p * t + 0.00199644687f;
    p = p * t - 0.00718840165f;
    p = p * t - 0.0180614926f;
    p = p * t + 0.0209748168f;
    p = p * t + 0.114108115f;
    p = p * t - 0.237734124f;
    p = p * t - 0.0339625627f;
    p = p * t + 1.28634167f;
    p *= bp_expf(-0.5f * high * high) * bp_expf(0.5f * (high - size) * (high + size));
    return p / (1.0f + 2.0f * w);
}

/*
 * x * (1 + erf(x / sqrt(2))) / 2; near 0 by the series of erf, else by the tails, which do not
 * cancel.
 */
BP_LOOP_INLINE float bp_geluf(float x)
{
    float half = 0.5f * bp_two_tailsf(bp_fabsf(x));
    float near = 0.5f + 0.5f * bp_erff_near_0(x * 0x1.6a09e6p-1f);
    float far = x < 0.0f ? half : 1.0f - half;

    return x * (bp_fabsf(x) < 1.0f ? near : far);
}

static inline double bp_gelu(double x)
{
    return 0.5 * x * erfc(-x * 0x1.6a09e667f3bcdp-1);
}

/* The tanh approximation; (1 + tanh(u)) / 2 is sigmoid(2u). 0x1.988454p0 is 2 * sqrt(2 / pi). */
BP_LOOP_INLINE float bp_gelu_tanhf(float x)
{
    return x / (1.0f + bp_expf(-0x1.988454p0f * (x + 0.044715f * x * x * x)));
}

static inline double bp_gelu_tanh(double x)
{
    return x / (1.0 + exp(-0x1.9884533d43651p0 * (x + 0.044715 * x * x * x)));
}

#endif
