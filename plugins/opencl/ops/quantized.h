/* SPDX-License-Identifier: MIT */
/* quantized.h - what operators on 8-bit integers share. */
#ifndef BP_OPENCL_QUANTIZED_H
#define BP_OPENCL_QUANTIZED_H

#include "ops/elementwise.h"

#define BP_OPENCL_BYTES (BP_OPENCL_TYPE(BP_DTYPE_U8) | BP_OPENCL_TYPE(BP_DTYPE_I8))

/* bp_opencl_op.kind of conversions. */
enum { BP_OPENCL_QUANTIZE, BP_OPENCL_DEQUANTIZE };

/* Defines LOW and HIGH, the limits of an integer of 8 or 16 bits. */
void bp_opencl_define_limits(struct bp_opencl_prefix *prefix, uint32_t dtype);
/*
 * Adds DynamicQuantizeLinear of a float32 tensor: scale and zero point by the range of x, and y, which
 * may be NULL.
 */
void bp_opencl_quantize_dynamically(struct bp_opencl_builder *b, const struct bp_opencl_tensor *x,
                                    const struct bp_opencl_tensor *y,
                                    const struct bp_opencl_tensor *scale,
                                    const struct bp_opencl_tensor *zero);

/*
 * act = sum over k of (a - a_zero) * (b - b_zero) + bias, batch by batch: y itself where it is int32,
 * else act * alpha * a_scale * b_scale (+ float_bias) as a float, else that divided by y_scale,
 * rounded, and y_zero added. All but y, a and b may be NULL, scales for an int32 y. Strides are in
 * elements; y is dense. Steps are 1 where there is a zero point or scale for each row of a, or column
 * of b, and 0 where there is one.
 */
struct bp_opencl_int_gemm {
    const struct bp_opencl_tensor *y, *a, *b, *a_zero, *b_zero, *a_scale, *b_scale;
    const struct bp_opencl_tensor *bias, *float_bias, *y_scale, *y_zero;
    int64_t m, n, k, n_batches;
    int64_t am, ak, bk, bn;
    int64_t a_zero_step, b_zero_step, a_scale_step, b_scale_step;
    int64_t cm, cn; /* of bias and float_bias */
    float alpha;
    struct bp_opencl_walk
        batches; /* strides of a, b, and of rows of zero points, scales and bias */
};

/* Adds the step. */
void bp_opencl_int_gemm(struct bp_opencl_builder *b, const struct bp_opencl_int_gemm *gemm);
/* Defines what kernels/int_epilogue of the gemm needs, and adds the operands; for kernels alike. */
void bp_opencl_int_define(const struct bp_opencl_int_gemm *gemm, struct bp_opencl_prefix *prefix);
void bp_opencl_int_operands(struct bp_opencl_builder *b, const struct bp_opencl_int_gemm *gemm);

#endif
