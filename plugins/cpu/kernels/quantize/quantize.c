/* SPDX-License-Identifier: MIT */
/* quantize.c - see quantize.h. */

#include "kernels/quantize/quantize.h"

#include "kernels/cast/cast.h"
#include "kernels/cast/low_precision.h"
#include "kernels/types/loops.h"

#include <math.h>

#define T uint8_t
#define SUFFIX u8
#include "kernels/quantize/quantize.inc"
#undef T
#undef SUFFIX

#define T int8_t
#define SUFFIX i8
#include "kernels/quantize/quantize.inc"
#undef T
#undef SUFFIX

#define T uint16_t
#define SUFFIX u16
#include "kernels/quantize/quantize.inc"
#undef T
#undef SUFFIX

#define T int16_t
#define SUFFIX i16
#include "kernels/quantize/quantize.inc"
#undef T
#undef SUFFIX

/* The difference of two int32 may need more bits. */
BP_LOOP static void dequantize_i32(float *y, const int32_t *x, size_t n,
                                   const struct bp_cpu_quant *q)
{
    size_t step = q->each;

    for (size_t i = 0; i < n; i++)
        y[i] = (float)((double)x[i] - q->zero[i * step]) * q->scale[i * step];
}

bool bp_cpu_quant_range(uint32_t dtype, int32_t *low, int32_t *high)
{
    static const struct {
        int32_t low, high;
    } ranges[BP_DTYPE_END] = {
        [BP_DTYPE_U2] = {0, 3},           [BP_DTYPE_I2] = {-2, 1},     [BP_DTYPE_U4] = {0, 15},
        [BP_DTYPE_I4] = {-8, 7},          [BP_DTYPE_U8] = {0, 255},    [BP_DTYPE_I8] = {-128, 127},
        [BP_DTYPE_I16] = {-32768, 32767}, [BP_DTYPE_U16] = {0, 65535},
    };

    if (dtype >= BP_DTYPE_END || ranges[dtype].high == 0)
        return false;
    *low = ranges[dtype].low;
    *high = ranges[dtype].high;
    return true;
}

/* One loop of a type for all of n elements, or the one with a scale for each. */
#define PICK(name, type, to, from, ...)                                                            \
    (q->each ? name##_each_##type(to, from, n, q)                                                  \
             : name##_##type(to, from, n, q->scale[0], q->zero[0] __VA_ARGS__))

void bp_cpu_quantize(uint32_t dtype, void *to, const float *from, size_t n,
                     const struct bp_cpu_quant *q)
{
    switch (dtype) {
    case BP_DTYPE_U8:
        PICK(quantize, u8, to, from, , q);
        break;
    case BP_DTYPE_I8:
        PICK(quantize, i8, to, from, , q);
        break;
    case BP_DTYPE_U16:
        PICK(quantize, u16, to, from, , q);
        break;
    default:
        PICK(quantize, i16, to, from, , q);
        break;
    }
}

void bp_cpu_requantize(uint32_t dtype, void *to, const int32_t *from, size_t n,
                       const struct bp_cpu_quant *q)
{
    switch (dtype) {
    case BP_DTYPE_U8:
        PICK(requantize, u8, to, from, , q);
        break;
    case BP_DTYPE_I8:
        PICK(requantize, i8, to, from, , q);
        break;
    case BP_DTYPE_U16:
        PICK(requantize, u16, to, from, , q);
        break;
    default:
        PICK(requantize, i16, to, from, , q);
        break;
    }
}

void bp_cpu_dequantize(uint32_t dtype, float *to, const void *from, size_t n,
                       const struct bp_cpu_quant *q)
{
    switch (dtype) {
    case BP_DTYPE_U8:
        PICK(dequantize, u8, to, from, );
        break;
    case BP_DTYPE_I8:
        PICK(dequantize, i8, to, from, );
        break;
    case BP_DTYPE_U16:
        PICK(dequantize, u16, to, from, );
        break;
    case BP_DTYPE_I16:
        PICK(dequantize, i16, to, from, );
        break;
    default:
        dequantize_i32(to, from, n, q);
        break;
    }
}

void bp_cpu_quant_scales(const bp_tensor *tensor, float *to)
{
    struct bp_cpu_cast cast;

    if (bp_cpu_cast_make(&cast, tensor->dtype, BP_DTYPE_F32))
        bp_cpu_cast_range(&cast, to, bp_tensor_data(tensor), 0, (size_t)bp_cpu_count(tensor));
}

void bp_cpu_quant_zeros(const bp_tensor *tensor, int32_t *to)
{
    struct bp_cpu_cast cast;

    if (bp_cpu_cast_make(&cast, tensor->dtype, BP_DTYPE_I32))
        bp_cpu_cast_range(&cast, to, bp_tensor_data(tensor), 0, (size_t)bp_cpu_count(tensor));
}

bp_rc bp_cpu_quant_one(const struct bp_cpu_call *call, uint32_t scale, uint32_t zero,
                       float *out_scale, int32_t *out_zero, bp_err *err)
{
    const bp_tensor *s = bp_cpu_in(call, scale), *z = bp_cpu_in(call, zero);

    if (!s || bp_cpu_count(s) != 1)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "input %u must be one scale", scale);
    if (z && bp_cpu_count(z) != 1)
        return bp_cpu_fail(call->node, err, BP_E_SHAPE, "input %u must be one zero point", zero);
    bp_cpu_quant_scales(s, out_scale);
    *out_zero = 0;
    if (z)
        bp_cpu_quant_zeros(z, out_zero);
    return BP_OK;
}

bp_rc bp_cpu_quant_lists_plan(struct bp_cpu_call *call, int64_t n, bp_err *err)
{
    if (__builtin_mul_overflow((size_t)n, 3 * sizeof(float), &call->scratch_bytes))
        return bp_cpu_fail(call->node, err, BP_E_NOMEM, "too many scales");
    return BP_OK;
}

void bp_cpu_quant_lists_read(struct bp_cpu_call *call, int64_t n, bool has_float_zeros,
                             struct bp_cpu_quant_lists *out)
{
    const bp_tensor *zero = bp_cpu_in(call, 2);
    float *scales = call->scratch, *float_zeros = scales + n;
    int32_t *zeros = (int32_t *)(void *)(float_zeros + n);

    memset(float_zeros, 0, 2 * (size_t)n * sizeof *zeros);
    bp_cpu_quant_scales(call->in[1], scales);
    if (zero && has_float_zeros)
        bp_cpu_quant_scales(zero, float_zeros);
    else if (zero)
        bp_cpu_quant_zeros(zero, zeros);
    *out = (struct bp_cpu_quant_lists){scales, float_zeros, zeros};
}
