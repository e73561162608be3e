/* SPDX-License-Identifier: MIT */
/* quantized_cache.c - see quantized_cache.h. */

#include "attention/quantized_cache.h"

#include <math.h>

/* The scale of element i of a row of head h. */
static float scale_of(const struct bp_cpu_quantized_cache *cache, const float *scales, int64_t h,
                      int64_t i)
{
    return scales[cache->is_per_column ? h * cache->head + i : 0];
}

void bp_cpu_quantized_read(const struct bp_cpu_quantized_cache *cache, const float *scales,
                           int64_t h, const void *row, float *out)
{
    const uint8_t *pairs = row;
    const int8_t *whole = row;

    for (int64_t i = 0; i < cache->head; i++) {
        int q = cache->bits == 8 ? whole[i] : (pairs[i / 2] >> (i % 2 * 4) & 15) - 8;

        out[i] = (float)q * scale_of(cache, scales, h, i);
    }
}

static int quantize(const struct bp_cpu_quantized_cache *cache, float x, float scale)
{
    float low = cache->bits == 8 ? -128 : -8, high = cache->bits == 8 ? 127 : 7;
    float y = rintf(x * (scale == 0 ? 1 : 1 / scale));

    return (int)(y < high ? (y > low ? y : low) : high);
}

void bp_cpu_quantized_write(const struct bp_cpu_quantized_cache *cache, const float *scales,
                            int64_t h, const float *x, void *row)
{
    uint8_t *pairs = row;
    int8_t *whole = row;

    for (int64_t i = 0; i < cache->head; i++) {
        int q = quantize(cache, x[i], scale_of(cache, scales, h, i));

        if (cache->bits == 8)
            whole[i] = (int8_t)q;
        else if (i % 2 == 0)
            pairs[i / 2] = (uint8_t)(q + 8);
        else
            pairs[i / 2] |= (uint8_t)((q + 8) << 4);
    }
}
