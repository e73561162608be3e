/* SPDX-License-Identifier: MIT */
/*
 * depthwise.c - convolution of one input channel. Images are copied strip by strip with their
 * padding, so that no window reaches over an edge; rows that are short for vectors are computed as
 * one long row, and what comes from between them is dropped. Volumes, and strides that differ, go
 * without a copy: the taps that lie in rows of x are listed for each row of y; columns at the edges
 * are computed one by one.
 */

#include "kernels/depthwise.h"

enum { STRIP_BYTES = 24 * 1024 }; /* of a padded copy: half of a small first cache */

/* The taps of a row of y: where each begins in x for column 0, and its weight. */
struct taps {
    const void **x;
    char *w;
    int64_t *column; /* of column 0, relative to the row of x; below 0 before it */
    const char **row;
    size_t count;
};

/* Rows of the padded copy that `rows` rows of y need. */
static int64_t copied_rows(const struct bp_cpu_depthwise *k, int64_t rows)
{
    const struct bp_cpu_window *w = k->window;

    return (rows - 1) * w->stride[1] + (w->kernel[1] - 1) * w->dilation[1] + 1;
}

static void plan_strips(struct bp_cpu_depthwise *k)
{
    const struct bp_cpu_window *w = k->window;
    int64_t rows, width = (w->out[2] - 1) * w->stride[2] + (w->kernel[2] - 1) * w->dilation[2] + 1;
    int64_t room = STRIP_BYTES / (int64_t)k->size;

    k->strip_rows = 0;
    if (w->in[0] != 1 || w->out[0] != 1 || w->kernel[0] != 1 || w->stride[1] != w->stride[2] ||
        width > room)
        return;
    k->pitch = width;
    /* as many rows as fit, but one at least: copied_rows(rows) * width <= room */
    rows = room / width - ((w->kernel[1] - 1) * w->dilation[1] + 1);
    rows = rows < 0 ? 0 : rows / w->stride[1];
    k->strip_rows = rows + 1 < w->out[1] ? rows + 1 : w->out[1];
    if (copied_rows(k, k->strip_rows) > 4 * (room / width)) {
        k->strip_rows = 0; /* a window as high as the image */
        return;
    }
    k->is_flat = w->stride[2] == 1 || w->out[2] < (int64_t)k->simd->nr / 2;
    k->strip_bytes = (size_t)(copied_rows(k, k->strip_rows) * width) * k->size;
    k->strip_bytes = (k->strip_bytes + 63) / 64 * 64;
    k->scratch_bytes += k->strip_bytes + (size_t)(k->strip_rows * width) * k->size;
}

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
    k->taps_bytes = (size_t)w->kernel_count *
                    (sizeof(void *) + sizeof(char *) + sizeof(int64_t) + sizeof(double));
    k->taps_bytes = (k->taps_bytes + 63) / 64 * 64;
    k->scratch_bytes = k->taps_bytes;
    plan_strips(k);
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

static double bias_of(const struct bp_cpu_depthwise *k, const struct bp_cpu_operands *operands,
                      size_t map)
{
    if (!operands->bias)
        return 0;
    return k->size == 8 ? ((const double *)operands->bias)[map]
                        : (double)((const float *)operands->bias)[map];
}

/* Copies the rows of x under rows y0 .. y0 + rows of y, with zeroes around them. */
static void copy_strip(const struct bp_cpu_depthwise *k, const char *x, int64_t y0, int64_t rows,
                       char *to)
{
    const struct bp_cpu_window *w = k->window;
    int64_t first, end, start = bp_cpu_window_start(w, 1, y0), n = copied_rows(k, rows);

    bp_cpu_window_clip(-w->pad[2], 1, k->pitch, w->in[2], &first, &end);
    for (int64_t r = 0; r < n; r++, to += (size_t)k->pitch * k->size) {
        int64_t from = start + r;
        bool is_inside = from >= 0 && from < w->in[1] && end > first;
        size_t left = (size_t)(is_inside ? first : k->pitch) * k->size;
        size_t right = (size_t)(is_inside ? end : k->pitch) * k->size;

        memset(to, 0, left);
        if (is_inside)
            memcpy(to + left, x + (size_t)(from * w->in[2] + first - w->pad[2]) * k->size,
                   right - left);
        memset(to + right, 0, (size_t)k->pitch * k->size - right);
    }
}

/* Rows of y from the copy at `strip`; `flat` has room for as many rows of the copy. */
static void run_strip(const struct bp_cpu_depthwise *k, const struct taps *taps, double bias,
                      const char *strip, int64_t rows, char *flat, char *y)
{
    const struct bp_cpu_window *w = k->window;
    size_t width = (size_t)w->out[2] * k->size, pitch = (size_t)k->pitch * k->size;
    struct bp_cpu_taps sum = {
        .x = taps->x,
        .w = taps->w,
        .y = flat,
        .n = (size_t)((rows - 1) * k->pitch + w->out[2]),
        .taps = taps->count,
        .stride = (size_t)w->stride[2],
        .init = bias,
    };

    if (!k->is_flat)
        sum.n = (size_t)w->out[2];
    for (int64_t r = 0; r < rows; r++, y += width) {
        if (!k->is_flat)
            sum.y = y;
        for (size_t t = 0; t < taps->count && (r == 0 || !k->is_flat); t++)
            taps->x[t] =
                strip + (size_t)taps->column[t] * k->size + (size_t)(r * w->stride[1]) * pitch;
        if (r == 0 || !k->is_flat)
            k->simd->taps(&sum);
        if (k->is_flat)
            memcpy(y, flat + (size_t)r * pitch, width);
    }
}

/* All maps of an image, from padded strips. */
static void run_strips(const struct bp_cpu_depthwise *k, const struct bp_cpu_operands *operands,
                       struct taps *taps, char *scratch)
{
    const struct bp_cpu_window *w = k->window;
    size_t count = (size_t)w->kernel_count, row_bytes = (size_t)w->out[2] * k->size;

    taps->count = count;
    for (size_t t = 0; t < count; t++) {
        int64_t ky = (int64_t)t / w->kernel[2], kx = (int64_t)t % w->kernel[2];

        taps->column[t] = ky * w->dilation[1] * k->pitch + kx * w->dilation[2];
    }
    for (int64_t y = 0; y < w->out[1]; y += k->strip_rows) {
        int64_t rows = w->out[1] - y < k->strip_rows ? w->out[1] - y : k->strip_rows;

        copy_strip(k, operands->b, y, rows, scratch);
        for (size_t m = 0; m < k->maps; m++) {
            char *to = (char *)operands->c + ((size_t)(w->out[1] * (int64_t)m + y)) * row_bytes;

            memcpy(taps->w, (const char *)operands->a + m * count * k->size, count * k->size);
            run_strip(k, taps, bias_of(k, operands, m), scratch, rows, scratch + k->strip_bytes,
                      to);
        }
    }
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

    if (k->strip_rows > 0) {
        run_strips(k, operands, &taps, (char *)scratch + k->taps_bytes);
        return;
    }
    for (size_t m = 0; m < k->maps; m++) {
        const char *weights = (const char *)operands->a + m * count * k->size;
        double bias = bias_of(k, operands, m);

        for (int64_t z = 0; z < w->out[0]; z++) {
            for (int64_t row = 0; row < w->out[1]; row++, y += (size_t)w->out[2] * k->size) {
                list_taps(k, operands->b, weights, z, row, &taps);
                run_row(k, &taps, bias, y);
            }
        }
    }
}
