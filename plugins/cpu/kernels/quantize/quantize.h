/* SPDX-License-Identifier: MIT */
/*
 * quantize.h - the arithmetic of quantised operators, over contiguous elements:
 *
 *   quantize:    y = saturate(round(x / scale) + zero)     ties to even
 *   dequantize:  x = (y - zero) * scale
 *   requantize:  y = saturate(round(sum * scale) + zero)   from the int32 sums of a product
 *
 * NaN becomes the lowest value of the type.
 */
#ifndef BP_CPU_KERNELS_QUANTIZE_QUANTIZE_H
#define BP_CPU_KERNELS_QUANTIZE_QUANTIZE_H

#include "cpu.h"

/* Scales and zero points of a run of elements. */
struct bp_cpu_quant {
    const float *scale;
    const int32_t *zero; /* may not be NULL */
    bool each;           /* one of each for each element; else one of each for all */
    int32_t low, high;   /* the range that values saturate to; see bp_cpu_quant_range() */
};

/* Lowest and highest value of an integer type of up to 16 bits; false for other types. */
bool bp_cpu_quant_range(uint32_t dtype, int32_t *low, int32_t *high);

/*
 * n elements of type U8, I8, U16 or I16. Those of fewer bits are made as U8 or I8, within their own
 * low and high, and packed afterwards; see low_precision.h.
 */
void bp_cpu_quantize(uint32_t dtype, void *to, const float *from, size_t n,
                     const struct bp_cpu_quant *quant);
void bp_cpu_requantize(uint32_t dtype, void *to, const int32_t *from, size_t n,
                       const struct bp_cpu_quant *quant);
/* From U8, I8, U16, I16 or I32. */
void bp_cpu_dequantize(uint32_t dtype, float *to, const void *from, size_t n,
                       const struct bp_cpu_quant *quant);

/*
 * All elements of a bound input with scales (float32, float16, bfloat16, ...) or zero points (any
 * integer type of up to 32 bits), as floats or int32; for run. `to` has the capacity for all of them.
 */
void bp_cpu_quant_scales(const bp_tensor *tensor, float *to);
void bp_cpu_quant_zeros(const bp_tensor *tensor, int32_t *to);

/*
 * Inputs 1 and 2 of QuantizeLinear and DequantizeLinear, scale and zero point, as lists in the
 * call's scratch. Zero points are of one kind: floats for types that are not integers, else int32;
 * the other list has zeros, and both where input 2 is absent.
 */
struct bp_cpu_quant_lists {
    const float *scales, *float_zeros;
    const int32_t *zeros;
};

/* For prepare: states the scratch for n scales. BP_E_NOMEM: it is too large. */
bp_rc bp_cpu_quant_lists_plan(struct bp_cpu_call *call, int64_t n, bp_err *err);
/* For run, once. */
void bp_cpu_quant_lists_read(struct bp_cpu_call *call, int64_t n, bool has_float_zeros,
                             struct bp_cpu_quant_lists *out);

/*
 * One scale and one zero point for a whole tensor: inputs `scale` and `zero` of a call, which hold
 * one element each (an absent zero point is 0). For run; BP_E_SHAPE: one has another number of elements.
 */
bp_rc bp_cpu_quant_one(const struct bp_cpu_call *call, uint32_t scale, uint32_t zero,
                       float *out_scale, int32_t *out_zero, bp_err *err);

#endif
