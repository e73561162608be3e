/* SPDX-License-Identifier: MIT */
/*
 * depthwise.c - convolution of one input channel. For a row of y the taps that lie in rows of x are listed
 * once; columns whose windows reach over an edge of x are computed one by one, the others in vectors.
 */

#include "kernels/depthwise.h"

/* The taps of a row of y: where each begins in x for column 0, and its weight. */
struct taps {
    const void **x;
    char *w;
    int64_t *column; /* of column 0, relative to the row of x; below 0 before it */
    const char **row;
    size_t count;
};

void bp_cpu_depthwise_plan(struct bp_cpu_depthwise *k, const struct bp_cpu_window *w,
                           uint32_t dtype, size_t maps)
{
    int64_t reach = (w->kernel[2] - 1) * w->dilation[2], first, end;

    k->window = w;
    k->simd = bp_cpu_simd(dtype);
    k->maps = maps;
    k->size = dtype == BP_DTYPE_F64 ? 8 : 4;
    /* both ends of the window must lie within: clip the first tap, then the last */
    bp_cpu_window_clip(-w->pad[2], w->stride[2], w->out[2], w->in[2], &k->first, &k->end);
    bp_cpu_window_clip(reach - w->pad[2], w->stride[2], w->out[2], w->in[2], &first, &end);
    if (k->first < first)
        k->first = first;
    if (k->end > end)
        k->end = end;
    if (k->end < k->first)
        k->end = k->first;
    k->scratch_bytes = (size_t)w->kernel_count *
                       (sizeof(void *) + sizeof(char *) + sizeof(int64_t) + sizeof(double));
}

/* Adds the taps of one row of the kernel, which lies over this row of x. */
static void list_row(const struct bp_cpu_depthwise *k, const char *row, const char *weights,
                     struct taps *taps)
{
    const struct bp_cpu_window *w = k->window;

    memcpy(taps->w + taps->count * k->size, weights, (size_t)w->kernel[2] * k->size);
    for (int64_t kx = 0; kx < w->kernel[2]; kx++) {
        taps->row[taps->count] = row;
        taps->column[taps->count++] = kx * w->dilation[2] - w->pad[2];
    }
}

/* Lists the taps of output row (z, y) that lie in rows of x. */
static void list_taps(const struct bp_cpu_depthwise *k, const char *x, const char *weights,
                      int64_t z, int64_t y, struct taps *taps)
{
    const struct bp_cpu_window *w = k->window;

    taps->count = 0;
    for (int64_t kz = 0; kz < w->kernel[0]; kz++) {
        int64_t iz = bp_cpu_window_start(w, 0, z) + kz * w->dilation[0];

        for (int64_t ky = 0; ky < w->kernel[1]; ky++, weights += (size_t)w->kernel[2] * k->size) {
            int64_t iy = bp_cpu_window_start(w, 1, y) + ky * w->dilation[1];

            if (iz >= 0 && iz < w->in[0] && iy >= 0 && iy < w->in[1])
                list_row(k, x + (size_t)((iz * w->in[1] + iy) * w->in[2]) * k->size, weights, taps);
        }
    }
}

/* Columns first .. end of an output row, each of which may reach over an edge of x. */
static void run_edge(const struct bp_cpu_depthwise *k, const struct taps *all, double bias,
                     int64_t first, int64_t end, char *y)
{
    const struct bp_cpu_window *w = k->window;

    for (int64_t i = first; i < end; i++) {
        double sum = bias;

        for (size_t t = 0; t < all->count; t++) {
            int64_t at = all->column[t] + i * w->stride[2];

            if (at < 0 || at >= w->in[2])
                continue;
            if (k->size == 8)
                sum += ((const double *)(const void *)all->row[t])[at] *
                       ((const double *)(const void *)all->w)[t];
            else
                sum += (double)((const float *)(const void *)all->row[t])[at] *
                       (double)((const float *)(const void *)all->w)[t];
        }
        if (k->size == 8)
            ((double *)(void *)y)[i] = sum;
        else
            ((float *)(void *)y)[i] = (float)sum;
    }
}

static void run_row(const struct bp_cpu_depthwise *k, struct taps *taps, double bias, char *y)
{
    const struct bp_cpu_window *w = k->window;
    struct bp_cpu_taps inner = {
        .x = taps->x,
        .w = taps->w,
        .y = y + (size_t)k->first * k->size,
        .n = (size_t)(k->end - k->first),
        .taps = taps->count,
        .stride = (size_t)w->stride[2],
        .init = bias,
    };

    run_edge(k, taps, bias, 0, k->first, y);
    if (inner.n > 0) {
        for (size_t t = 0; t < taps->count; t++) {
            int64_t at = taps->column[t] + k->first * w->stride[2];

            taps->x[t] = taps->row[t] + (size_t)at * k->size;
        }
        k->simd->taps(&inner);
    }
    run_edge(k, taps, bias, k->end, w->out[2], y);
}

void bp_cpu_depthwise_run(const struct bp_cpu_depthwise *k, const struct bp_cpu_operands *operands,
                          void *scratch)
{
    const struct bp_cpu_window *w = k->window;
    size_t count = (size_t)w->kernel_count;
    struct taps taps = {
        .x = scratch,
        .row = (const char **)scratch + count,
        .column = (int64_t *)scratch + 2 * count,
        .w = (char *)((int64_t *)scratch + 3 * count),
    };
    char *y = operands->c;

    for (size_t m = 0; m < k->maps; m++) {
        const char *weights = (const char *)operands->a + m * count * k->size;
        double bias = 0;

        if (operands->bias && k->size == 8)
            bias = ((const double *)operands->bias)[m];
        else if (operands->bias)
            bias = (double)((const float *)operands->bias)[m];
        for (int64_t z = 0; z < w->out[0]; z++) {
            for (int64_t row = 0; row < w->out[1]; row++, y += (size_t)w->out[2] * k->size) {
                list_taps(k, operands->b, weights, z, row, &taps);
                run_row(k, &taps, bias, y);
            }
        }
    }
}
