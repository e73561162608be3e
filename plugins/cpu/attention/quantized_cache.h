/* SPDX-License-Identifier: MIT */
/*
 * quantized_cache.h - the caches of keys and values of com.microsoft's GroupQueryAttention as
 * integers: x = q * scale. Of 8 bits they are int8; of 4 bits uint8 with two elements in a byte, the
 * first one in the low bits, each 8 more than its value.
 */
#ifndef BP_CPU_ATTENTION_QUANTIZED_CACHE_H
#define BP_CPU_ATTENTION_QUANTIZED_CACHE_H

#include "cpu.h"

struct bp_cpu_quantized_cache {
    uint32_t bits;      /* 4 or 8; 0: the cache is not quantized */
    int64_t head;       /* elements of a row, even */
    bool is_per_column; /* a scale for each element of each head, else one in all */
};

/* Bytes of a row. */
static inline int64_t bp_cpu_quantized_row_bytes(const struct bp_cpu_quantized_cache *cache)
{
    return cache->bits == 4 ? cache->head / 2 : cache->head;
}

/* Writes a row of head h as float32. */
void bp_cpu_quantized_read(const struct bp_cpu_quantized_cache *cache, const float *scales,
                           int64_t h, const void *row, float *out);
/*
 * Quantizes a row of head h: rounds half to even, saturates, NaN becomes the largest value. A scale
 * of 0 counts as 1, as in ONNX Runtime.
 */
void bp_cpu_quantized_write(const struct bp_cpu_quantized_cache *cache, const float *scales,
                            int64_t h, const float *x, void *row);

#endif
