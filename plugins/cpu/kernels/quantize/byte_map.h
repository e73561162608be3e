/* SPDX-License-Identifier: MIT */
/* byte_map.h - functions of 8-bit elements as tables of 256 entries, and their quantisation. */
#ifndef BP_CPU_KERNELS_QUANTIZE_BYTE_MAP_H
#define BP_CPU_KERNELS_QUANTIZE_BYTE_MAP_H

#include "kernels/quantize/quantize.h"
#include "kernels/vector_math.h"

/* A scale and a zero point for a tensor of U8 or I8. */
struct bp_cpu_byte_quant {
    float scale;
    int32_t zero;
    bool is_signed;
};

/* From two scalar inputs; the zero point may be absent. */
static inline bp_rc bp_cpu_byte_quant_read(const struct bp_cpu_call *call, uint32_t scale,
                                           uint32_t zero, uint32_t dtype,
                                           struct bp_cpu_byte_quant *out, bp_err *err)
{
    out->is_signed = dtype == BP_DTYPE_I8;
    return bp_cpu_quant_one(call, scale, zero, &out->scale, &out->zero, err);
}

/*
 * For uint8 numbers whose scale comes from the range of n floats and 0, as DynamicQuantizeLinear's.
 */
static inline void bp_cpu_byte_quant_range(const float *x, int64_t n, struct bp_cpu_byte_quant *out)
{
    float low = 0, high = 0, zero;

    for (int64_t i = 0; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    out->is_signed = false;
    out->scale = high > low ? (high - low) / 255 : 1;
    zero = bp_rintf(-low / out->scale);
    out->zero = zero > 255 ? 255 : zero > 0 ? (int32_t)zero : 0; /* NaN: 0 */
}

/* The number that byte b stands for. */
static inline float bp_cpu_byte_value(const struct bp_cpu_byte_quant *q, uint32_t b)
{
    return (float)((q->is_signed ? (int32_t)(int8_t)b : (int32_t)b) - q->zero) * q->scale;
}

/* The byte for a number; NaN is the lowest one. */
BP_LOOP_INLINE uint8_t bp_cpu_byte_of(const struct bp_cpu_byte_quant *q, float x)
{
    float low = q->is_signed ? -128.0f : 0.0f, high = low + 255.0f;
    float y = bp_rintf(x / q->scale) + (float)q->zero;

    y = y > low ? y : low;
    return (uint8_t)(int32_t)(y < high ? y : high);
}

#endif
