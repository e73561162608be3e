/* SPDX-License-Identifier: MIT */
/* int8_depthwise.c - Depthwise convolution of 8-bit integers; see int8_depthwise.h. */

#include "quantized/int8_depthwise.h"

#include "kernels/types/loops.h"

/* Sums that are handed out at a time. */
enum { BLOCK = 64 };

/* sums[i] += tap * (x[i] - zero); the product of two 9-bit signed values fits. Sums wrap around. */
BP_LOOP static void add_unsigned(int32_t *sums, const uint8_t *x, size_t n, int32_t tap,
                                 int32_t zero)
{
    for (size_t i = 0; i < n; i++)
        sums[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)(tap * (x[i] - zero)));
}

BP_LOOP static void add_signed(int32_t *sums, const int8_t *x, size_t n, int32_t tap, int32_t zero)
{
    for (size_t i = 0; i < n; i++)
        sums[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)(tap * (x[i] - zero)));
}

/* The same for a stride above 1, without vectors. */
static void add_strided(const struct bp_cpu_int8_map_of *m, int32_t *sums, const uint8_t *x,
                        size_t n, size_t step, int32_t tap)
{
    for (size_t i = 0; i < n; i++) {
        int32_t value = m->x_signed ? (int8_t)x[i * step] : x[i * step];

        sums[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)(tap * (value - m->x_zero)));
    }
}

/*
 * Adds one tap of the kernel to the row of outputs at (z, y); positions outside of x are clipped.
 */
static void add_tap(const struct bp_cpu_int8_map_of *m, int64_t z, int64_t y, int64_t tap)
{
    const struct bp_cpu_window *w = m->window;
    int32_t factor = (m->w_signed ? (int8_t)m->w[tap] : m->w[tap]) - m->w_zero;
    int64_t iz =
        bp_cpu_window_start(w, 0, z) + tap / (w->kernel[1] * w->kernel[2]) * w->dilation[0];
    int64_t iy = bp_cpu_window_start(w, 1, y) + tap / w->kernel[2] % w->kernel[1] * w->dilation[1];
    int64_t ix = bp_cpu_window_start(w, 2, 0) + tap % w->kernel[2] * w->dilation[2];
    int64_t first, end, step = w->stride[2];
    const uint8_t *x;

    if (factor == 0 || iz < 0 || iz >= w->in[0] || iy < 0 || iy >= w->in[1])
        return;
    bp_cpu_window_clip(ix, step, w->out[2], w->in[2], &first, &end);
    if (first >= end)
        return;
    x = m->x + (iz * w->in[1] + iy) * w->in[2] + ix + first * step;
    if (step != 1)
        add_strided(m, m->row + first, x, (size_t)(end - first), (size_t)step, factor);
    else if (m->x_signed)
        add_signed(m->row + first, (const int8_t *)x, (size_t)(end - first), factor, m->x_zero);
    else
        add_unsigned(m->row + first, x, (size_t)(end - first), factor, m->x_zero);
}

void bp_cpu_int8_depthwise(const struct bp_cpu_int8_map_of *m)
{
    const struct bp_cpu_window *w = m->window;
    size_t cols = (size_t)w->out[2], at = 0;

    for (int64_t r = 0; r < w->out[0] * w->out[1]; r++, at += cols) {
        memset(m->row, 0, cols * sizeof *m->row);
        for (int64_t tap = 0; tap < w->kernel_count; tap++)
            add_tap(m, r / w->out[1], r % w->out[1], tap);
        for (size_t j = 0; j < cols; j += BLOCK)
            m->finish(m->u, m->row + j, at + j, cols - j < BLOCK ? cols - j : BLOCK);
    }
}
