/* SPDX-License-Identifier: MIT */
/*
 * quantize.c - see quantize.h. Our own loops, as oneDNN multiplies by the reciprocal of a scale,
 * which rounds differently. The CPU provider gives the same bits.
 */

#include "kernels/quantize.h"

#include "kernels/vector.h"

#include <math.h>
#include <stdbool.h>

/*
 * Saturates before the zero point is added, as integers. NaN fails the first comparison and becomes
 * the least one.
 */
VECTOR_LOOP
static void to_bytes(const float *x, uint8_t *y, size_t n, float scale, int32_t zero, int32_t least,
                     int32_t most)
{
    float low = (float)(least - zero), high = (float)(most - zero);

    for (size_t i = 0; i < n; i++) {
        float v = rintf(x[i] / scale);

        v = v > low ? v : low;
        y[i] = (uint8_t)((int32_t)(v < high ? v : high) + zero);
    }
}

/* `flip` is 0x80 for int8: x ^ 0x80 is x + 128 as uint8, so that one loop serves both types. */
VECTOR_LOOP
static void from_bytes(const uint8_t *x, float *y, size_t n, float scale, int32_t zero,
                       uint8_t flip)
{
    int32_t base = zero + flip;

    for (size_t i = 0; i < n; i++)
        y[i] = (float)((int32_t)(uint8_t)(x[i] ^ flip) - base) * scale;
}

/* The difference of two int32 may need 33 bits, which double holds. */
static void from_words(const int32_t *x, float *y, size_t n, float scale, int32_t zero)
{
    for (size_t i = 0; i < n; i++)
        y[i] = (float)((double)x[i] - zero) * scale;
}

/* Limits of int8 or uint8. */
static int32_t int8_min(dnnl_data_type_t type)
{
    return type == dnnl_s8 ? INT8_MIN : 0;
}

static int32_t int8_max(dnnl_data_type_t type)
{
    return type == dnnl_s8 ? INT8_MAX : UINT8_MAX;
}

/* Elements from..from + n, which share the scale of `index`. */
static void quantize(const struct bp_dnnl_quant_rows *job, void *const *at, size_t from, size_t n,
                     uint32_t index)
{
    to_bytes((const float *)at[0] + from, (uint8_t *)at[1] + from, n, job->quant.scales[index],
             job->quant.zeros[index], int8_min(job->type), int8_max(job->type));
}

static void dequantize(const struct bp_dnnl_quant_rows *job, void *const *at, size_t from, size_t n,
                       uint32_t index)
{
    float *y = (float *)at[1] + from, scale = job->quant.scales[index];
    int32_t zero = job->quant.zeros[index];

    if (job->type == dnnl_s32)
        from_words((const int32_t *)at[0] + from, y, n, scale, zero);
    else
        from_bytes((const uint8_t *)at[0] + from, y, n, scale, zero,
                   job->type == dnnl_s8 ? 0x80 : 0);
}

typedef void (*row_fn)(const struct bp_dnnl_quant_rows *job, void *const *at, size_t from, size_t n,
                       uint32_t index);

/* An iteration is a row, or an element if all share one scale. */
static void run_rows(const struct bp_dnnl_quant_rows *job, row_fn row, void *const *at,
                     size_t first, size_t end)
{
    if (job->quant.n == 1) {
        row(job, at, first, end - first, 0);
        return;
    }
    for (size_t r = first; r < end; r++)
        row(job, at, r * job->width, job->width, (uint32_t)(r % job->quant.n));
}

/* As a step's loop, with tensors' addresses in `at`. */
void bp_dnnl_quantize_rows(const void *u, void *const *at, size_t first, size_t end)
{
    run_rows(u, quantize, at, first, end);
}

/* The same the other way. */
void bp_dnnl_dequantize_rows(const void *u, void *const *at, size_t first, size_t end)
{
    run_rows(u, dequantize, at, first, end);
}

/*
 * For constants, outside of any step: by the same loops, so that weights get the same bits as in a
 * run.
 */
void bp_dnnl_dequantize(const struct bp_dnnl_quant_rows *rows, const void *from, float *to,
                        size_t n)
{
    void *const at[2] = {(void *)(uintptr_t)from, to};

    run_rows(rows, dequantize, at, 0, n / rows->width);
}
