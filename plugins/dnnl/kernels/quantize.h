/* SPDX-License-Identifier: MIT */
/*
 * quantize.h - loops of QuantizeLinear and DequantizeLinear: q = round(x / scale) + zero,
 * saturated, and x = (q - zero) * scale, in float32, rounding halves to even, as ONNX defines them.
 */
#ifndef BP_DNNL_QUANTIZE_H
#define BP_DNNL_QUANTIZE_H

#include <dnnl.h>
#include <stddef.h>
#include <stdint.h>

/* Scales and zero points: one of each, or one for each index of a dimension. */
struct bp_dnnl_quant {
    const float *scales;
    const int32_t *zeros; /* as many as scales; 0 where the input is absent */
    uint32_t n;
};

/* A tensor whose row r of `width` elements has the scale and zero point of index r % quant.n. */
struct bp_dnnl_quant_rows {
    struct bp_dnnl_quant quant;
    size_t width;
    dnnl_data_type_t type; /* of the integers: dnnl_u8, dnnl_s8, or dnnl_s32 to be dequantised */
    uint32_t from;         /* of a constant's: the value that they are */
};

/*
 * Loops of a step (bp_dnnl_typed_loop): u is a struct bp_dnnl_quant_rows, at[0] is read, at[1]
 * made; an iteration is a row, or an element if all have one scale. NaN becomes the least integer.
 */
void bp_dnnl_quantize_rows(const void *u, void *const *at, size_t first, size_t end);
void bp_dnnl_dequantize_rows(const void *u, void *const *at, size_t first, size_t end);
/* All n elements at once; n is a multiple of the width. */
void bp_dnnl_dequantize(const struct bp_dnnl_quant_rows *rows, const void *from, float *to,
                        size_t n);

#endif
